#include "core/report/trace.hpp"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"

namespace convoy {
namespace {

using Json = nlohmann::json;

const std::vector<TraceEvent> kEvents = {
    {"forward conv0", 3, "/gpu:0", "compute", 0.0, 0.002},
    {"copy gradients", 7, "/gpu:0", "copy out", 0.001, 0.0005},
    {"forward conv0", 4, "/gpu:1", "compute", 0.0, 0.002},
    {"forward conv1", 5, "/gpu:0", "compute", 0.002, 0.001},
};

std::vector<Json> events_of_phase(const std::string& phase) {
  std::vector<Json> result;
  const Json trace = Json::parse(to_chrome_trace(kEvents));
  for (const auto& event : trace["traceEvents"]) {
    if (event["ph"] == phase) result.push_back(event);
  }
  return result;
}

TEST(Trace, EventsCarryTheirOperationAndMicroseconds) {
  const auto events = events_of_phase("X");
  ASSERT_EQ(events.size(), kEvents.size());
  EXPECT_EQ(events[1]["name"], "copy gradients");
  EXPECT_EQ(events[1]["args"]["operation"], 7);
  EXPECT_DOUBLE_EQ(events[1]["ts"].get<double>(), 1000);
  EXPECT_DOUBLE_EQ(events[1]["dur"].get<double>(), 500);
}

TEST(Trace, DevicesAreProcessesAndLanesAreRows) {
  const auto events = events_of_phase("X");
  EXPECT_EQ(events[0]["pid"], events[1]["pid"]);
  EXPECT_NE(events[0]["pid"], events[2]["pid"]);
  EXPECT_NE(events[0]["tid"], events[1]["tid"]);
  EXPECT_EQ(events[0]["tid"], events[3]["tid"]);
}

TEST(Trace, MetadataNamesEveryProcessAndRow) {
  std::map<int, std::string> processes;
  std::map<std::pair<int, int>, std::string> rows;
  for (const auto& event : events_of_phase("M")) {
    if (event["name"] == "process_name") processes[event["pid"]] = event["args"]["name"];
    if (event["name"] == "thread_name") rows[{event["pid"], event["tid"]}] = event["args"]["name"];
  }
  const auto events = events_of_phase("X");
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(processes[events[i]["pid"]], kEvents[i].device);
    const std::pair<int, int> row = {events[i]["pid"], events[i]["tid"]};
    EXPECT_EQ(rows[row], kEvents[i].lane);
  }
}

TEST(Trace, UnwritablePathIsAnError) {
  EXPECT_THROW(write_trace(kEvents, "/nonexistent/folder/trace.json"), Error);
}

}  // namespace
}  // namespace convoy
