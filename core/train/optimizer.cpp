#include "core/train/optimizer.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/error.hpp"

namespace convoy {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"sgd", "momentum", "rmsprop", "adam"};

void apply_momentum(const OptimizerRule& rule, double rate, double& parameter, double& accumulated,
                    double gradient) {
  accumulated = rule.momentum * accumulated + gradient;
  parameter -= rate * (gradient + rule.momentum * accumulated);
}

void apply_rmsprop(const OptimizerRule& rule, double rate, double& parameter,
                   std::span<double> state, double gradient) {
  double& mean_square = state[0];
  double& update = state[1];
  mean_square = rule.rmsprop_decay * mean_square + (1 - rule.rmsprop_decay) * gradient * gradient;
  update = rule.rmsprop_momentum * update +
           rate * gradient / std::sqrt(mean_square + rule.rmsprop_epsilon);
  parameter -= update;
}

void apply_adam(const OptimizerRule& rule, const ApplySettings& settings, double& parameter,
                std::span<double> state, double gradient) {
  CONVOY_CHECK_LE(1, settings.step);
  const auto step = static_cast<double>(settings.step);
  const double rate = settings.learning_rate * std::sqrt(1 - std::pow(rule.adam_beta2, step)) /
                      (1 - std::pow(rule.adam_beta1, step));
  double& first = state[0];
  double& second = state[1];
  first = rule.adam_beta1 * first + (1 - rule.adam_beta1) * gradient;
  second = rule.adam_beta2 * second + (1 - rule.adam_beta2) * gradient * gradient;
  parameter -= rate * first / (std::sqrt(second) + rule.adam_epsilon);
}

}  // namespace

OptimizerKind parse_optimizer(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) {
    fail(ExitCode::kUsage, "optimizer '{}' does not exist; choose sgd, momentum, rmsprop or adam",
         name);
  }
  return static_cast<OptimizerKind>(found - kNames.begin());
}

std::string_view optimizer_name(OptimizerKind kind) {
  return kNames.at(static_cast<std::size_t>(kind));
}

int state_slots(OptimizerKind kind) {
  switch (kind) {
    case OptimizerKind::kSgd:
      return 0;
    case OptimizerKind::kMomentum:
      return 1;
    case OptimizerKind::kRmsprop:
    case OptimizerKind::kAdam:
      return 2;
  }
  CONVOY_CHECK(!"an optimizer kind outside the enumeration");
  return 0;
}

float state_initial(OptimizerKind kind, int slot) {
  CONVOY_CHECK_LT(slot, state_slots(kind));
  return kind == OptimizerKind::kRmsprop && slot == 0 ? 1.0f : 0.0f;
}

void apply_reference(const OptimizerRule& rule, const ApplySettings& settings, double& parameter,
                     std::span<double> state, double gradient_sum) {
  CONVOY_CHECK_EQ(static_cast<int>(state.size()), state_slots(rule.kind));
  const double decay = settings.decayed ? rule.weight_decay * parameter : 0;
  double gradient = settings.gradient_scale * (gradient_sum / settings.contributions + decay);
  if (rule.gradient_clip) {
    gradient = std::clamp(gradient, -*rule.gradient_clip, *rule.gradient_clip);
  }
  switch (rule.kind) {
    case OptimizerKind::kSgd:
      parameter -= settings.learning_rate * gradient;
      break;
    case OptimizerKind::kMomentum:
      apply_momentum(rule, settings.learning_rate, parameter, state[0], gradient);
      break;
    case OptimizerKind::kRmsprop:
      apply_rmsprop(rule, settings.learning_rate, parameter, state, gradient);
      break;
    case OptimizerKind::kAdam:
      apply_adam(rule, settings, parameter, state, gradient);
      break;
  }
}

}  // namespace convoy
