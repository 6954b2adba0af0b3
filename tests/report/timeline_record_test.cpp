#include "core/report/timeline_record.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/text/json.hpp"

namespace convoy::report {
namespace {

TEST(TimelineRecord, NumbersRowsByDeviceAndCountsTimeFromTheFirstEvent) {
  TimelineRecord record{7, 0.5, {}};
  record.events = {{"forward a", 4, "compute", "cpu:10", 2.5, 0.1},
                   {"forward a", 3, "compute", "cpu:2", 2.25, 0.2},
                   {"conv1 forward", 3, "compute", "cpu:2", 2.25, 0.1, "layer"},
                   {"step 7", std::nullopt, "steps", "host", 2.0, 1, "step"}};
  const nlohmann::json shown = to_json(record);
  EXPECT_EQ(shown["rows"], parse_json(R"([["cpu:2","compute"],["cpu:10","compute"]])"));
  EXPECT_EQ(shown["events"],
            parse_json(R"([[0,0.0,0.2,"forward a",3],[1,0.25,0.1,"forward a",4]])"));
  EXPECT_EQ(shown["step"], 7);
  EXPECT_EQ(shown["rows_left_out"], 0);
}

TEST(TimelineRecord, LeavesOutWholeRowsOfVeryManyDevices) {
  TimelineRecord record;
  for (int device = 0; device < 30; ++device)
    for (int i = 0; i < 1000; ++i)
      record.events.push_back({"sum", i, "update", "cuda:" + std::to_string(device), 0.001 * i, 0});
  const auto shown = to_json(record);
  EXPECT_EQ(shown["rows"].size(), 10u);
  EXPECT_EQ(shown["rows_left_out"], 20);
  EXPECT_EQ(shown["rows"].back()[0], "cuda:9");
}

}  // namespace
}  // namespace convoy::report
