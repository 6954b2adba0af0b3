#include "core/report/trace.hpp"
#include "core/base/text/json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace convoy::report {
namespace {

std::vector<TraceEvent> example_events() {
  return {{"forward", 3, "compute", "cpu:0", 10.5, 0.25},
          {"copy", 4, "copy in", "cpu:0", 10.0, 0.5},
          {"forward", 5, "compute", "cpu:1", 10.5, 0.125}};
}

// The timed events, in the order of the file.
std::vector<nlohmann::json> timed(const nlohmann::json& trace) {
  std::vector<nlohmann::json> events;
  for (const auto& record : trace["traceEvents"])
    if (record["ph"] == "X") events.push_back(record);
  return events;
}

TEST(Trace, HasOneEventPerOperationInMicrosecondsFromTheEarliest) {
  const auto events = timed(parse_json(chrome_trace(example_events())));
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0]["name"], "copy");  // sorted by start
  const auto& forward = events[1];
  EXPECT_EQ(forward["name"], "forward");
  EXPECT_EQ(forward["cat"], "operation");
  EXPECT_EQ(forward["args"]["operation"], 3);
  EXPECT_DOUBLE_EQ(forward["ts"].get<double>(), 5e5);
  EXPECT_DOUBLE_EQ(forward["dur"].get<double>(), 2.5e5);
}

TEST(Trace, GivesDevicesProcessesAndLanesRows) {
  const auto trace = parse_json(chrome_trace(example_events()));
  const auto events = timed(trace);
  EXPECT_EQ(events[0]["pid"], events[1]["pid"]);
  EXPECT_NE(events[0]["tid"], events[1]["tid"]);
  EXPECT_NE(events[0]["pid"], events[2]["pid"]);
  std::vector<std::string> names;
  for (const auto& record : trace["traceEvents"])
    if (record["ph"] == "M" && record["args"].contains("name"))
      names.push_back(record["args"]["name"]);
  EXPECT_EQ(names, (std::vector<std::string>{"cpu:0", "compute", "copy in", "cpu:1", "compute"}));
}

TEST(Trace, LayersSayWhatComputedThemAndWaitsHaveNoOperation) {
  TraceEvent layer{"conv0 forward", 3, "compute", "cpu:0", 10.5, 0.125};
  layer.category = "layer";
  layer.implementation = "jit:avx2";
  TraceEvent wait{"batch of step 7", std::nullopt, "input", "host", 10.75, 0.125};
  const auto events = timed(parse_json(chrome_trace({layer, wait})));
  EXPECT_EQ(events.at(0)["cat"], "layer");
  EXPECT_EQ(events.at(0)["args"]["implementation"], "jit:avx2");
  EXPECT_FALSE(events.at(1)["args"].contains("operation")) << events.at(1);
}

TEST(Trace, SaysHowRightTheClocksOfItsTasksAre) {
  EXPECT_FALSE(parse_json(chrome_trace(example_events())).contains("otherData"));
  const auto trace = parse_json(chrome_trace(example_events(), {{"worker 1", 2e-4}}));
  EXPECT_EQ(trace["otherData"]["clock_error_seconds"]["worker 1"], 2e-4);
}

TEST(Trace, MayBeEmpty) {
  EXPECT_TRUE(parse_json(chrome_trace({}))["traceEvents"].empty());
}

}  // namespace
}  // namespace convoy::report
