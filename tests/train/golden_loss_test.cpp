// The two-scalar model of tf_cnn_benchmarks' variable-update tests: loss = mean(x * A * B) with L2
// over A and B, two replicas of two images each, four steps, learning rate and weight decay 1/16.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "core/train/optimizer.hpp"
#include "tests/support/reference_update.hpp"

namespace convoy::train {
namespace {

using testing::apply_reference;

constexpr double kSixteenth = 0.0625;
constexpr int kReplicas = 2;
constexpr int kBatch = 2;
constexpr int kSteps = 4;

struct Parameter {
  double value;
  std::vector<double> state;
};

Parameter make_parameter(double value, convoy_optimizer_kind kind) {
  Parameter parameter{value, {}};
  for (std::uint32_t slot = 0; slot < state_slots(kind); ++slot) {
    parameter.state.push_back(state_initial(kind, slot));
  }
  return parameter;
}

// Images are the numbers -1, 0, 1, ... 14 in order; replica r of step t sees the next two.
double mean_image(int step, int replica) {
  const int first = (step * kReplicas + replica) * kBatch - 1;
  return first + 0.5;
}

std::vector<double> train(convoy_optimizer_kind kind, GradientScale scale, bool total_loss) {
  OptimizerOptions options;
  options.kind = kind;
  options.weight_decay = kSixteenth;
  options.gradient_scale = scale;
  const convoy_optimizer optimizer = make_optimizer(options, kReplicas);
  Parameter a = make_parameter(1, kind);
  Parameter b = make_parameter(2, kind);
  std::vector<double> losses;
  for (int step = 0; step < kSteps; ++step) {
    const double image_sum = mean_image(step, 0) + mean_image(step, 1);
    double loss = image_sum / kReplicas * a.value * b.value;
    if (total_loss) loss += kSixteenth / 2 * (a.value * a.value + b.value * b.value);
    losses.push_back(loss);
    const double gradient_a = image_sum * b.value;
    const double gradient_b = image_sum * a.value;
    apply_reference(optimizer, kSixteenth, step, kReplicas, true, a.value, a.state, gradient_a);
    apply_reference(optimizer, kSixteenth, step, kReplicas, true, b.value, b.state, gradient_b);
  }
  return losses;
}

struct Golden {
  std::string name;
  convoy_optimizer_kind kind;
  GradientScale scale;
  bool total_loss;
  std::array<double, kSteps> losses;
};

void PrintTo(const Golden& golden, std::ostream* stream) {
  *stream << golden.name;
}

class GoldenLosses : public ::testing::TestWithParam<Golden> {};

TEST_P(GoldenLosses, AreReproducedByTheReference) {
  const Golden& golden = GetParam();
  const std::vector<double> losses = train(golden.kind, golden.scale, golden.total_loss);
  for (int step = 0; step < kSteps; ++step) {
    EXPECT_NEAR(losses[step], golden.losses[step], 1e-5 * std::abs(golden.losses[step]))
        << "step " << step;
  }
}

INSTANTIATE_TEST_SUITE_P(Strategies, GoldenLosses,
                         ::testing::Values(Golden{"parameter_server_sgd",
                                                  CONVOY_OPTIMIZER_SGD,
                                                  GradientScale::kMean,
                                                  true,
                                                  {1.15625, 8.385638, 5.532262, -9.585484}},
                                           Golden{"parameter_server_momentum",
                                                  CONVOY_OPTIMIZER_MOMENTUM,
                                                  GradientScale::kMean,
                                                  true,
                                                  {1.15625, 7.712365, -2.524666, -36.7086}},
                                           Golden{"parameter_server_rmsprop",
                                                  CONVOY_OPTIMIZER_RMSPROP,
                                                  GradientScale::kMean,
                                                  true,
                                                  {1.15625, 8.608334, 11.3736, 7.016568}},
                                           Golden{"parameter_server_sgd_base_loss",
                                                  CONVOY_OPTIMIZER_SGD,
                                                  GradientScale::kMean,
                                                  false,
                                                  {1, 8.238235, 5.438459, -9.662707}},
                                           Golden{"replicated_sgd",
                                                  CONVOY_OPTIMIZER_SGD,
                                                  GradientScale::kSum,
                                                  true,
                                                  {1.15625, 7.638742, -2.59695, -35.2715}},
                                           Golden{"replicated_momentum",
                                                  CONVOY_OPTIMIZER_MOMENTUM,
                                                  GradientScale::kSum,
                                                  true,
                                                  {1.15625, 6.354098, -10.94911, -171.1039}},
                                           Golden{"replicated_rmsprop",
                                                  CONVOY_OPTIMIZER_RMSPROP,
                                                  GradientScale::kSum,
                                                  true,
                                                  {1.15625, 8.140942, 9.535036, 4.027799}},
                                           Golden{"replicated_sgd_base_loss",
                                                  CONVOY_OPTIMIZER_SGD,
                                                  GradientScale::kSum,
                                                  false,
                                                  {1, 7.499817, -2.661401, -35.44897}}),
                         [](const auto& golden) { return golden.param.name; });

}  // namespace
}  // namespace convoy::train
