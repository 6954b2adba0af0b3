#include "core/report/html/sections.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace convoy::report::comparison_sections_test {

using testing::ElementsAre;

Json cell(const char* strategy, unsigned devices, double rate, const char* verdict) {
  return {{"model", "lenet"},   {"strategy", strategy},
          {"devices", devices}, {"images_per_second", rate},
          {"verdict", verdict}, {"efficiency", rate / (100 * devices)}};
}

Json without_rate(const char* model, unsigned devices) {
  return {{"model", model},
          {"strategy", "horovod"},
          {"devices", devices},
          {"exit_code", 2},
          {"problem", "one device per process"},
          {"images_per_second", nullptr}};
}

Json comparison() {
  Json automatic = cell("auto", 2, 180, "synchronous");
  automatic["taken"] = "--variable_update=replicated";
  return {{"schema_version", 1},
          {"simulated", true},
          {"machine", "dgx1-p100"},
          {"cells",
           {cell("replicated", 1, 100, "synchronous"), cell("replicated", 2, 150, "synchronous"),
            cell("independent", 1, 100, "independent"), cell("independent", 2, 200, "independent"),
            without_rate("lenet", 2), without_rate("alexnet", 2), without_rate("lenet", 4),
            std::move(automatic)}}};
}

std::vector<Table> tables_of(const Json& record) {
  std::vector<Table> tables;
  for (const Figure& figure : comparison_tables({record, "c.json", 0, true, ""}))
    tables.push_back(std::get<Table>(figure));
  return tables;
}

TEST(ComparisonSections, TheEnvironmentHasEveryOriginOfLayersTimesOnce) {
  Json record = comparison();
  record["convoy_version"] = "1.2.3";
  record["cells"][0]["layer_times"] = record["cells"][1]["layer_times"] = "roofline";
  record["cells"][2]["layer_times"] = "calibrated";
  record["cells"][1]["threads_per_device"] = record["cells"][2]["threads_per_device"] = 2;
  const std::vector<Figure> figures = rows_environment({record, "c.json", 0, true, ""});
  EXPECT_THAT(std::get<Table>(figures.at(0)).rows,
              ElementsAre(ElementsAre("layers' times", "roofline"),
                          ElementsAre("layers' times", "calibrated"),
                          ElementsAre("threads per device", "2"), ElementsAre("convoy", "1.2.3"),
                          ElementsAre("record", "c.json")));
}

TEST(ComparisonSections, TheFastestSharesWhatItTrains) {
  const Json record = comparison();
  EXPECT_EQ(comparison_verdict({record, "c.json", 0, true, ""}).front(),
            "lenet on 2 devices: auto is fastest with 180 images/s, 90.0 % of linear scaling; next "
            "is replicated, 16.7 % slower.");
}

TEST(ComparisonSections, AnApproximationStandsBesideTheFastestThatIsNone) {
  Json record = comparison();
  record["cells"].push_back(cell("onebit", 2, 200, "approximate (nothing is lost)"));
  record["cells"].push_back(cell("topk", 2, 190, "approximate (nothing is lost)"));
  EXPECT_EQ(comparison_verdict({record, "c.json", 0, true, ""}).front(),
            "lenet on 2 devices: onebit (approximate) is fastest with 200 images/s, 100.0 % of "
            "linear scaling; the fastest synchronous one is auto, 10.0 % slower.");
}

TEST(ComparisonSections, WhatSharesNothingIsNotTheNext) {
  Json record = comparison();
  record["cells"].erase(record["cells"].size() - 1);
  EXPECT_EQ(comparison_verdict({record, "c.json", 0, true, ""}).front(),
            "lenet on 2 devices: replicated is fastest with 150 images/s, 75.0 % of linear "
            "scaling.");
}

TEST(ComparisonSections, OneRowPerStrategyTheFastestFirst) {
  const std::vector<Table> tables = tables_of(comparison());
  ASSERT_EQ(tables.size(), 3u);
  EXPECT_THAT(tables[0].heads,
              ElementsAre("strategy", "1 device", "2 devices", "what it computes"));
  EXPECT_THAT(
      tables[0].rows,
      ElementsAre(
          ElementsAre("independent", "100 (100.0\u00a0%)", "200 (100.0\u00a0%)", "independent"),
          ElementsAre("auto", "-", "180 (90.0\u00a0%)", "synchronous"),
          ElementsAre("replicated", "100 (100.0\u00a0%)", "150 (75.0\u00a0%)", "synchronous")));
}

TEST(ComparisonSections, ChoicesAndReasonsAreSaidOnce) {
  const std::vector<Table> tables = tables_of(comparison());
  ASSERT_EQ(tables.size(), 3u);
  EXPECT_THAT(tables[1].rows,
              ElementsAre(ElementsAre("lenet", "2", "auto", "--variable_update=replicated")));
  EXPECT_THAT(tables[2].rows,
              ElementsAre(ElementsAre("horovod", "2, 4", "one device per process")));
}

}  // namespace convoy::report::comparison_sections_test
