// A model of two scalars trained on two replicas, loss = mean(x * a * b) + decay * (a^2 + b^2) / 2,
// with the step losses tf_cnn_benchmarks' own test of its variable updates expects.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "core/train/optimizer.hpp"

namespace convoy {
namespace {

constexpr int kReplicas = 2;
constexpr int kBatch = 2;  // per replica
constexpr double kRate = 1.0 / 16;

struct GoldenCase {
  std::string name;
  OptimizerKind kind;
  bool summed;     // whether gradients are summed over replicas, as `replicated` used to do
  bool base_loss;  // whether the reported loss leaves out the L2 term
  std::array<double, 4> losses;
};

// Sixteen images of one value each, -1, 0, ..., 14, taken in order and without end.
double image(int index) {
  return index % 16 - 1;
}

std::vector<double> simulate(const GoldenCase& golden) {
  OptimizerRule rule;
  rule.kind = golden.kind;
  rule.weight_decay = kRate;
  std::array<double, 2> weights = {1, 2};
  std::array<std::vector<double>, 2> states;
  for (auto& state : states) {
    for (int slot = 0; slot < state_slots(rule.kind); ++slot) {
      state.push_back(state_initial(rule.kind, slot));
    }
  }
  std::vector<double> losses;
  for (int step = 0; step < 4; ++step) {
    double mean_image_sum = 0;  // over replicas, of each replica's mean image
    for (int i = 0; i < kReplicas * kBatch; ++i) {
      mean_image_sum += image(step * kReplicas * kBatch + i) / kBatch;
    }
    const auto [a, b] = weights;
    const double decay = golden.base_loss ? 0 : rule.weight_decay * (a * a + b * b) / 2;
    losses.push_back(mean_image_sum / kReplicas * a * b + decay);
    const ApplySettings settings = {.learning_rate = kRate,
                                    .step = step + 1,
                                    .contributions = kReplicas,
                                    .gradient_scale = golden.summed ? kReplicas : 1.0};
    apply_reference(rule, settings, weights[0], states[0], mean_image_sum * b);
    apply_reference(rule, settings, weights[1], states[1], mean_image_sum * a);
  }
  return losses;
}

class GoldenLosses : public ::testing::TestWithParam<GoldenCase> {};

TEST_P(GoldenLosses, FollowsThePublishedSteps) {
  const auto losses = simulate(GetParam());
  for (int step = 0; step < 4; ++step) {
    const double expected = GetParam().losses[step];
    EXPECT_NEAR(losses[step], expected, 1e-5 * std::abs(expected)) << "step " << step + 1;
  }
}

using enum OptimizerKind;
INSTANTIATE_TEST_SUITE_P(
    TwoScalars, GoldenLosses,
    ::testing::Values(
        GoldenCase{"MeanSgd", kSgd, false, false, {1.15625, 8.385638, 5.532262, -9.585484}},
        GoldenCase{
            "MeanMomentum", kMomentum, false, false, {1.15625, 7.712365, -2.524666, -36.7086}},
        GoldenCase{"MeanRmsprop", kRmsprop, false, false, {1.15625, 8.608334, 11.3736, 7.016568}},
        GoldenCase{"MeanSgdBaseLoss", kSgd, false, true, {1, 8.238235, 5.438459, -9.662707}},
        GoldenCase{"SumSgd", kSgd, true, false, {1.15625, 7.638742, -2.59695, -35.2715}},
        GoldenCase{
            "SumMomentum", kMomentum, true, false, {1.15625, 6.354098, -10.94911, -171.1039}},
        GoldenCase{"SumRmsprop", kRmsprop, true, false, {1.15625, 8.140942, 9.535036, 4.027799}},
        GoldenCase{"SumSgdBaseLoss", kSgd, true, true, {1, 7.499817, -2.661401, -35.44897}}),
    [](const auto& parameter) { return parameter.param.name; });

}  // namespace
}  // namespace convoy
