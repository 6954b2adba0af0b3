#include "core/train/learning_rate.hpp"

#include <gtest/gtest.h>

#include <string>

#include "core/base/error.hpp"

namespace convoy {
namespace {

constexpr double kImagenetExamples = 1281167;
constexpr double kCifarExamples = 50000;

LearningRateRule resnet_rule() {
  return {.base_rate = 0.128,
          .reference_batch = 256,
          .divided_by_replicas_when_summed = true,
          .boundary_epochs = {30, 60, 80, 90},
          .boundary_multipliers = {1, 0.1, 0.01, 0.001, 0.0001},
          .warmup_epochs = 5};
}

LearningRateContext imagenet(double batch, int replicas = 1, bool summed = false) {
  return {batch, kImagenetExamples, replicas, summed};
}

// The rate after the warm-up and before the first boundary: what batch and replicas scale.
double scaled_base(const LearningRateOptions& options, const LearningRateContext& context) {
  const LearningRateSchedule schedule(options, resnet_rule(), context);
  return schedule.at(static_cast<std::int64_t>(context.examples_per_epoch / context.batch * 10));
}

void expect_usage_error(const LearningRateOptions& options, const std::string& mentioned) {
  try {
    const LearningRateSchedule schedule(options, {}, imagenet(32));
    FAIL() << "accepted, expected an error about " << mentioned;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    EXPECT_NE(std::string(error.what()).find(mentioned), std::string::npos) << error.what();
  }
}

TEST(LearningRate, ConstantRuleStaysAtItsRate) {
  const LearningRateSchedule schedule({}, {.base_rate = 0.005}, imagenet(64));
  EXPECT_EQ(schedule.at(0), 0.005);
  EXPECT_EQ(schedule.at(10'000'000), 0.005);
}

TEST(LearningRate, ResnetRuleWarmsUpAndStepsDown) {
  const LearningRateSchedule schedule({}, resnet_rule(), imagenet(256));
  EXPECT_EQ(schedule.at(0), 0);
  EXPECT_NEAR(schedule.at(12511), 0.064, 1e-12);
  EXPECT_NEAR(schedule.at(150136), 0.128, 1e-12);
  EXPECT_NEAR(schedule.at(150137), 0.0128, 1e-12);
  EXPECT_NEAR(schedule.at(300273), 0.0128, 1e-12);
  EXPECT_NEAR(schedule.at(300274), 0.00128, 1e-12);
  EXPECT_NEAR(schedule.at(10'000'000), 1.28e-5, 1e-15);
}

TEST(LearningRate, ResnetBaseRateScalesWithTheBatch) {
  EXPECT_NEAR(scaled_base({}, imagenet(128)), 0.064, 1e-12);
  EXPECT_NEAR(scaled_base({}, imagenet(512, 2)), 0.256, 1e-12);
  EXPECT_NEAR(scaled_base({.resnet_base_rate = 0.05}, imagenet(256)), 0.05, 1e-12);
}

TEST(LearningRate, ResnetBaseRateIsDividedOnlyWhereGradientsAreSummed) {
  EXPECT_NEAR(scaled_base({}, imagenet(2048, 8, true)), 0.128, 1e-12);
  EXPECT_NEAR(scaled_base({}, imagenet(13, 2, true)), 0.00325, 1e-12);
  EXPECT_NEAR(scaled_base({}, imagenet(2048, 8, false)), 1.024, 1e-12);
}

TEST(LearningRate, CifarResnetRuleCountsWholeStepsPerEpoch) {
  const LearningRateRule rule = {.base_rate = 0.1,
                                 .boundary_epochs = {82, 123, 300},
                                 .boundary_multipliers = {1, 0.1, 0.01, 0.002},
                                 .whole_steps_per_epoch = true};
  const LearningRateSchedule schedule({}, rule, {128, kCifarExamples, 1, false});
  EXPECT_EQ(schedule.at(0), 0.1);
  EXPECT_EQ(schedule.at(82 * 390), 0.1);
  EXPECT_NEAR(schedule.at(82 * 390 + 1), 0.01, 1e-15);
  EXPECT_NEAR(schedule.at(123 * 390 + 1), 0.001, 1e-15);
  EXPECT_NEAR(schedule.at(300 * 390 + 1), 0.0002, 1e-15);
}

TEST(LearningRate, CifarAlexnetRuleDecaysEveryHundredEpochs) {
  const LearningRateRule rule = {.base_rate = 0.1, .decay_epochs = 100, .decay_factor = 0.1};
  const LearningRateSchedule schedule({}, rule, {128, kCifarExamples, 1, false});
  EXPECT_EQ(schedule.at(39061), 0.1) << "100 * 50000 / 128 = 39062.5";
  EXPECT_NEAR(schedule.at(39062), 0.01, 1e-15);
  EXPECT_NEAR(schedule.at(2 * 39062), 0.001, 1e-15);
}

TEST(LearningRate, InitialRateWithWarmUpWinsOverTheRule) {
  const LearningRateSchedule schedule({.init_learning_rate = 1, .warmup_epochs = 5}, resnet_rule(),
                                      imagenet(256));
  EXPECT_EQ(schedule.at(0), 0);
  EXPECT_NEAR(schedule.at(12511), 0.5, 1e-12);
  EXPECT_EQ(schedule.at(25022), 1);
  EXPECT_EQ(schedule.at(10'000'000), 1);
}

TEST(LearningRate, DecaysInStairsDownToTheFloor) {
  const LearningRateOptions options = {
      .init_learning_rate = 1, .num_epochs_per_decay = 2, .decay_factor = 0.5, .minimum = 0.375};
  const LearningRateSchedule schedule(options, {}, imagenet(32));
  EXPECT_EQ(schedule.at(80071), 1);
  EXPECT_EQ(schedule.at(80072), 0.5);
  EXPECT_EQ(schedule.at(160144), 0.375);
}

TEST(LearningRate, PiecewiseScheduleSwitchesExactlyAtTheEpoch) {
  const LearningRateSchedule schedule({.piecewise_schedule = "1;3;.1;5;.01"}, {}, imagenet(32));
  EXPECT_EQ(schedule.at(120108), 1);
  EXPECT_EQ(schedule.at(120109), 0.1);
  EXPECT_EQ(schedule.at(200181), 0.1);
  EXPECT_EQ(schedule.at(200182), 0.01);
}

TEST(LearningRate, PiecewiseScheduleMayWarmUp) {
  const LearningRateSchedule schedule({.piecewise_schedule = "2;30;1", .warmup_epochs = 1}, {},
                                      {100, 1000, 1, false});
  EXPECT_NEAR(schedule.at(5), 1, 1e-12);
  EXPECT_EQ(schedule.at(10), 2);
  EXPECT_EQ(schedule.at(300), 1);
}

TEST(LearningRate, IncompleteDecayIsRefused) {
  expect_usage_error({.init_learning_rate = 1, .decay_factor = 0.5}, "num_epochs_per_decay");
  expect_usage_error({.num_epochs_per_decay = 2, .decay_factor = 0.5}, "init_learning_rate");
  expect_usage_error({.init_learning_rate = 1, .minimum = 0.1}, "minimum_learning_rate");
}

TEST(LearningRate, ScheduleExcludesTheOtherFlags) {
  expect_usage_error({.init_learning_rate = 1, .piecewise_schedule = "1;3;.1"},
                     "init_learning_rate");
  expect_usage_error({.piecewise_schedule = "1;3;.1", .minimum = 0.1}, "minimum_learning_rate");
}

TEST(LearningRate, MalformedSchedulesAreRefused) {
  expect_usage_error({.piecewise_schedule = "1;3"}, "odd");
  expect_usage_error({.piecewise_schedule = ""}, "''");
  expect_usage_error({.piecewise_schedule = "1;3;x"}, "'x'");
  expect_usage_error({.piecewise_schedule = "1;2.5;1"}, "'2.5'");
  expect_usage_error({.piecewise_schedule = "1;5;.1;3;.01"}, "increase");
}

TEST(LearningRate, FlagsThatWouldHaveNoEffectAreRefused) {
  expect_usage_error({.warmup_epochs = 5}, "num_learning_rate_warmup_epochs");
  expect_usage_error({.resnet_base_rate = 0.05}, "resnet_base_lr");
}

}  // namespace
}  // namespace convoy
