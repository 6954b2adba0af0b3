#include "core/cli/show/comparison.hpp"
#include "core/base/text/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "core/base/error.hpp"
#include "core/cli/verbs/compare_request.hpp"

namespace convoy::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

ComparisonCell cell(std::uint32_t devices, std::optional<double> rate) {
  ComparisonCell it;
  it.model = "lenet";
  it.strategy = "replicated";
  it.replicas = devices;
  it.images_per_second = rate;
  it.step_seconds = 0.25;
  it.machine = "a machine";
  it.software = "another (somewhere)";
  it.layer_times = "roofline, uncertain";
  it.hosts = 2;
  it.batch = 32;
  it.compute_dtype = "bf16";
  it.threads_per_device = devices == 1 ? 4 : 0;
  it.verdict = "synchronous";
  if (!rate) {
    it.exit_code = 3;
    it.problem = "no such device";
  }
  return it;
}

Comparison sample() {
  Comparison comparison;
  comparison.cells = {cell(8, std::nullopt), cell(1, 100), cell(2, 150)};
  comparison.one_device = {{"lenet", 100}};
  return comparison;
}

TEST(Comparison, ComparesWithOneDeviceAndWithLinearGrowth) {
  const Comparison comparison = sample();
  EXPECT_DOUBLE_EQ(*comparison.speed_up(comparison.cells[2]), 1.5);
  EXPECT_DOUBLE_EQ(*comparison.linear(comparison.cells[2]), 200);
  EXPECT_FALSE(comparison.speed_up(comparison.cells[0]));
}

// Otherwise a reader takes rows for the same devices.
TEST(Comparison, TellsTheThreadsOfSimulatedDevices) {
  Comparison comparison = sample();
  comparison.cells[2].threads_per_device = 2;
  std::ostringstream ran;
  print_comparison(ran, comparison);
  EXPECT_THAT(ran.str(), Not(HasSubstr("Threads"))) << "a notice says it";
  comparison.simulated = true;
  std::ostringstream simulated;
  print_comparison(simulated, comparison);
  EXPECT_THAT(simulated.str(),
              HasSubstr("\nThreads per device: 4 with 1 device, 2 with 2 devices\n"));
}

TEST(Comparison, PrintsARowPerCellAndWhyOneHasNoRate) {
  std::ostringstream out;
  print_comparison(out, sample());
  EXPECT_THAT(out.str(), HasSubstr("lenet  replicated        8  none: no such device\n"));
  EXPECT_THAT(out.str(), HasSubstr("150.00      250.00      1.50      75.0 %      200.00\n"));
  EXPECT_THAT(out.str(), ::testing::EndsWith("200.00\nLayer times: roofline, uncertain\n"));
}

TEST(Comparison, IsJsonWithTheSameFigures) {
  const nlohmann::json json = parse_json(comparison_json(sample()));
  EXPECT_FALSE(json["convoy_version"].get<std::string>().empty());
  EXPECT_EQ(json["cells"][0]["images_per_second"], nullptr);
  EXPECT_EQ(json["cells"][0]["exit_code"], 3);
  EXPECT_DOUBLE_EQ(json["cells"][2]["efficiency"].get<double>(), 0.75);
  EXPECT_DOUBLE_EQ(json["cells"][2]["linear_images_per_second"].get<double>(), 200);
  EXPECT_EQ(json["cells"][2]["machine"], "a machine");
  EXPECT_EQ(json["cells"][2]["software"], "another (somewhere)");
  EXPECT_EQ(json["cells"][2]["layer_times"], "roofline, uncertain");
  EXPECT_EQ(json["cells"][2]["hosts"], 2);
  EXPECT_EQ(json["cells"][2]["verdict"], "synchronous");
  EXPECT_EQ(json["cells"][2]["batch_per_device"], 32);
  EXPECT_EQ(json["cells"][2]["compute_dtype"], "bf16");
  EXPECT_EQ(json["cells"][1]["threads_per_device"], 4);
  EXPECT_FALSE(json["cells"][2].contains("threads_per_device"));
}

