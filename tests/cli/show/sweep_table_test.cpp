#include "core/cli/show/sweep_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/text/json.hpp"

namespace convoy::cli::sweep_table_test {
namespace {

using ::testing::HasSubstr;

SweepRow row(const char* strategy, std::uint32_t hosts, double rate, double alone) {
  SweepRow it;
  it.machine = "dgx1-p100";
  it.model = "lenet";
  it.strategy = strategy;
  it.batch = 32;
  it.hosts = hosts;
  it.devices_per_host = 4;
  it.compute_dtype = "f32";
  it.software = "another";
  it.layer_times = "roofline, uncertain";
  SimulatedJob job;
  job.images_per_second = rate;
  job.step_seconds = 0.5;
  job.compute_seconds = job.exposed_seconds = 0.25;
  job.bottleneck = "copies on \"a\" -> b";
  job.plan_hash = "00ff";
  it.figures = SweepFigures{job, alone};
  return it;
}

SweepRow refused() {
  SweepRow it;
  it.model = "lenet";
  it.strategy = "nothing";
  it.exit_code = 3;
  it.problem = "no such strategy\nlooked here";
  return it;
}

TEST(SweepTable, EfficienciesOfStrategiesAreOfTheFastestSingleDevice) {
  std::vector<SweepRow> rows = {row("fast", 1, 400, 200), row("slow", 2, 400, 100), refused()};
  compare_with_one_device(rows);
  EXPECT_DOUBLE_EQ(rows[0].figures->efficiency, 0.5);
  EXPECT_DOUBLE_EQ(rows[1].figures->efficiency, 0.25);
}

TEST(SweepTable, HasALinePerPointAndWhyOneHasNoRate) {
  std::ostringstream out;
  print_sweep(out, {row("fast", 2, 400, 100), refused()});
  EXPECT_THAT(out.str(),
              HasSubstr("dgx1-p100  lenet  fast         32      2        8      400.00"));
  EXPECT_THAT(out.str(), HasSubstr("none: no such strategy\n"));
}

TEST(SweepTable, SaysOnceHowUncertainLayersTimesAre) {
  std::ostringstream out;
  print_sweep(out, {row("fast", 2, 400, 100), refused(), row("slow", 2, 300, 100)});
  const std::string line = "Layer times: roofline, uncertain\n";
  EXPECT_THAT(out.str(), ::testing::EndsWith(line));
  EXPECT_EQ(out.str().find(line), out.str().size() - line.size());
}

TEST(SweepTable, CsvQuotesTextsAndLeavesOutWhatIsNotKnown) {
  const std::string text = sweep_record({row("fast", 2, 400, 100), refused()}, false, "x.csv");
  EXPECT_THAT(text, HasSubstr("machine,model,variable_update,batch_per_device,hosts,"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "\"dgx1-p100\",\"lenet\",\"fast\",32,2,4,8,\"f32\",\"another\",\"roofline, uncertain\","
          "400.0,100.0,"));
  EXPECT_THAT(text, HasSubstr("\"copies on \"\"a\"\" -> b\",\"00ff\",\"\",0,\"\"\n"));
  EXPECT_THAT(text, HasSubstr("\"\",\"lenet\",\"nothing\",,1,,,\"\",\"\",\"\",,,,,,,,,\"\",3,"));
}

TEST(SweepTable, JsonLinesAreTheObjectsOfTheJsonRecord) {
  const std::vector<SweepRow> rows = {row("fast", 2, 400, 100), refused()};
  const nlohmann::json record = parse_json(sweep_record(rows, false, "x.json"));
  std::istringstream lines(sweep_record(rows, false, "x.jsonl"));
  for (const nlohmann::json& point : record["points"]) {
    std::string line;
    ASSERT_TRUE(std::getline(lines, line));
    EXPECT_EQ(parse_json(line), point);
  }
  EXPECT_FALSE(record["convoy_version"].get<std::string>().empty());
  EXPECT_EQ(record["points"][0]["bottleneck"], "copies on \"a\" -> b");
  EXPECT_EQ(record["points"][1]["images_per_second"], nullptr);
}

TEST(SweepTable, TheExitCodeIsTheFirstFailuresUnlessAPointWentWell) {
  std::vector<SweepRow> rows = {refused(), row("fast", 1, 1, 1)};
  EXPECT_EQ(exit_code_of(rows, &SweepRow::figures), 0);
  rows.pop_back();
  EXPECT_EQ(exit_code_of(rows, &SweepRow::figures), 3);
}

}  // namespace
}  // namespace convoy::cli::sweep_table_test
