#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/base/text/json.hpp"
#include "core/report/html/report.hpp"
#include "core/report/html/write_report.hpp"
#include "core/report/run_record.hpp"
#include "tests/sanitized.hpp"

namespace convoy::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::ordered_json;

RunRecord run_of(std::int64_t steps) {
  RunRecord record;
  record.environment = detect_environment("0.1.0");
  record.command_line = {"--model=lenet", "--data_dir=/a folder/it's"};
  record.model = "lenet";
  record.dataset = "imagenet";
  record.strategy = "replicated";
  record.strategy_verdict = "synchronous";
  record.devices = {{"cpu:0", "cpu", "a processor", "0", 2, 1024}};
  record.batch_per_device = 8;
  record.global_batch = 8;
  for (std::int64_t number = 1; number <= steps; ++number) {
    TrainingStep step;
    step.number = number;
    step.seconds = 0.01 + 1e-5 * static_cast<double>(number * 7919 % 101);
    step.total_loss = 4.0 / static_cast<double>(number);
    record.steps.push_back(step);
  }
  record.total_images_per_second = 800;
  record.step_times = {0.0105, 0.0109, 0.011, 0.011};
  return record;
}

PredictionRecord predicted() {
  PredictionRecord prediction;
  prediction.calibrated = true;
  prediction.step.step_seconds = 0.01;
  prediction.step.compute_seconds = 0.009;
  return prediction;
}

NamedRecord named(const RunRecord& record) {
  return parse_record("run.json", run_record_json(record));
}

std::vector<std::string> section_ids(const Report& report) {
  std::vector<std::string> ids;
  for (const Section& section : report.sections) ids.push_back(section.id);
  return ids;
}

TEST(ReportPage, HasTheSectionsThatTheRecordHasDataFor) {
  RunRecord record = run_of(20);
  EXPECT_THAT(section_ids(make_report({named(record)})),
              ElementsAre("steps", "learning", "environment"));
  record.step_breakdown.emplace();
  record.step_breakdown->seconds = 0.0105;
  record.step_breakdown->compute = 0.009;
  record.memory.emplace();
  record.memory->places = {{"cpu:0", {.parameters = 100, .activations = 1000}}};
  record.peers = {{"worker 1 (b, pid 2)", "shm", 10, 20}};
  record.prediction = predicted();
  record.prediction->links = {{.name = "a -> b"}};
  record.prediction->step.links = {{0, 1e6, 0.25}};
  record.prediction->timeline = {0, 0.01, {{"forward", 3, "compute", "cpu:0", 0, 0.009}}};
  record.timeline = TimelineRecord{7, 0.0105, {{"forward", 3, "compute", "cpu:0", 5, 0.0095}}};
  EXPECT_THAT(section_ids(make_report({named(record)})),
              ElementsAre("steps", "timeline", "parts", "links", "tasks", "learning", "resources",
                          "environment"));
}

// Bytes alone do not say how fast the links are.
TEST(ReportPage, HasTheTransportAndTheRoundTripOfEveryPeer) {
  RunRecord record = run_of(20);
  record.peers = {{"worker 1 (b, pid 2)", "shm", 10, 20, 2.5e-6, 3e9},
                  {"worker 2 (c, pid 3)", "grpc", 10, 20, 0, 0}};
  const auto rows = [](const NamedRecord& run) {
    for (const Section& section : make_report({run}).sections)
      if (section.id == "tasks")
        for (const Figure& figure : section.figures)
          if (const Table* table = std::get_if<Table>(&figure)) return table->rows;
    return std::vector<std::vector<std::string>>();
  };
  NamedRecord run = named(record);
  EXPECT_THAT(rows(run),
              ElementsAre(ElementsAre("worker 1 (b, pid 2)", "shm", "2.50 \xc2\xb5s", "3 GB/s"),
                          ElementsAre("worker 2 (c, pid 3)", "grpc", "-", "-")));
  for (auto& peer : run.record["peers"]) {
    peer.erase("round_trip_seconds");
    peer.erase("bytes_per_second");
  }
  EXPECT_THAT(rows(run).at(0), ElementsAre("worker 1 (b, pid 2)", "shm", "-", "-"));
}

