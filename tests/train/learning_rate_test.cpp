#include "core/train/learning_rate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/base/error.hpp"

namespace convoy::train {
namespace {

constexpr double kImageNetTraining = 1281167;
constexpr double kCifarTraining = 50000;
constexpr double kRateTolerance = 1e-12;

convoy_rate_rule constant_rule(double base) {
  convoy_rate_rule rule{};
  rule.kind = CONVOY_RATE_CONSTANT;
  rule.base = base;
  return rule;
}

convoy_rate_rule piecewise_rule(double base, const std::vector<double>& epochs,
                                const std::vector<double>& multipliers) {
  convoy_rate_rule rule = constant_rule(base);
  rule.kind = CONVOY_RATE_PIECEWISE;
  rule.boundaries = static_cast<std::uint32_t>(epochs.size());
  std::copy(epochs.begin(), epochs.end(), rule.boundary_epochs);
  std::copy(multipliers.begin(), multipliers.end(), rule.multipliers);
  return rule;
}

convoy_rate_rule resnet_rule() {
  convoy_rate_rule rule = piecewise_rule(0.128, {30, 60, 80, 90}, {0.1, 0.01, 0.001, 0.0001});
  rule.reference_batch = 256;
  rule.warmup_epochs = 5;
  return rule;
}

LearningRateContext imagenet(double batch, std::uint32_t replicas = 1, bool summed = false) {
  return {batch, kImageNetTraining, replicas, summed};
}

void expect_usage_error(const LearningRateOptions& options, const std::string& needle) {
  try {
    check_learning_rate_options(options);
    ADD_FAILURE() << "no error; expected one about " << needle;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    EXPECT_NE(std::string(error.what()).find(needle), std::string::npos) << error.what();
  }
}

TEST(LearningRate, ResnetRuleStartsAtZeroAndSwitchesAfterItsBoundaries) {
  const LearningRateSchedule schedule({}, resnet_rule(), imagenet(256));
  EXPECT_EQ(schedule.at(0), 0);
  EXPECT_NEAR(schedule.at(12511), 0.064, kRateTolerance);
  EXPECT_NEAR(schedule.at(25022), 0.128, kRateTolerance);
  EXPECT_NEAR(schedule.at(150136), 0.128, kRateTolerance);
  EXPECT_NEAR(schedule.at(150137), 0.0128, kRateTolerance);
  EXPECT_NEAR(schedule.at(300273), 0.0128, kRateTolerance);
  EXPECT_NEAR(schedule.at(300274), 0.00128, kRateTolerance);
  EXPECT_NEAR(schedule.at(10'000'000), 1.28e-5, kRateTolerance);
}

// Steps just behind the warm-up have the scaled base rate.
double scaled_base(const LearningRateOptions& options, const LearningRateContext& context) {
  const auto after_warmup = static_cast<std::int64_t>(6 * kImageNetTraining / context.batch);
  return LearningRateSchedule(options, resnet_rule(), context).at(after_warmup);
}

TEST(LearningRate, ResnetBaseScalesWithTheBatchAndBySumsOnlyWithTheReplicas) {
  EXPECT_NEAR(scaled_base({}, imagenet(128)), 0.064, kRateTolerance);
  EXPECT_NEAR(scaled_base({}, imagenet(2048, 8, true)), 0.128, kRateTolerance);
  EXPECT_NEAR(scaled_base({}, imagenet(512, 2)), 0.256, kRateTolerance);
  EXPECT_NEAR(scaled_base({}, imagenet(13, 2, true)), 0.00325, kRateTolerance);
  EXPECT_NEAR(scaled_base({}, imagenet(13, 2)), 0.0065, kRateTolerance);
}

TEST(LearningRate, ResnetBaseCanBeReplaced) {
  LearningRateOptions options;
  options.resnet_base_lr = 0.05;
  EXPECT_NEAR(scaled_base(options, imagenet(256)), 0.05, kRateTolerance);
  EXPECT_THROW(LearningRateSchedule(options, constant_rule(0.005), imagenet(32)), Error);
}

TEST(LearningRate, WarmsUpToAnInitialRate) {
  LearningRateOptions options;
  options.init_learning_rate = 1;
  options.num_learning_rate_warmup_epochs = 5;
  const LearningRateSchedule schedule(options, resnet_rule(), imagenet(256));
  EXPECT_EQ(schedule.at(0), 0);
  EXPECT_NEAR(schedule.at(12511), 0.5, kRateTolerance);
  EXPECT_EQ(schedule.at(25022), 1);
  EXPECT_EQ(schedule.at(10'000'000), 1);
}

TEST(LearningRate, DecaysInStepsDownToAFloor) {
  LearningRateOptions options;
  options.init_learning_rate = 1;
  options.learning_rate_decay_factor = 0.5;
  options.num_epochs_per_decay = 2;
  options.minimum_learning_rate = 0.375;
  const LearningRateSchedule schedule(options, resnet_rule(), imagenet(32));
  EXPECT_EQ(schedule.at(80071), 1);
  EXPECT_EQ(schedule.at(80072), 0.5);
  EXPECT_EQ(schedule.at(160143), 0.5);
  EXPECT_EQ(schedule.at(160144), 0.375);
}

TEST(LearningRate, EpochsThatNeverComeChangeNothing) {
  LearningRateOptions decay;
  decay.init_learning_rate = 1;
  decay.learning_rate_decay_factor = 0.5;
  decay.num_epochs_per_decay = 1e16;
  EXPECT_EQ(LearningRateSchedule(decay, resnet_rule(), imagenet(32)).at(1'000'000'000), 1);
  LearningRateOptions piecewise;
  piecewise.piecewise_learning_rate_schedule = "1;99999999999999999;.1";
  EXPECT_EQ(LearningRateSchedule(piecewise, resnet_rule(), imagenet(32)).at(1'000'000'000), 1);
}

TEST(LearningRate, RulesHoldWhereABatchIsMoreThanAnEpoch) {
  const convoy_rate_rule rule = piecewise_rule(0.1, {82, 123}, {0.1, 0.01});
  const LearningRateSchedule schedule({}, rule, {32, 20, 1, false});  // 51.25 steps of 20 images
  EXPECT_EQ(schedule.at(51), 0.1);
  EXPECT_EQ(schedule.at(52), 0.1 * 0.1);
}

TEST(LearningRate, FollowsAPiecewiseSchedule) {
  LearningRateOptions options;
  options.piecewise_learning_rate_schedule = "1;3;.1;5;.01";
  const LearningRateSchedule schedule(options, resnet_rule(), imagenet(32));
  EXPECT_EQ(schedule.at(0), 1);
  EXPECT_EQ(schedule.at(120108), 1);
  EXPECT_EQ(schedule.at(120109), 0.1);
  EXPECT_EQ(schedule.at(200181), 0.1);
  EXPECT_EQ(schedule.at(200182), 0.01);
  EXPECT_EQ(schedule.at(100'000'000), 0.01);
}

// What Python's int() makes of the same products of doubles.
// 30 epochs with batches of 256, then some with those of 1024, as on four times as many devices.
TEST(LearningRate, GoesOnByImagesWhereTheBatchChanges) {
  const double epoch = kImageNetTraining;
  const double done = std::floor(30 * epoch / 256) + 1;  // steps
  LearningRateContext larger = imagenet(1024);
  larger.sample_offset = done * 256 - done * 1024;
  const LearningRateSchedule schedule({}, resnet_rule(), larger);
  const auto first = static_cast<std::int64_t>(done);
  EXPECT_NEAR(schedule.at(first), 0.512, kRateTolerance);
  EXPECT_NEAR(schedule.at(first + 2), 0.0512, kRateTolerance);
  EXPECT_NEAR(schedule.at(first + 37533), 0.0512, kRateTolerance);
  EXPECT_NEAR(schedule.at(first + 37536), 0.00512, kRateTolerance);
  EXPECT_NEAR(LearningRateSchedule({}, resnet_rule(), imagenet(1024)).at(first), 0.0000512,
              kRateTolerance)
      << "so many steps of 1024 images are 120 epochs";
}

TEST(LearningRate, TruncatesBoundariesOfOddBatchesLikePython) {
  LearningRateOptions options;
  options.piecewise_learning_rate_schedule = "1;21;.1";
  const LearningRateSchedule exact(options, resnet_rule(), imagenet(7));
  EXPECT_EQ(exact.at(3843499), 1);  // 21 * (1281167 / 7) is 3843501, rounded twice a bit less
  EXPECT_EQ(exact.at(3843500), 0.1);
  const LearningRateSchedule rule({}, resnet_rule(), imagenet(333));
  EXPECT_EQ(rule.at(115420), rule.at(100000));
  EXPECT_NEAR(rule.at(115421), 0.1 * rule.at(115420), kRateTolerance);
  options = {};
  options.init_learning_rate = 1;
  options.num_epochs_per_decay = 2.4;
  options.learning_rate_decay_factor = 0.5;
  const LearningRateSchedule decay(options, resnet_rule(), imagenet(96));
  EXPECT_EQ(decay.at(32028), 1);
  EXPECT_EQ(decay.at(32029), 0.5);
}

TEST(LearningRate, ConstantRuleIsConstant) {
  const LearningRateSchedule schedule({}, constant_rule(0.005), imagenet(32));
  EXPECT_EQ(schedule.at(0), 0.005);
  EXPECT_EQ(schedule.at(1'000'000), 0.005);
}

TEST(LearningRate, CifarRulesCountWholeStepsPerEpoch) {
  const convoy_rate_rule rule = piecewise_rule(0.1, {82, 123, 300}, {0.1, 0.01, 0.002});
  const LearningRateSchedule schedule({}, rule, {128, kCifarTraining, 1, false});
  EXPECT_EQ(schedule.at(0), 0.1);
  EXPECT_EQ(schedule.at(82 * 390), 0.1);
  EXPECT_NEAR(schedule.at(82 * 390 + 1), 0.01, kRateTolerance);
  EXPECT_NEAR(schedule.at(300 * 390 + 1), 0.0002, kRateTolerance);
}

TEST(LearningRate, DensenetRuleHasWholeStepsPerEpochToo) {
  const convoy_rate_rule rule = piecewise_rule(0.1, {150, 225, 300}, {0.1, 0.01, 0.001});
  const LearningRateSchedule schedule({}, rule, {96, kCifarTraining, 2, false});
  const std::int64_t epoch = 520;  // 50000 / 96, rounded down
  EXPECT_EQ(schedule.at(150 * epoch), 0.1);
  EXPECT_NEAR(schedule.at(150 * epoch + 1), 0.01, kRateTolerance);
  EXPECT_NEAR(schedule.at(225 * epoch + 1), 0.001, kRateTolerance);
  EXPECT_NEAR(schedule.at(300 * epoch + 1), 0.0001, kRateTolerance);
}

TEST(LearningRate, StaircaseRuleDecaysByEpochs) {
  convoy_rate_rule rule = constant_rule(0.1);
  rule.kind = CONVOY_RATE_STAIRCASE;
  rule.factor = 0.1;
  rule.epochs_per_decay = 100;
  const LearningRateSchedule schedule({}, rule, {128, kCifarTraining, 1, false});
  const std::int64_t period = 39062;  // 100 * 50000 / 128, rounded down
  EXPECT_EQ(schedule.at(period - 1), 0.1);
  EXPECT_NEAR(schedule.at(period), 0.01, kRateTolerance);
  EXPECT_NEAR(schedule.at(3 * period), 0.0001, kRateTolerance);
}

TEST(LearningRate, RefusesIncompleteDecay) {
  LearningRateOptions options;
  options.num_epochs_per_decay = 2;
  expect_usage_error(options, "--learning_rate_decay_factor");
  options.learning_rate_decay_factor = 0.5;
  expect_usage_error(options, "--init_learning_rate");
  options = {};
  options.init_learning_rate = 1;
  options.minimum_learning_rate = 0.1;
  expect_usage_error(options, "--minimum_learning_rate");
}

TEST(LearningRate, RefusesMalformedSchedules) {
  for (const char* text :
       {"1;3", "1;3;.1;5", "1;x;.1", "1;2.5;.1", ";", "1;5;.1;3;.01", "nan;3;.1"}) {
    LearningRateOptions options;
    options.piecewise_learning_rate_schedule = text;
    expect_usage_error(options, text);
  }
}

TEST(LearningRate, RefusesContradictions) {
  LearningRateOptions options;
  options.piecewise_learning_rate_schedule = "1;3;.1";
  options.init_learning_rate = 1;
  expect_usage_error(options, "--init_learning_rate");
  options = {};
  options.num_learning_rate_warmup_epochs = 5;
  expect_usage_error(options, "--num_learning_rate_warmup_epochs");
  options = {};
  options.init_learning_rate = 1;
  options.resnet_base_lr = 0.1;
  expect_usage_error(options, "--resnet_base_lr");
}

}  // namespace
}  // namespace convoy::train
