#include "tests/support/reference_update.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"

namespace convoy::testing {
namespace {

double effective_gradient(const convoy_optimizer& optimizer, std::uint64_t contributions,
                          bool decayed, double parameter, double gradient_sum) {
  double gradient = gradient_sum / static_cast<double>(contributions);
  if (decayed) gradient += optimizer.weight_decay * parameter;
  gradient *= optimizer.gradient_scale;
  if (optimizer.clip > 0) gradient = std::clamp(gradient, -optimizer.clip, optimizer.clip);
  return gradient;
}

void apply_rmsprop(const convoy_optimizer& optimizer, double rate, double gradient,
                   double& parameter, std::span<double> state) {
  double& mean_square = state[0];
  double& velocity = state[1];
  mean_square = optimizer.decay * mean_square + (1 - optimizer.decay) * gradient * gradient;
  velocity =
      optimizer.momentum * velocity + rate * gradient / std::sqrt(mean_square + optimizer.epsilon);
  parameter -= velocity;
}

void apply_adam(const convoy_optimizer& optimizer, double rate, std::uint64_t step, double gradient,
                double& parameter, std::span<double> state) {
  double& first = state[0];
  double& second = state[1];
  first = optimizer.beta1 * first + (1 - optimizer.beta1) * gradient;
  second = optimizer.beta2 * second + (1 - optimizer.beta2) * gradient * gradient;
  const double t = static_cast<double>(step) + 1;
  const double corrected =
      rate * std::sqrt(1 - std::pow(optimizer.beta2, t)) / (1 - std::pow(optimizer.beta1, t));
  parameter -= corrected * first / (std::sqrt(second) + optimizer.epsilon);
}

}  // namespace

void apply_reference(const convoy_optimizer& optimizer, double learning_rate, std::uint64_t step,
                     std::uint64_t contributions, bool decayed, double& parameter,
                     std::span<double> state, double gradient_sum) {
  CONVOY_CHECK_LT(0u, contributions);
  CONVOY_CHECK_EQ(state.size(), optimizer.state_slots);
  const double gradient =
      effective_gradient(optimizer, contributions, decayed, parameter, gradient_sum);
  switch (static_cast<convoy_optimizer_kind>(optimizer.kind)) {
    case CONVOY_OPTIMIZER_SGD:
      parameter -= learning_rate * gradient;
      return;
    case CONVOY_OPTIMIZER_MOMENTUM:
      state[0] = optimizer.momentum * state[0] + gradient;
      parameter -= learning_rate * (gradient + optimizer.momentum * state[0]);
      return;
    case CONVOY_OPTIMIZER_RMSPROP:
      return apply_rmsprop(optimizer, learning_rate, gradient, parameter, state);
    case CONVOY_OPTIMIZER_ADAM:
      return apply_adam(optimizer, learning_rate, step, gradient, parameter, state);
  }
  fail(ExitCode::kUsage, "optimizer kind {} is unknown", optimizer.kind);
}

}  // namespace convoy::testing
