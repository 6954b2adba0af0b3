#include "core/report/html/sections.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <variant>

#include "core/report/html/report.hpp"

namespace convoy::report::qualification_sections_test {

using testing::ElementsAre;

Json qualification() {
  const Json foreseen = {{"rate", 2e9}, {"error", 0.25}, {"least", 1.5e9}, {"source", "measured"}};
  Json measurement = {{"kind", "device"},     {"subject", "cpu:0"},      {"what", "product"},
                      {"unit", "FLOP/s"},     {"rate", 1.2e9},           {"bytes", 0},
                      {"foreseen", foreseen}, {"likes", nullptr},        {"share", 0.8},
                      {"slow", true},         {"reasons", Json::array()}};
  return {{"schema_version", 1},
          {"threshold", 0.9},
          {"passed", false},
          {"slow", {"cpu:0: product at 60 %"}},
          {"hosts", Json::array({Json{{"name", "host"},
                                      {"score", 0.8},
                                      {"devices", Json::array()},
                                      {"measurements", Json::array({std::move(measurement)})},
                                      {"clues", Json::array()},
                                      {"notices", Json::array()}}})}};
}

// As on a terminal: the share is of the minimum, not of the expected rate.
TEST(QualificationSections, SayWhatIsToBeReachedAtLeast) {
  const Report report = make_report({{"q.json", qualification()}});
  for (const Section& section : report.sections)
    for (const Figure& figure : section.figures) {
      const auto* const table = std::get_if<Table>(&figure);
      if (table == nullptr || table->title != "Devices: all rates") continue;
      EXPECT_THAT(table->heads, ElementsAre("of", "what", "measured", "expected", "minimum",
                                            "peers", "share", ""));
      ASSERT_EQ(table->rows.size(), 1u);
      EXPECT_THAT(table->rows.front(), ElementsAre("cpu:0", "product", "1.20 GFLOP/s", "2 GFLOP/s",
                                                   "1.50 GFLOP/s", "-", "80 %", "slow"));
      return;
    }
  FAIL() << "no table of the device's rates";
}

}  // namespace convoy::report::qualification_sections_test