TEST(ReportPage, TheVerdictPutsThePredictionBesideWhatWasMeasured) {
  RunRecord record = run_of(20);
  record.prediction = predicted();
  EXPECT_EQ(make_report({named(record)}).verdicts.front(),
            "lenet runs at 800 images/s on 1 cpu device with replicated: its median step of 10.5 "
            "ms is 5.0 % slower than the predicted 10 ms.");
  record.prediction->calibrated = false;
  EXPECT_THAT(make_report({named(record)}).verdicts.front(), HasSubstr("nominal rates"));
  record.error = "the loss is not finite";
  record.exit_status = 5;
  EXPECT_EQ(make_report({named(record)}).verdicts.at(1),
            "The run failed with exit code 5: the loss is not finite");
}

// The program prints the median, too.
TEST(ReportPage, OfRepeatedRunsShowsTheMedianAndTheRange) {
  NamedRecord repeated = named(run_of(20));
  repeated.record["repeats"] = {{{"images_per_sec", 800}, {"seconds", {0.01}}},
                                {{"images_per_sec", 1000}, {"seconds", {0.008}}},
                                {{"images_per_sec", 900}, {"seconds", {0.009}}}};
  const Report report = make_report({repeated});
  EXPECT_EQ(report.verdicts.front(),
            "lenet runs at 900 images/s on 1 cpu device with replicated, the median of 3 runs; "
            "nothing was predicted.");
  EXPECT_EQ(report.tiles.at(0).value, "900 images/s");
  EXPECT_EQ(report.tiles.at(0).note, "median of 3 runs, which go from 800 to 1,000");
  RunRecord two = run_of(20);
  two.global_batch = 16;
  const Report both = make_report({repeated, named(two)});
  const auto& rates = std::get<LineChart>(both.sections.front().figures.at(0));
  EXPECT_DOUBLE_EQ(rates.series.at(0).points.at(0).y, 900);
  EXPECT_DOUBLE_EQ(rates.series[0].points[0].range.value().high, 1000);
}

TEST(ReportPage, SaysWhatWasDoneInsteadOfTraining) {
  RunRecord record = run_of(20);
  record.mode = "forward only";
  const Report forward = make_report({named(record)});
  EXPECT_EQ(forward.title, "lenet, 1 cpu device, replicated, forward only");
  EXPECT_THAT(forward.verdicts.front(), HasSubstr("with replicated, forward only"));
  record.mode = "input only";
  record.devices.clear();
  record.input_only = InputSpeed{.images = 1600, .threads = 2, .cores = 2, .seconds = 2};
  const Report input = make_report({named(record)});
  EXPECT_EQ(input.title, "lenet, input only");
  EXPECT_EQ(input.verdicts.front(),
            "800 images/s were read and prepared, 400 images/s on each core; nothing was "
            "computed.");
  ASSERT_EQ(input.tiles.size(), 1u);
  EXPECT_EQ(input.tiles.front().note, "by 2 threads");
}

TEST(ReportPage, OfAnEvaluationSaysWhatItFound) {
  RunRecord record = run_of(0);
  record.mode = "evaluation";
  record.total_images_per_second = 100;
  record.step_times = {};
  record.evaluations = {{20, 20, {0.5, 0.9}, 100, 1, 100, ""}};
  const Report report = make_report({named(record)});
  EXPECT_THAT(report.verdicts,
              ElementsAre("lenet is evaluated at 100 images/s on 1 cpu device.",
                          "Of 100 images, the last evaluation classified 50 % right, and 90 % "
                          "within five guesses."));
  ASSERT_EQ(report.tiles.size(), 2u);
  EXPECT_EQ(report.tiles.front().value, "100 images/s");
  EXPECT_EQ(report.tiles.back().label, "Accuracy");
}

