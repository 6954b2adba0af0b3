#include "core/train/optimizer.hpp"
#include "tests/support/reference_update.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>

#include "core/base/error.hpp"

namespace convoy::train {
namespace {

using testing::apply_reference;

constexpr double kTolerance = 1e-12;

OptimizerOptions without_decay(convoy_optimizer_kind kind) {
  OptimizerOptions options;
  options.kind = kind;
  options.weight_decay = 0;
  return options;
}

TEST(Optimizer, KnowsItsStateSlotsAndTheirFirstValues) {
  EXPECT_EQ(state_slots(CONVOY_OPTIMIZER_SGD), 0u);
  EXPECT_EQ(state_slots(CONVOY_OPTIMIZER_MOMENTUM), 1u);
  EXPECT_EQ(state_slots(CONVOY_OPTIMIZER_RMSPROP), 2u);
  EXPECT_EQ(state_slots(CONVOY_OPTIMIZER_ADAM), 2u);
  EXPECT_EQ(state_initial(CONVOY_OPTIMIZER_RMSPROP, 0), 1.0);
  EXPECT_EQ(state_initial(CONVOY_OPTIMIZER_RMSPROP, 1), 0.0);
  EXPECT_EQ(state_initial(CONVOY_OPTIMIZER_MOMENTUM, 0), 0.0);
  EXPECT_EQ(state_initial(CONVOY_OPTIMIZER_ADAM, 1), 0.0);
}

TEST(Optimizer, EveryKindHasOneName) {
  std::set<std::string_view> names;
  for (const auto kind : {CONVOY_OPTIMIZER_SGD, CONVOY_OPTIMIZER_MOMENTUM, CONVOY_OPTIMIZER_RMSPROP,
                          CONVOY_OPTIMIZER_ADAM})
    names.insert(optimizer_name(kind));
  EXPECT_EQ(names.size(), kOptimizers.size());
}

TEST(Optimizer, SgdStepsAgainstTheMeanGradient) {
  const convoy_optimizer optimizer = make_optimizer(without_decay(CONVOY_OPTIMIZER_SGD), 4);
  double weight = 1;
  apply_reference(optimizer, 0.5, 0, 4, true, weight, {}, 2.0);
  EXPECT_NEAR(weight, 1 - 0.5 * (2.0 / 4), kTolerance);
}

TEST(Optimizer, SumScaleMultipliesGradientAndWeightDecayByTheReplicas) {
  OptimizerOptions options = without_decay(CONVOY_OPTIMIZER_SGD);
  options.weight_decay = 0.25;
  options.gradient_scale = GradientScale::kSum;
  const convoy_optimizer optimizer = make_optimizer(options, 4);
  double weight = 1;
  apply_reference(optimizer, 0.5, 0, 4, true, weight, {}, 2.0);
  EXPECT_NEAR(weight, 1 - 0.5 * (2.0 + 4 * 0.25), kTolerance);
}

TEST(Optimizer, DecaysOnlyDecayedParameters) {
  OptimizerOptions options;
  options.weight_decay = 0.25;
  const convoy_optimizer optimizer = make_optimizer(options, 1);
  double decayed = 2;
  double kept = 2;
  apply_reference(optimizer, 1, 0, 1, true, decayed, {}, 0);
  apply_reference(optimizer, 1, 0, 1, false, kept, {}, 0);
  EXPECT_NEAR(decayed, 1.5, kTolerance);
  EXPECT_EQ(kept, 2);
}

TEST(Optimizer, ClampsAfterWeightDecay) {
  OptimizerOptions options;
  options.weight_decay = 0.5;
  options.gradient_clip = 0.75;
  const convoy_optimizer optimizer = make_optimizer(options, 1);
  double weight = 2;  // gradient 0.25 + 0.5 * 2 = 1.25, clamped to 0.75
  apply_reference(optimizer, 1, 0, 1, true, weight, {}, 0.25);
  EXPECT_NEAR(weight, 1.25, kTolerance);
}

TEST(Optimizer, MomentumIsNesterovs) {
  const convoy_optimizer optimizer = make_optimizer(without_decay(CONVOY_OPTIMIZER_MOMENTUM), 1);
  double weight = 0;
  std::array<double, 1> state = {0};
  apply_reference(optimizer, 0.1, 0, 1, false, weight, state, 1);
  EXPECT_NEAR(state[0], 1, kTolerance);
  EXPECT_NEAR(weight, -0.19, kTolerance);  // 0.1 * (1 + 0.9 * 1)
  apply_reference(optimizer, 0.1, 1, 1, false, weight, state, 1);
  EXPECT_NEAR(state[0], 1.9, kTolerance);
  EXPECT_NEAR(weight, -0.461, kTolerance);  // - 0.1 * (1 + 0.9 * 1.9)
}

TEST(Optimizer, RmspropKeepsEpsilonInsideTheRoot) {
  const convoy_optimizer optimizer = make_optimizer(without_decay(CONVOY_OPTIMIZER_RMSPROP), 1);
  double weight = 0;
  std::array<double, 2> state = {1, 0};
  apply_reference(optimizer, 0.1, 0, 1, false, weight, state, 2);
  EXPECT_NEAR(state[0], 1.3, kTolerance);  // 0.9 * 1 + 0.1 * 4
  EXPECT_NEAR(weight, -0.2 / std::sqrt(2.3), kTolerance);
  const double first = state[1];
  apply_reference(optimizer, 0.1, 1, 1, false, weight, state, 2);
  EXPECT_NEAR(state[0], 1.57, kTolerance);
  EXPECT_NEAR(state[1], 0.9 * first + 0.2 / std::sqrt(2.57), kTolerance);
}

TEST(Optimizer, AdamsFirstStepIsTheLearningRate) {
  const convoy_optimizer optimizer = make_optimizer(without_decay(CONVOY_OPTIMIZER_ADAM), 1);
  double weight = 0;
  std::array<double, 2> state = {0, 0};
  apply_reference(optimizer, 0.01, 0, 1, false, weight, state, 3);
  EXPECT_NEAR(state[0], 0.3, kTolerance);
  EXPECT_NEAR(state[1], 0.009, kTolerance);
  // Bias correction makes the first step lr * g / |g|, up to epsilon.
  EXPECT_NEAR(weight, -0.01, 1e-8);
  apply_reference(optimizer, 0.01, 1, 1, false, weight, state, 1);
  // s = 0.37, r = 0.009991, step size lr sqrt(1 - 0.999^2) / (1 - 0.9^2)
  const double step = 0.01 * std::sqrt(0.001999) / 0.19;
  EXPECT_NEAR(weight, -0.01 - step * 0.37 / std::sqrt(0.009991), 1e-8);
}

TEST(Optimizer, RefusesHyperparametersWithoutMeaning) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  OptimizerOptions options;
  options.momentum = 1;
  EXPECT_THROW(make_optimizer(options, 1), Error);
  options = {};
  options.gradient_clip = 0;
  EXPECT_THROW(make_optimizer(options, 1), Error);
  options = {};
  options.weight_decay = nan;
  EXPECT_THROW(make_optimizer(options, 1), Error);
}

}  // namespace
}  // namespace convoy::train