// As compare --repeat says.
TEST(Comparison, RepeatsGiveMediansOfRatesAndOfSteps) {
  ComparisonCell repeated;
  for (const auto& [rate, seconds] :
       {std::pair{100.0, 0.25}, std::pair{10.0, 2.5}, std::pair{110.0, 0.23}}) {
    ComparisonCell run = cell(2, rate);
    run.step_seconds = seconds;
    add_run(run, repeated);
  }
  EXPECT_DOUBLE_EQ(*repeated.images_per_second, 100);
  EXPECT_DOUBLE_EQ(repeated.step_seconds, 0.25);
  EXPECT_THAT(repeated.repeats, ElementsAre(100, 10, 110));
  EXPECT_EQ(repeated.model, "lenet");
  add_run(cell(2, std::nullopt), repeated);
  EXPECT_FALSE(repeated.images_per_second);
  EXPECT_EQ(repeated.problem, "no such device");
}

TEST(Comparison, SucceedsWhenAnyCellDoes) {
  Comparison comparison = sample();
  EXPECT_EQ(exit_code_of(comparison.cells, &ComparisonCell::images_per_second), 0);
  comparison.cells.resize(1);
  EXPECT_EQ(exit_code_of(comparison.cells, &ComparisonCell::images_per_second), 3);
}

TEST(CompareRequest, KeepsTheFlagsOfTheCellsApart) {
  const CompareRequest request = parse_compare_request(std::vector<std::string>{
      "--models=lenet,alexnet", "--batch_size=4", "--num_gpus", "1,8", "--platform", "dgx1-p100",
      "--strategies=auto,replicated:all_reduce_spec=nccl", "--json"});
  EXPECT_THAT(request.models, ElementsAre("lenet", "alexnet"));
  EXPECT_THAT(request.counts, ElementsAre(1u, 8u));
  EXPECT_THAT(request.common, ElementsAre("--batch_size=4", "--platform", "dgx1-p100"));
  EXPECT_TRUE(request.simulated);
  EXPECT_TRUE(request.json);
  ASSERT_EQ(request.strategies.size(), 2u);
  EXPECT_THAT(request.strategies[1].flags,
              ElementsAre("--variable_update=replicated", "--all_reduce_spec=nccl"));
}

TEST(CompareRequest, TakesAllStrategiesAndAutoByDefault) {
  const CompareRequest request =
      parse_compare_request(std::vector<std::string>{"--plugin_path=" CONVOY_OWN_PLUGINS});
  std::vector<std::string> labels;
  for (const ComparedStrategy& strategy : request.strategies) labels.push_back(strategy.label);
  EXPECT_THAT(labels, ::testing::IsSupersetOf({"replicated", "parameter_server", "auto"}));
  EXPECT_THAT(request.models, ElementsAre("resnet50"));
  EXPECT_FALSE(request.simulated);
}

TEST(CompareRequest, RefusesUnknownNamesOnceAndNotInEveryCell) {
  const auto refusal = [](const std::string& flag, ExitCode code) -> std::string {
    try {
      parse_compare_request(std::vector<std::string>{"--plugin_path=" CONVOY_OWN_PLUGINS, flag});
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << flag;
      return error.what();
    }
    return flag + " was accepted";
  };
  EXPECT_THAT(refusal("--models=lenet,lenett", ExitCode::kUnavailable),
              ::testing::HasSubstr("no model is named 'lenett'"));
  EXPECT_THAT(refusal("--strategies=auto,replicate:fuse=1", ExitCode::kUnavailable),
              ::testing::HasSubstr("no strategy is named 'replicate'"));
  EXPECT_THAT(refusal("--platform=dgx1", ExitCode::kUsage),
              ::testing::HasSubstr("no platform \"dgx1\""));
}

// The record of all cells; no single one of them writes to it.
TEST(CompareRequest, KeepsTheFileOfItsRecordFromTheCells) {
  const auto request = parse_compare_request(
      std::vector<std::string>{"--strategies=replicated", "--output_file=x.json"});
  EXPECT_EQ(request.output_file, "x.json");
  EXPECT_EQ(request.common, std::vector<std::string>());
}

TEST(CompareRequest, RefusesWhatMakesNoSense) {
  for (const char* flag :
       {"--num_devices=1,,2", "--num_devices=1,1,2", "--transport=shm", "--num_devices=0",
        "--num_devices=x", "--models=lenet,", "--strategies=replicated,replicated",
        "--strategies=replicated:xring", "--json=perhaps", "--variable_update=replicated",
        "--trace_file=x.json", "--train_dir=/tmp"}) {
    try {
      parse_compare_request(std::vector<std::string>{flag});
      ADD_FAILURE() << flag << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kUsage) << flag << ": " << error.what();
    }
  }
}

}  // namespace
}  // namespace convoy::cli