TEST(ReportPage, MarksTellWhenTheRunPaused) {
  RunRecord record = run_of(30);
  record.checkpoints = {{10, 0.2}};
  record.evaluations = {{20, 20, {0.5, 0.9}, 100, 1, 100, ""}};
  record.interrupted = true;
  const std::string page = report_html(make_report({named(record)}));
  EXPECT_THAT(page, HasSubstr("checkpoint after step 10, 200 ms"));
  EXPECT_THAT(page, HasSubstr("evaluation after step 20, top 1 50 %"));
  EXPECT_THAT(page, HasSubstr("interrupted after step 30"));
}

TEST(ReportPage, RunsWithDifferentNumbersOfDevicesMakeAScalingCurve) {
  RunRecord one = run_of(20);
  RunRecord two = run_of(20);
  two.global_batch = 16;
  two.total_images_per_second = 1500;
  const Report report = make_report({named(one), named(two), named(two)});
  ASSERT_EQ(report.sections.front().id, "scaling");
  const auto& rates = std::get<LineChart>(report.sections.front().figures.at(0));
  ASSERT_EQ(rates.series.size(), 2u);  // the runs, and the linear line
  ASSERT_EQ(rates.series[0].points.size(), 2u);
  EXPECT_EQ(rates.series[0].points[1].y, 1500);
  EXPECT_TRUE(rates.series[0].points[1].range.has_value());
  EXPECT_EQ(rates.series[1].points.back().y, 1600);
  const auto& efficiency = std::get<LineChart>(report.sections.front().figures.at(1));
  EXPECT_DOUBLE_EQ(efficiency.series[0].points[1].y, 1500.0 / 1600);
}

TEST(ReportPage, TextsOfRecordsCannotBecomeMarkupOrEndTheData) {
  RunRecord record = run_of(20);
  record.model = "<img src=x onerror=alert(1)>";
  record.notices = {"</script><script>alert(1)</script>"};
  const std::string page = report_html(make_report({named(record)}));
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, Not(HasSubstr("</script><script>alert")));
  record.model = "x\"><img src=x onerror=alert(1)>";
  RunRecord two = record;
  two.global_batch = 16;
  const std::string curve = report_html(make_report({named(record), named(two)}));
  EXPECT_THAT(curve, HasSubstr("scaling"));
  EXPECT_THAT(curve, Not(HasSubstr("<img")));
}

// The total is that of all tasks, and the error in the record that of one task's mean.
TEST(ReportPage, TheErrorOfSeveralTasksIsThatOfTheirTotal) {
  RunRecord record = run_of(20);
  record.speed = {800, 4, 0};
  EXPECT_THAT(report_html(make_report({named(record)})), HasSubstr("\u00b1 4 standard error"));
  record.global_batch = 16;
  record.total_images_per_second = 1600;
  record.tasks = {{"worker 0", {}, {}}, {"worker 1", {}, {}}};
  EXPECT_THAT(report_html(make_report({named(record)})), HasSubstr("\u00b1 8 standard error"));
}

TEST(ReportPage, ThePowerOfAGpuIsItsMeanAndItsPeak) {
  RunRecord record = run_of(20);
  GpuReadings gpu;
  gpu.pci_address = "0000:17:00.0";
  for (const double watts : {550, 650, 900}) gpu.watts.add(watts);
  record.gpus = {gpu};
  EXPECT_THAT(report_html(make_report({named(record)})),
              HasSubstr("700 W (550 to a peak of 900 W)"));
}

TEST(ReportPage, TheLastBarOfADistributionHasNoUpperEnd) {
  RunRecord record = run_of(200);
  record.steps[50].seconds = 10;
  EXPECT_THAT(report_html(make_report({named(record)})),
              testing::ContainsRegex("[0-9]+ steps? of 1[01][.0-9]* ms or more"));
}

