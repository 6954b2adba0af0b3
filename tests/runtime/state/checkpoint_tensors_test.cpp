#include "core/runtime/state/checkpoint_tensors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "core/base/error.hpp"
#include "core/checkpoint/safetensors_writer.hpp"
#include "core/train/optimizer.hpp"
#include "tests/runtime/plugins.hpp"
#include "tests/runtime/small_models.hpp"
#include "tests/runtime/training.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/support/thrown_text.hpp"

namespace convoy::testing {
namespace {

using checkpoint::SafetensorsFile;
using checkpoint::Tensor;
using checkpoint::write_safetensors;
using runtime::read_facts;
using runtime::Session;
using runtime::to_metadata;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class CheckpointTensors : public ::testing::Test {
 protected:
  std::unique_ptr<Session> session(graph::Graph graph, std::uint32_t devices = 2,
                                   const std::string& strategy = "independent",
                                   convoy_optimizer_kind kind = CONVOY_OPTIMIZER_ADAM) {
    OptimizerOptions optimizer;
    optimizer.kind = kind;
    runtime::SessionOptions options;
    options.batch = 2;
    options.optimizer = train::make_optimizer(optimizer, devices);
    strategies_.push_back(strategy_plugin(host_, strategy));
    return std::make_unique<Session>(std::move(graph), *strategies_.back(),
                                     open_devices(*devices_, devices), options);
  }

  // Trains two steps and writes what a checkpoint holds.
  std::filesystem::path write(Session& trained, std::vector<Tensor>* tensors = nullptr) {
    NumberSource source({trained.cluster().replicas(), 2, 3 * 8 * 8, 7},
                        [](std::int64_t image) { return static_cast<float>(image) / 10; });
    train(trained, source, 0.01, 2);
    state_ = runtime::read_training_state(trained);
    facts_.step = 2;
    facts_.samples = 8;
    facts_.strategy = "independent";
    facts_.optimizer = "adam";
    facts_.updates = state_.updates;
    facts_.identity = runtime::identity_of(trained);
    facts_.phase = state_.phase;
    const auto kind = static_cast<convoy_optimizer_kind>(trained.options().optimizer.kind);
    const std::vector<Tensor> all = runtime::checkpoint_tensors(trained.graph(), kind, state_);
    if (tensors != nullptr) *tensors = all;
    return write(all);
  }

  std::filesystem::path write(const std::vector<Tensor>& tensors) const {
    std::filesystem::path path =
        std::filesystem::path(scratch_folder("checkpoint_tensors")) / "model.safetensors";
    write_safetensors(path, to_metadata(facts_), tensors);
    return path;
  }

  std::string refusal(const std::filesystem::path& path, const graph::Graph& graph) const {
    return thrown_text([&] { runtime::read_model_values(SafetensorsFile(path), graph); },
                       "no error");
  }

  plugin::PluginHost host_;
  std::unique_ptr<plugin::DevicePlugin> devices_ = cpu_plugin(host_);
  std::vector<std::unique_ptr<plugin::StrategyPlugin>> strategies_;
  runtime::TrainingState state_;
  runtime::CheckpointFacts facts_;
};

TEST_F(CheckpointTensors, HaveReadableNames) {
  std::vector<std::string> names;
  const graph::Graph graph = normalised_network();
  for (const runtime::ModelTensor& tensor : runtime::model_tensors(graph))
    names.push_back(tensor.name);
  EXPECT_EQ(names.size(), graph.variables().size() + 4);
  EXPECT_THAT(names, Contains(graph.variables().front().name));
  EXPECT_THAT(names, Contains(::testing::EndsWith("/moving_variance")));
}

TEST_F(CheckpointTensors, GiveBackTheWholeState) {
  const auto trained = session(normalised_network());
  const SafetensorsFile file(write(*trained));
  const auto fresh = session(normalised_network());
  const runtime::Restoration restored = runtime::read_restoration(file, read_facts(file), *fresh);
  EXPECT_THAT(restored.notices, IsEmpty());
  EXPECT_TRUE(restored.state.complete);
  EXPECT_EQ(restored.state.values.variables, state_.values.variables);
  EXPECT_EQ(restored.state.values.state, state_.values.state);
  EXPECT_EQ(restored.state.optimizer, state_.optimizer);
  EXPECT_EQ(restored.state.updates, 2u);
  ASSERT_EQ(restored.state.parts.size(), state_.parts.size());
  ASSERT_FALSE(state_.parts.empty());
  for (std::size_t i = 0; i < state_.parts.size(); ++i) {
    EXPECT_EQ(restored.state.parts[i].name, state_.parts[i].name);
    EXPECT_EQ(restored.state.parts[i].bytes, state_.parts[i].bytes) << state_.parts[i].name;
  }
}

TEST_F(CheckpointTensors, OfAnotherRunAreUsedAsFarAsTheyFit) {
  const SafetensorsFile file(write(*session(normalised_network())));
  const auto other = session(normalised_network(), 1, "replicated", CONVOY_OPTIMIZER_MOMENTUM);
  const runtime::Restoration restored = runtime::read_restoration(file, read_facts(file), *other);
  EXPECT_FALSE(restored.state.complete);
  EXPECT_THAT(restored.state.optimizer, IsEmpty());
  EXPECT_EQ(restored.state.updates, 0u) << "of state that starts anew";
  EXPECT_THAT(restored.state.parts, IsEmpty());
  EXPECT_THAT(restored.notices,
              ::testing::UnorderedElementsAre(HasSubstr("momentum starts without"),
                                              HasSubstr("independent on 2 devices of batch 2")));
}

// Those of earlier versions.
TEST_F(CheckpointTensors, ThatDoNotSayHowManyUpdatesThereWereHadOnePerStep) {
  const auto trained = session(normalised_network());
  std::vector<Tensor> tensors;
  write(*trained, &tensors);
  std::map<std::string, std::string> metadata = to_metadata(facts_);
  ASSERT_EQ(metadata.erase("optimizer_updates"), 1u);
  metadata["step"] = "7";
  const auto path =
      std::filesystem::path(scratch_folder("checkpoint_tensors")) / "earlier.safetensors";
  write_safetensors(path, metadata, tensors);
  const SafetensorsFile file(path);
  EXPECT_EQ(runtime::read_restoration(file, read_facts(file), *trained).state.updates, 7u);
}

TEST_F(CheckpointTensors, OfAnotherModelAreListed) {
  std::vector<Tensor> tensors;
  write(*session(normalised_network()), &tensors);
  const graph::Graph graph = normalised_network();
  const std::string gone = tensors.front().info.name;
  tensors.erase(tensors.begin());
  tensors[0].info.shape.push_back(1);
  tensors.push_back(checkpoint::make_tensor("somewhere/else", {1}, std::vector<float>{1}));
  EXPECT_THAT(refusal(write(tensors), graph),
              AllOf(HasSubstr("does not fit model normalised"), HasSubstr("1 missing: " + gone),
                    HasSubstr("1 not in the model: somewhere/else"),
                    HasSubstr("1 different: " + tensors[0].info.name + " is F32 [")));
}

TEST_F(CheckpointTensors, OfAnotherTypeAreRefused) {
  std::vector<Tensor> tensors;
  write(*session(normalised_network()), &tensors);
  tensors[0].info.dtype = checkpoint::TensorDtype::kI32;
  EXPECT_THAT(refusal(write(tensors), normalised_network()), HasSubstr("is I32 ["));
}

TEST_F(CheckpointTensors, FactsReadBack) {
  write(*session(normalised_network()));
  facts_.seed = 4294967295u;
  facts_.model = "normalised";
  facts_.flags = R"({"model":"x"})";
  facts_.loss_scale = {8192, 17};
  facts_.convoy_version = "9.8";
  const runtime::CheckpointFacts read = read_facts(SafetensorsFile(write(std::vector<Tensor>{})));
  EXPECT_EQ(to_metadata(read), to_metadata(facts_));
  EXPECT_EQ(read.identity, facts_.identity);
}

TEST_F(CheckpointTensors, FactsThatMakeNoSenseAreRefused) {
  const std::filesystem::path path = write(std::vector<Tensor>{});
  const auto good = to_metadata(facts_);
  const std::pair<const char*, const char*> wrong[] = {
      {"step", "-1"},      {"step", "9223372036854775808"},
      {"samples", "12x"},  {"phase", ""},
      {"plan_hash", "g"},  {"loss_scale", "nan"},
      {"loss_scale", "0"}, {"devices", "4294967296"},
      {"format", "pt"},    {"format_version", "2"}};
  for (const auto& [name, value] : wrong) {
    auto metadata = good;
    metadata[name] = value;
    write_safetensors(path, metadata, {});
    EXPECT_THROW(read_facts(SafetensorsFile(path)), Error) << name << '=' << value;
    metadata.erase(name);
    write_safetensors(path, metadata, {});
    EXPECT_THROW(read_facts(SafetensorsFile(path)), Error) << "no " << name;
  }
}

}  // namespace
}  // namespace convoy::testing
