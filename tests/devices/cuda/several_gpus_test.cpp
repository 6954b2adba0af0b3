// Trainings on CUDA devices whose results must not depend on how the devices are driven: gradients
// summed by NCCL or by copies, layers replayed as graphs or not. On real GPUs those that there are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/runtime/parameter_hash.hpp"
#include "core/runtime/session.hpp"
#include "core/train/optimizer.hpp"
#include "tests/runtime/plugins.hpp"
#include "tests/runtime/small_models.hpp"
#include "tests/runtime/training.hpp"

namespace convoy::testing {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kSteps = 4;

struct Outcome {
  std::string hash;
  std::vector<double> losses;
  bool has_collectives = false;
  std::vector<std::string> log;
};

// The strategy sums the gradients of as many devices as `gpus` lists, as the spec says.
Outcome train_on(const std::string& gpus, const std::string& spec, const std::string& cuda_graph,
                 Graph graph) {
  PluginHost host;
  Outcome outcome;
  const PluginLog log = [&outcome](std::int32_t, std::string_view, std::string_view text) {
    outcome.log.emplace_back(text);
  };
  const DevicePlugin plugin(host.load_device(found_under_test()),
                            {{"gpu_indices", gpus}, {"cuda_graph", cuda_graph}}, log);
  const auto strategy = strategy_plugin(host, "replicated", {{"all_reduce_spec", spec}});
  SessionOptions options;
  options.devices = plugin.count({sizeof(convoy_device_request), 0, 0});
  options.batch = 2;
  options.bucket_elements = 512;
  options.hash_initializer = true;
  options.optimizer.struct_size = sizeof options.optimizer;
  options.optimizer.kind = CONVOY_OPTIMIZER_SGD;
  options.optimizer.gradient_scale = 1;
  Session session(std::move(graph), *strategy, plugin, options);
  for (const Operation& operation : session.lowered_plan().body)
    outcome.has_collectives = outcome.has_collectives || is_collective(operation.kind);
  const auto source = hash_images(options.devices, options.devices * options.batch);
  for (const TrainingStep& step : train(session, *source, 0.05, kSteps))
    outcome.losses.push_back(step.total_loss);
  outcome.hash = parameter_hash(session);
  return outcome;
}

// Why this machine cannot run a test on GPUs 0 and 1; empty when it can.
std::string no_two_gpus() {
  PluginHost host;
  try {
    const DevicePlugin plugin(host.load_device(found_under_test()), {{"gpu_indices", "0,1"}});
    static_cast<void>(plugin.count({sizeof(convoy_device_request), 0, 0}));
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

class SeveralGpus : public ::testing::Test {
 protected:
  void SetUp() override {
    PluginHost host;
    try {
      const DevicePlugin plugin(host.load_device(found_under_test()), {{"gpu_indices", "0"}});
      static_cast<void>(plugin.count({sizeof(convoy_device_request), 0, 0}));
    } catch (const Error& error) {
      GTEST_SKIP() << "no CUDA device can be used: " << error.what();
    }
  }
};

// The sum of two numbers does not depend on their order.
TEST_F(SeveralGpus, GiveTheSameBitsByNcclAsByCopiesOnOneGpu) {
  if (const std::string reason = no_two_gpus(); !reason.empty())
    GTEST_SKIP() << "NCCL needs two GPUs: " << reason;
  const Outcome copies = train_on("0,0", "collective", "off", small_network());
  const Outcome nccl = train_on("0,1", "nccl", "off", small_network());
  EXPECT_FALSE(copies.has_collectives);
  EXPECT_TRUE(nccl.has_collectives);
  EXPECT_EQ(nccl.losses, copies.losses);
  EXPECT_EQ(nccl.hash, copies.hash);
  EXPECT_TRUE(train_on("1,0", "collective", "off", small_network()).has_collectives);
}

TEST_F(SeveralGpus, AreNeededByNcclWhichSaysSo) {
  try {
    train_on("0,0", "nccl", "off", small_network());
    FAIL() << "trained";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    EXPECT_THAT(error.what(), HasSubstr("cuda:0 and cuda:1 share GPU 0, and NCCL takes each GPU "
                                        "once"));
  }
}

TEST_F(SeveralGpus, GiveTheSameBitsWhenLayersAreReplayedAsGraphs) {
  for (const auto& make : {small_network, normalised_network}) {
    const Outcome plain = train_on("0,0", "collective", "off", make());
    const Outcome graphs = train_on("0,0", "collective", "on", make());
    EXPECT_EQ(graphs.losses, plain.losses);
    EXPECT_EQ(graphs.hash, plain.hash);
    ASSERT_FALSE(graphs.log.empty());
    EXPECT_THAT(graphs.log, ::testing::Contains(HasSubstr("CUDA graphs replay ")));
    EXPECT_THAT(graphs.log,
                ::testing::Contains(HasSubstr("every step brings its images in other memory")));
  }
}

}  // namespace
}  // namespace convoy::testing