Json embedded(const std::string& page) {
  const std::string begin = "id=\"convoy-data\">";
  const std::size_t at = page.find(begin) + begin.size();
  return parse_ordered_json(page.substr(at, page.find("</script>", at) - at));
}

TEST(ReportPage, CarriesItsData) {
  const Json data = embedded(report_html(make_report({named(run_of(20))})));
  EXPECT_EQ(data[0]["name"], "run.json");
  EXPECT_EQ(data[0]["record"]["model"], "lenet");
  EXPECT_EQ(data[0]["record"]["steps"]["loss"][1], 2.0);
  EXPECT_TRUE(data[0]["left_out"].empty());
}

TEST(ReportPage, TenThousandStepsTakeHalfASecondAndTwoMegabytesAtMost) {
  const std::string text = run_record_json(run_of(10000));
  const std::clock_t before = std::clock();
  const std::string page = report_html(make_report({parse_record("run.json", text)}));
  const double seconds = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  EXPECT_LE(page.size(), 2'000'000);
  EXPECT_EQ(embedded(page)[0]["record"]["steps"]["seconds"].size(), 10000);
  if (!kSanitized) {
    EXPECT_LT(seconds, 0.5);
  }
}

TEST(ReportPage, FiftyThousandStepsStillFit) {
  Json record = named(run_of(100)).record;
  const Json steps = record["steps"];
  for (int i = 1; i < 500; ++i)
    for (const Json& step : steps) record["steps"].push_back(step);
  const std::string page = report_html(make_report({{"long.json", record}}));
  EXPECT_LE(page.size(), 2'000'000);
  EXPECT_THAT(embedded(page)[0]["left_out"].dump(), HasSubstr("one of every"));
}

// Every number of the record, one group after the other.
void make_huge(Json& value) {
  if (value.is_number_float()) value = 1.7e308;
  if (value.is_structured())
    for (Json& part : value) make_huge(part);
}

TEST(ReportPage, NumbersNearTheLargestAreUnknownAndNeverInfinite) {
  RunRecord record = run_of(20);
  record.step_breakdown.emplace();
  record.step_breakdown->seconds = 0.0105;
  record.step_breakdown->compute = 0.009;
  record.prediction = predicted();
  record.prediction->links = {{.name = "a -> b"}};
  record.prediction->step.links = {{0, 1e6, 0.25}};
  record.timeline = TimelineRecord{7, 0.0105, {{"forward", 3, "compute", "cpu:0", 5, 0.0095}}};
  const NamedRecord usual = named(record);
  for (const auto& [name, ignored] : usual.record.items()) {
    NamedRecord huge = usual;
    make_huge(huge.record[name]);
    const std::string page = report_html(make_report({huge}));
    EXPECT_THAT(page, Not(testing::ContainsRegex("[^a-z]-?(inf|nan)[^a-z]"))) << name;
  }
}

TEST(ReportPage, RowsThatNoIntegerCountsAreNotCounted) {
  RunRecord record = run_of(20);
  record.timeline = TimelineRecord{7, 0.0105, {{"forward", 3, "compute", "cpu:0", 5, 0.0095}}};
  NamedRecord foreign = named(record);
  Json& left_out = foreign.record.at("timeline").at("rows_left_out");
  left_out = 3;
  EXPECT_THAT(report_html(make_report({foreign})), HasSubstr("and 3 more rows"));
  left_out = 1e30;
  EXPECT_THAT(report_html(make_report({foreign})), Not(HasSubstr("more rows")));
}

TEST(ReportPage, WhatIsNoRecordIsRefusedByName) {
  const auto message = [](const Json& record) {
    try {
      make_report({{"x.json", record}});
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kUsage);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message(Json::object()), HasSubstr("x.json: not a record of convoy"));
  EXPECT_THAT(message({{"schema_version", 2}}), HasSubstr("version 2"));
  EXPECT_THAT(message({{"schema_version", 1}, {"cells", {{{"repeats", {"no", "numbers"}}}}}}),
              HasSubstr("damaged"));
}

}  // namespace
}  // namespace convoy::report
