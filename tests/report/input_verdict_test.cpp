#include "core/report/input_verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/report/run_record.hpp"

namespace convoy::report {
namespace {

using testing::HasSubstr;

TEST(InputVerdict, NamesTheInputWhenWaitingCosts) {
  const InputVerdict verdict = judge_input({.images = 800, .seconds = 10, .wait_seconds = 2});
  EXPECT_TRUE(verdict.bound);
  EXPECT_DOUBLE_EQ(verdict.wait_share, 0.2);
  EXPECT_DOUBLE_EQ(verdict.images_per_second, 80);
  EXPECT_DOUBLE_EQ(verdict.images_per_second_without_wait, 100);
  EXPECT_THAT(input_line(verdict), HasSubstr("input-bound: 80.00 images/sec, 100.00 without"));
}

TEST(InputVerdict, SaysSoWhenTheInputKeepsUp) {
  const InputVerdict verdict = judge_input({.images = 100, .seconds = 10, .wait_seconds = 0.2});
  EXPECT_FALSE(verdict.bound);
  EXPECT_THAT(input_line(verdict), HasSubstr("input keeps up: 10.00 images/sec, 10.20 without"));
}

TEST(InputVerdict, ARunThatOnlyWaitedHasNoSpeedWithoutWaiting) {
  const InputVerdict verdict = judge_input({.images = 100, .seconds = 10, .wait_seconds = 11});
  EXPECT_TRUE(verdict.bound);
  EXPECT_DOUBLE_EQ(verdict.images_per_second_without_wait, 10);
}

TEST(InputSpeed, IsGivenPerCoreAndPerSecondOfProcessorTime) {
  const InputSpeed speed = {
      .images = 4000, .threads = 3, .cores = 2, .seconds = 2, .processor_seconds = 3.2};
  EXPECT_DOUBLE_EQ(speed.images_per_second(), 2000);
  EXPECT_DOUBLE_EQ(speed.images_per_second_and_core(), 1000);
  EXPECT_DOUBLE_EQ(speed.images_per_processor_second(), 1250);
  EXPECT_EQ(
      input_speed_line(speed),
      "input only: 2000.0 images/sec with 3 threads, 1000.0 images/sec/core (2 cores), 1250.0 "
      "images per second of processor time");
}

TEST(InputVerdict, IsPartOfTheRecord) {
  RunRecord record;
  EXPECT_THAT(run_record_json(record), HasSubstr("\"input\": null"));
  record.input = judge_input({.images = 800, .seconds = 10, .wait_seconds = 2});
  record.input_only = InputSpeed{.images = 4000, .cores = 2, .seconds = 2, .processor_seconds = 4};
  const std::string json = run_record_json(record);
  EXPECT_THAT(json, HasSubstr("\"images_per_sec_without_wait\": 100.0"));
  EXPECT_THAT(json, HasSubstr("\"input_bound\": true"));
  EXPECT_THAT(json, HasSubstr("\"images_per_sec_and_core\": 1000.0"));
}

}  // namespace
}  // namespace convoy::report
