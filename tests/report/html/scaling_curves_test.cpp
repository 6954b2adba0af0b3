#include "core/report/html/scaling_curves.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/report/html/report.hpp"

namespace convoy::report::scaling_curves_test {
namespace {

using testing::ElementsAre;

Json simulation(const char* machine, std::uint32_t hosts, std::uint32_t batch, double rate) {
  return {{"schema_version", 1},
          {"simulated", true},
          {"model", "lenet"},
          {"strategy", "replicated"},
          {"strategy_options", {{"all_reduce_spec", "nccl"}}},
          {"machine", hosts == 1 ? machine : std::to_string(hosts) + " x " + machine},
          {"software", "convoy (this program)"},
          {"hosts", hosts},
          {"batch_per_device", batch},
          {"compute_dtype", "f32"},
          {"one_device_images_per_second", rate / (8 * hosts)},
          {"results", Json::array({Json{{"devices", 8 * hosts}, {"images_per_second", rate}}})}};
}

Json comparison(const char* machine, std::uint32_t batch, double rate) {
  Json record = {{"schema_version", 1}, {"simulated", true}, {"machine", machine}};
  for (const double devices : {1.0, 8.0})
    record["cells"].push_back({{"model", "lenet"},
                               {"strategy", "replicated"},
                               {"machine", machine},
                               {"hosts", 1},
                               {"batch_per_device", batch},
                               {"compute_dtype", "f32"},
                               {"devices", devices},
                               {"images_per_second", rate * devices}});
  return record;
}

Json run(const char* device, const char* dtype, std::uint32_t batch, std::uint32_t devices) {
  return {{"schema_version", 1},
          {"model", "lenet"},
          {"strategy", {{"name", "replicated"}}},
          {"compute_dtype", dtype},
          {"devices", Json::array({Json{{"kind", "cpu"}, {"model", device}}})},
          {"batch_per_device", batch},
          {"global_batch", batch * devices},
          {"total", {{"images_per_sec", 100.0 * devices}}},
          {"steps", Json::array()}};
}

Json sweep_row(std::uint32_t hosts, std::uint32_t devices_per_host, double rate) {
  return {{"machine", "dgx1-p100"},
          {"model", "lenet"},
          {"variable_update", "replicated"},
          {"batch_per_device", 32},
          {"hosts", hosts},
          {"devices_per_host", devices_per_host},
          {"devices", hosts * devices_per_host},
          {"compute_dtype", "f32"},
          {"images_per_second", rate},
          {"one_device_images_per_second", 100},
          {"efficiency", 0.5},
          {"step_seconds", 0.1},
          {"bottleneck", "compute"},
          {"taken", ""},
          {"exit_code", 0},
          {"problem", ""}};
}

Json sweep(const std::vector<Json>& rows) {
  return {{"schema_version", 1}, {"simulated", true}, {"points", rows}};
}

// A chart of the section with the curves.
LineChart scaling_chart(const std::vector<Json>& records, std::size_t chart = 0) {
  std::vector<NamedRecord> named;
  named.reserve(records.size());
  for (const Json& record : records) named.push_back({"x.json", record});
  const Report report = make_report(named);
  EXPECT_EQ(report.sections.front().id, "scaling");
  return std::get<LineChart>(report.sections.front().figures.at(chart));
}

std::vector<std::string> labels(const LineChart& chart) {
  std::vector<std::string> labels;
  for (const Series& series : chart.series) labels.push_back(series.label);
  return labels;
}

bool any_range(const LineChart& chart) {
  for (const Series& series : chart.series)
    for (const Point& point : series.points)
      if (point.range) return true;
  return false;
}

TEST(ScalingCurves, UnlikeMachinesAreCurvesWithLinearLinesOfTheirOwn) {
  const std::vector<Json> records = {simulation("hgx-h100x8", 2, 64, 32000),
                                     simulation("dgx-a100", 2, 64, 16000)};
  const LineChart rates = scaling_chart(records);
  EXPECT_THAT(labels(rates),
              ElementsAre("replicated, simulated, dgx-a100", "replicated, simulated, hgx-h100x8",
                          "linear, dgx-a100", "linear, hgx-h100x8"));
  EXPECT_FALSE(any_range(rates));
  EXPECT_EQ(rates.series[0].points.back().y, 16000);
  EXPECT_EQ(rates.series[2].points.back().y, 16000);
  EXPECT_EQ(rates.series[3].points.back().y, 32000);
  const LineChart efficiency = scaling_chart(records, 1);
  ASSERT_EQ(efficiency.series.size(), 3u);
  EXPECT_DOUBLE_EQ(efficiency.series[0].points.back().y, 1);
  EXPECT_DOUBLE_EQ(efficiency.series[1].points.back().y, 1);
}

TEST(ScalingCurves, InferenceHasALinearLineOfItsOwn) {
  Json inference = run("Processor", "f32", 32, 1);
  inference["mode"] = "forward only";
  inference["total"]["images_per_sec"] = 400;
  const std::vector<Json> records = {run("Processor", "f32", 32, 1), run("Processor", "f32", 32, 2),
                                     inference};
  EXPECT_THAT(labels(scaling_chart(records)), ElementsAre("replicated", "replicated, forward only",
                                                          "linear", "linear, forward only"));
  const LineChart efficiency = scaling_chart(records, 1);
  EXPECT_DOUBLE_EQ(efficiency.series[0].points.back().y, 1);
}

TEST(ScalingCurves, UnlikeBatchesAndArithmeticAreCurvesOfTheirOwn) {
  EXPECT_THAT(labels(scaling_chart(
                  {simulation("dgx-a100", 2, 32, 9000), simulation("dgx-a100", 2, 256, 16000)})),
              ElementsAre("replicated, simulated, batch 256", "replicated, simulated, batch 32",
                          "linear, batch 256", "linear, batch 32"));
  Json half = simulation("dgx-a100", 2, 32, 16000);
  half["compute_dtype"] = "half";
  EXPECT_THAT(labels(scaling_chart({simulation("dgx-a100", 2, 32, 9000), half})),
              ElementsAre("replicated, simulated, 16-bit", "replicated, simulated, 32-bit",
                          "linear, 16-bit", "linear, 32-bit"));
}

TEST(ScalingCurves, OfManyCurvesTheFastestAreDrawn) {
  Json record = comparison("dgx-a100", 32, 900);
  const Json slow = record["cells"][1];
  for (const char name : std::string("abcdefghij")) {
    record["cells"].push_back(slow);
    record["cells"].back()["strategy"] = std::string(1, name);
    record["cells"].back()["images_per_second"] = 100 + name;
  }
  const LineChart chart = scaling_chart({record});
  EXPECT_THAT(labels(chart), ElementsAre("d, simulated", "e, simulated", "f, simulated",
                                         "g, simulated", "h, simulated", "i, simulated",
                                         "j, simulated", "replicated, simulated", "linear"));
  EXPECT_EQ(chart.note, "the fastest 8 of 11");
  EXPECT_EQ(scaling_chart({record}, 1).note, chart.note);
  EXPECT_EQ(scaling_chart({comparison("dgx-a100", 32, 900)}).note, "");
}

TEST(ScalingCurves, ComparisonsAndRunsAreToldApartLikewise) {
  EXPECT_THAT(
      labels(scaling_chart({comparison("dgx-a100", 32, 900), comparison("hgx-h100x8", 64, 1800)})),
      ElementsAre("replicated, simulated, dgx-a100, batch 32",
                  "replicated, simulated, hgx-h100x8, batch 64", "linear, dgx-a100, batch 32",
                  "linear, hgx-h100x8, batch 64"));
  EXPECT_THAT(labels(scaling_chart({run("one", "f32", 8, 1), run("other", "f32", 8, 2)})),
              ElementsAre("replicated, one", "replicated, other", "linear, one"));
  EXPECT_THAT(labels(scaling_chart({run("one", "f32", 8, 1), run("one", "bf16", 8, 2)})),
              ElementsAre("replicated, 16-bit", "replicated, 32-bit", "linear, 32-bit"));
}

TEST(ScalingCurves, UnlikeSoftwareIsACurveOfItsOwn) {
  Json other = comparison("dgx-a100", 32, 900);
  for (Json& cell : other["cells"]) cell["software"] = "horovod (its paper)";
  Json rows = sweep({sweep_row(1, 8, 700)});
  rows["points"][0]["software"] = "convoy (this program)";
  rows["points"][0]["machine"] = "dgx-a100";
  EXPECT_THAT(labels(scaling_chart({other, rows})),
              ElementsAre("replicated, simulated, convoy", "replicated, simulated, horovod",
                          "linear, convoy", "linear, horovod"));
}

TEST(ScalingCurves, SimulationsOfMoreHostsGoOnWithTheCurve) {
  const LineChart rates =
      scaling_chart({simulation("dgx-a100", 1, 64, 8000), simulation("dgx-a100", 2, 64, 16000)});
  EXPECT_THAT(labels(rates), ElementsAre("replicated, simulated", "linear"));
  EXPECT_EQ(rates.series[0].points.size(), 3u);  // one device, too
}

TEST(ScalingCurves, OptionsTellApartWhatWouldElseBeOnePoint) {
  const Json nccl = simulation("dgx-a100", 1, 64, 8000);
  Json ring = simulation("dgx-a100", 1, 64, 7000);
  ring["strategy_options"]["all_reduce_spec"] = "xring";
  const LineChart rates = scaling_chart({nccl, ring});
  EXPECT_THAT(labels(rates), ElementsAre("replicated, simulated, all_reduce_spec=nccl",
                                         "replicated, simulated, all_reduce_spec=xring", "linear"));
  EXPECT_FALSE(any_range(rates));
}

TEST(ScalingCurves, ASweepOverHostsIsACurveFromOneDeviceOn) {
  const LineChart rates = scaling_chart({sweep({sweep_row(1, 4, 390), sweep_row(2, 4, 700)})});
  EXPECT_THAT(labels(rates), ElementsAre("replicated, simulated", "linear"));
  ASSERT_EQ(rates.series[0].points.size(), 3u);
  EXPECT_EQ(rates.series[0].points[0].y, 100);
  EXPECT_EQ(rates.series[0].points[2].y, 700);
}

TEST(ScalingCurves, AsManyDevicesOnMoreHostsAreAnotherCurve) {
  const LineChart rates =
      scaling_chart({sweep({sweep_row(1, 4, 390), sweep_row(1, 8, 780), sweep_row(2, 4, 700)})});
  EXPECT_THAT(labels(rates), ElementsAre("replicated, simulated, 4 per host",
                                         "replicated, simulated, 8 per host", "linear"));
  EXPECT_FALSE(any_range(rates));
  EXPECT_EQ(rates.series[0].points.size(), 3u);
  EXPECT_EQ(rates.series[1].points.size(), 2u);  // both begin with one device
}

TEST(ScalingCurves, ASweepsRecordMakesAReport) {
  Json refused = sweep_row(4, 4, 0);
  refused["images_per_second"] = nullptr;
  refused["problem"] = "does not fit";
  const Report report =
      make_report({{"s.json", sweep({sweep_row(1, 4, 390), sweep_row(2, 4, 700), refused})}});
  EXPECT_EQ(report.title, "Sweep of 3 points, simulated");
  ASSERT_EQ(report.verdicts.size(), 1u);
  EXPECT_EQ(report.verdicts.front(),
            "Simulated, lenet is fastest at 700 images/s on 8 devices of dgx1-p100 with replicated "
            "and batch 32: 50.0 % of linear scaling, limited by compute. 1 point has no rate; the "
            "table says why.");
  ASSERT_EQ(report.sections.size(), 3u);
  const auto& table = std::get<Table>(report.sections[1].figures.front());
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_THAT(table.rows[2], testing::Contains("none: does not fit"));
}

}  // namespace
}  // namespace convoy::report::scaling_curves_test
