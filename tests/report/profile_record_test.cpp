#include "core/report/profile_record.hpp"
#include "core/base/text/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "core/report/run_record.hpp"

namespace convoy::report {
namespace {

using testing::HasSubstr;

LayerProfile convolution(const std::string& name, double seconds) {
  LayerProfile layer{name, "convolution", {}};
  for (PassProfile& pass : layer.passes) pass = {true, seconds, 0.001, 1e9, 1e6, "jit:avx2"};
  return layer;
}

ProfileRecord example() {
  ProfileRecord profile;
  profile.multiply_rate = 200e9;
  profile.stream_rate = 20e9;
  profile.step_seconds = 0.12;
  profile.unavoidable_bytes = 0.2e9;
  profile.layers = {convolution("conv0", 0.01), convolution("conv1", 0.02)};
  LayerProfile norm{"bn0", "batch_norm", {}};
  norm.passes[0] = {true, 0.002, 0, 0, 20e6, "own"};
  profile.layers.push_back(norm);
  return profile;
}

runtime::StepBreakdown example_breakdown() {
  return {1, 0.12, 0.1, 0.01, 0, 0.004, 0.006, {{"apply", {2, 0.008}}}, {}};
}

TEST(ProfileRecord, SumsThePrimitivesWithoutWhatSurroundsThem) {
  EXPECT_DOUBLE_EQ(example().primitives_seconds(), 0.09);
  EXPECT_DOUBLE_EQ(example().least_seconds(), 0.10);
}

TEST(ProfileRecord, TableHasRatesAndTheirSharesAndFitsTheScreen) {
  const std::string table = profile_table(example(), example_breakdown());
  EXPECT_THAT(table, HasSubstr("conv0                            10.000 100.0F  50%"));
  EXPECT_THAT(table, HasSubstr("bn0                               2.000  10.0B  50%"));
  EXPECT_THAT(table, HasSubstr("convolution                      30.000  66.7F  33%"));  // the sum
  EXPECT_THAT(table, HasSubstr("executor (gaps)"));
  EXPECT_THAT(table, HasSubstr("step / primitives 1.333"));
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 110u) << line;
}

TEST(ProfileRecord, IsPartOfTheRunsRecord) {
  RunRecord record;
  EXPECT_TRUE(parse_json(run_record_json(record)).at("profile").is_null());
  record.profile = example();
  record.step_breakdown = example_breakdown();
  const auto json = parse_json(run_record_json(record));
  EXPECT_DOUBLE_EQ(json.at("profile").at("primitives_seconds").get<double>(), 0.09);
  const auto& layer = json.at("profile").at("layers").at(2);
  EXPECT_EQ(layer.at("name"), "bn0");
  EXPECT_EQ(layer.at("passes").size(), 1u);
  EXPECT_DOUBLE_EQ(json.at("step_breakdown").at("input_wait").get<double>(), 0.004);
  EXPECT_DOUBLE_EQ(
      json.at("step_breakdown").at("operations").at("apply").at("per_step").get<double>(), 2);
}

}  // namespace
}  // namespace convoy::report
