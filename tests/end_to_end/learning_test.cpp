// Strategies teach a small network the sample set, synchronous ones and those that exchange fewer
// bytes: what it has not seen it names.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/text/json.hpp"
#include "tests/end_to_end/run_program.hpp"
#include "tests/support/pattern.hpp"

namespace convoy {
namespace {

constexpr double kRequiredAccuracy = 0.95;  // of the 320 held-out pictures
constexpr int kGlobalBatch = 32;

struct Variant {
  const char* name;
  std::vector<std::string> flags;
  const char* verdict = "synchronous";  // its beginning
  const char* learning_rate = "0.01";
};

constexpr const char* kNothingLost =
    "approximate (every gradient counts once in the end, nothing is lost";

// Ways to keep and to sum that evaluation and training go differently through. All others compute
// the same as these, and on four devices the same as on two: tests/golden/strategies_test.cpp.
const Variant kVariants[] = {
    {"ParameterServerOnHost",
     {"--variable_update=parameter_server", "--local_parameter_device=cpu"}},
    {"ParameterServerOnDevices",
     {"--variable_update=parameter_server", "--local_parameter_device=gpu"}},
    {"ReplicatedOnHost", {"--variable_update=replicated", "--local_parameter_device=cpu"}},
    {"ReplicatedHierarchical", {"--variable_update=replicated", "--hierarchical_copy"}},
    {"ReplicatedPacked",
     {"--variable_update=replicated", "--all_reduce_spec=psgpu",
      "--agg_small_grads_max_bytes=4096"}},
    {"ReplicatedRing", {"--variable_update=replicated", "--all_reduce_spec=xring"}},
    {"ReplicatedCollective", {"--variable_update=replicated", "--all_reduce_spec=collective"}},
    {"ReplicatedIn16Bits",
     {"--variable_update=replicated", "--all_reduce_spec=collective", "--use_fp16"}},
    {"PowerSgd", {"--variable_update=powersgd"}, kNothingLost},
    {"TopK", {"--variable_update=topk", "--ratio=0.05"}, kNothingLost},
    {"Signs", {"--variable_update=onebit"}, kNothingLost, "0.004"},
    {"HalfGradients",
     {"--variable_update=fp16_compression"},
     "approximate (synchronous but for rounding"},
};

struct Case {
  Variant variant;
  int devices = 1;
};

void PrintTo(const Case& c, std::ostream* stream) {
  *stream << c.variant.name << " on " << c.devices << " devices";
}

// On one device there is nothing to sum, so one way of sharing stands for all; a ring of several
// hops and two groups of devices need four.
std::vector<Case> all_cases() {
  std::vector<Case> cases = {{kVariants[0], 1}};
  for (const Variant& variant : kVariants) {
    const std::string_view name = variant.name;
    cases.push_back(
        {variant, name == "ReplicatedRing" || name == "ReplicatedHierarchical" ? 4 : 2});
  }
  return cases;
}

std::vector<std::string> arguments_of(const Case& c, const std::string& record) {
  std::vector<std::string> arguments = {
      "run",
      "--model=lenet",
      "--device=cpu",
      "--num_devices=" + std::to_string(c.devices),
      "--batch_size=" + std::to_string(kGlobalBatch / c.devices),
      "--optimizer=momentum",
      std::string("--init_learning_rate=") + c.variant.learning_rate,
      "--num_warmup_batches=0",
      "--num_batches=200",
      "--eval_during_training_every_n_steps=20",
      "--num_eval_epochs=1",
      "--stop_at_top_1_accuracy=0.97",
      "--data_dir=" CONVOY_SOURCE_DIR "/share/sample_data/imagenet",
      "--output_file=" + record};
  arguments.insert(arguments.end(), c.variant.flags.begin(), c.variant.flags.end());
  return arguments;
}

// Of the last line "Accuracy @ 1 = 0.9750 Accuracy @ 5 = 1.0000 [320 examples]"; -1 without one.
double printed_accuracy(const std::string& output) {
  const Pattern line(
      "Accuracy @ 1 = ([01]\\.[0-9]{4}) Accuracy @ 5 = [01]\\.[0-9]{4} \\[320 examples\\]\n");
  double accuracy = -1;
  for (const Pattern::Match& match : line.all_in(output)) accuracy = std::stod(match.groups[1]);
  return accuracy;
}

class Learning : public testing::TestWithParam<Case> {};

TEST_P(Learning, NamesHeldOutPictures) {
  const Case& c = GetParam();
  const std::string record_path =
      scratch_folder(std::string("learning_") + c.variant.name + std::to_string(c.devices)) +
      "/run.json";
  const ProgramResult result = run_convoy(arguments_of(c, record_path));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_GE(printed_accuracy(result.out), kRequiredAccuracy) << result.out;

  std::ifstream stream(record_path);
  const auto record = parse_json(stream);
  const std::string verdict = record.at("strategy").at("verdict");
  EXPECT_TRUE(verdict.starts_with(c.variant.verdict)) << verdict;
  EXPECT_EQ(record.at("global_batch"), kGlobalBatch);
  ASSERT_FALSE(record.at("evaluations").empty());
  const auto& last = record.at("evaluations").back();
  EXPECT_EQ(last.at("examples"), 320);
  EXPECT_NEAR(last.at("top_1").get<double>(), printed_accuracy(result.out), 5e-5);
  EXPECT_LT(record.at("total").at("seconds").get<double>(), 120);
}

INSTANTIATE_TEST_SUITE_P(Strategies, Learning, testing::ValuesIn(all_cases()),
                         [](const auto& instance) {
                           return std::string(instance.param.variant.name) +
                                  std::to_string(instance.param.devices);
                         });

}  // namespace
}  // namespace convoy
