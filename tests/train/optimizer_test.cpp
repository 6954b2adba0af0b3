#include "core/train/optimizer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/base/error.hpp"

namespace convoy {
namespace {

std::vector<double> initial_state(OptimizerKind kind) {
  std::vector<double> state;
  for (int slot = 0; slot < state_slots(kind); ++slot) state.push_back(state_initial(kind, slot));
  return state;
}

OptimizerRule rule_without_decay(OptimizerKind kind) {
  OptimizerRule rule;
  rule.kind = kind;
  rule.weight_decay = 0;
  return rule;
}

TEST(Optimizer, NamesAndKindsCorrespond) {
  for (const char* name : {"sgd", "momentum", "rmsprop", "adam"}) {
    EXPECT_EQ(optimizer_name(parse_optimizer(name)), name);
  }
  EXPECT_THROW(parse_optimizer("adagrad"), Error);
}

TEST(Optimizer, StateStartsAsTheRulesSay) {
  EXPECT_EQ(initial_state(OptimizerKind::kSgd), std::vector<double>{});
  EXPECT_EQ(initial_state(OptimizerKind::kMomentum), std::vector<double>{0});
  EXPECT_EQ(initial_state(OptimizerKind::kRmsprop), (std::vector<double>{1, 0}));
  EXPECT_EQ(initial_state(OptimizerKind::kAdam), (std::vector<double>{0, 0}));
}

TEST(Optimizer, SgdSubtractsTheMeanGradientTimesTheRate) {
  double parameter = 1;
  std::vector<double> state;
  apply_reference(rule_without_decay(OptimizerKind::kSgd),
                  {.learning_rate = 0.5, .contributions = 4}, parameter, state, 6.0);
  EXPECT_DOUBLE_EQ(parameter, 1 - 0.5 * 1.5);
}

TEST(Optimizer, MomentumIsNesterovs) {
  const auto rule = rule_without_decay(OptimizerKind::kMomentum);
  auto state = initial_state(rule.kind);
  double parameter = 1;
  apply_reference(rule, {.learning_rate = 0.1}, parameter, state, 2.0);
  EXPECT_DOUBLE_EQ(state[0], 2.0);
  EXPECT_DOUBLE_EQ(parameter, 1 - 0.1 * (2.0 + 0.9 * 2.0));
  apply_reference(rule, {.learning_rate = 0.1}, parameter, state, 1.0);
  EXPECT_DOUBLE_EQ(state[0], 2.8);
  EXPECT_DOUBLE_EQ(parameter, 0.62 - 0.1 * (1.0 + 0.9 * 2.8));
}

TEST(Optimizer, RmspropHasItsEpsilonInsideTheRootAndStartsAtOne) {
  const auto rule = rule_without_decay(OptimizerKind::kRmsprop);
  auto state = initial_state(rule.kind);
  double parameter = 1;
  apply_reference(rule, {.learning_rate = 0.1}, parameter, state, 3.0);
  // mean square 0.9 * 1 + 0.1 * 9 = 1.8; update 0.1 * 3 / sqrt(1.8 + 1)
  EXPECT_DOUBLE_EQ(state[0], 1.8);
  EXPECT_NEAR(state[1], 0.179284291400159, 1e-14);
  EXPECT_NEAR(parameter, 0.820715708599841, 1e-14);
}

TEST(Optimizer, AdamsFirstStepMovesByTheRateWhateverTheGradient) {
  const auto rule = rule_without_decay(OptimizerKind::kAdam);
  for (double gradient : {1e-3, 1.0, 50.0}) {
    auto state = initial_state(rule.kind);
    double parameter = 1;
    apply_reference(rule, {.learning_rate = 0.01, .step = 1}, parameter, state, gradient);
    EXPECT_NEAR(parameter, 0.99, 1e-5) << "gradient " << gradient;
  }
}

TEST(Optimizer, AdamsSecondStepMatchesTheFormula) {
  const auto rule = rule_without_decay(OptimizerKind::kAdam);
  auto state = initial_state(rule.kind);
  double parameter = 0;
  apply_reference(rule, {.learning_rate = 0.1, .step = 1}, parameter, state, 1.0);
  const double after_one = parameter;
  apply_reference(rule, {.learning_rate = 0.1, .step = 2}, parameter, state, -2.0);
  // first 0.9 * 0.1 - 0.2 = -0.11, second 0.999 * 0.001 + 0.004 = 0.004999,
  // rate 0.1 * sqrt(1 - 0.998001) / (1 - 0.81) = 0.0235316..., so the step is +0.0366103...
  EXPECT_NEAR(state[0], -0.11, 1e-15);
  EXPECT_NEAR(state[1], 0.004999, 1e-15);
  EXPECT_NEAR(parameter - after_one, 0.0366103475, 1e-10);
}

TEST(Optimizer, WeightDecayEntersThroughTheGradientOfDecayedVariablesOnly) {
  OptimizerRule rule;
  rule.weight_decay = 0.25;
  std::vector<double> state;
  double decayed = 2;
  apply_reference(rule, {.learning_rate = 1, .decayed = true}, decayed, state, 0.125);
  EXPECT_DOUBLE_EQ(decayed, 2 - (0.125 + 0.5));
  double plain = 2;
  apply_reference(rule, {.learning_rate = 1, .decayed = false}, plain, state, 0.125);
  EXPECT_DOUBLE_EQ(plain, 2 - 0.125);
}

TEST(Optimizer, SumScaleMultipliesTheDecayToo) {
  OptimizerRule rule;
  rule.weight_decay = 0.25;
  std::vector<double> state;
  double parameter = 2;
  apply_reference(rule, {.learning_rate = 1, .contributions = 4, .gradient_scale = 4}, parameter,
                  state, 1.0);
  EXPECT_DOUBLE_EQ(parameter, 2 - (1.0 + 4 * 0.5));
}

TEST(Optimizer, ClampsAfterAddingTheDecay) {
  OptimizerRule rule;
  rule.weight_decay = 1;
  rule.gradient_clip = 0.5;
  std::vector<double> state;
  double parameter = 3;
  apply_reference(rule, {.learning_rate = 1}, parameter, state, -2.75);
  EXPECT_DOUBLE_EQ(parameter, 3 - 0.25) << "-2.75 + 3 is within the clip";
  apply_reference(rule, {.learning_rate = 1}, parameter, state, 100);
  EXPECT_DOUBLE_EQ(parameter, 2.75 - 0.5);
}

}  // namespace
}  // namespace convoy
