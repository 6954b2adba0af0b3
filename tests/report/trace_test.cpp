#include "core/report/trace.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace convoy {
namespace {

std::vector<TraceEvent> example_events() {
  return {{"forward", 3, "compute", "cpu:0", 10.5, 0.25},
          {"copy", 4, "copy in", "cpu:0", 10.0, 0.5},
          {"forward", 5, "compute", "cpu:1", 10.5, 0.125}};
}

TEST(Trace, HasOneEventPerOperationInMicrosecondsFromTheEarliest) {
  const auto trace = nlohmann::json::parse(chrome_trace(example_events()));
  const auto& forward = trace["traceEvents"][0];
  EXPECT_EQ(forward["ph"], "X");
  EXPECT_EQ(forward["name"], "forward");
  EXPECT_EQ(forward["args"]["operation"], 3);
  EXPECT_DOUBLE_EQ(forward["ts"].get<double>(), 5e5);
  EXPECT_DOUBLE_EQ(forward["dur"].get<double>(), 2.5e5);
}

TEST(Trace, GivesDevicesProcessesAndLanesRows) {
  const auto trace = nlohmann::json::parse(chrome_trace(example_events()));
  const auto& records = trace["traceEvents"];
  EXPECT_EQ(records[0]["pid"], records[1]["pid"]);
  EXPECT_NE(records[0]["tid"], records[1]["tid"]);
  EXPECT_NE(records[0]["pid"], records[2]["pid"]);
  std::vector<std::string> names;
  for (const auto& record : records) {
    if (record["ph"] == "M") names.push_back(record["args"]["name"]);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"cpu:0", "compute", "copy in", "cpu:1", "compute"}));
}

TEST(Trace, MayBeEmpty) {
  EXPECT_TRUE(nlohmann::json::parse(chrome_trace({}))["traceEvents"].empty());
}

}  // namespace
}  // namespace convoy
