#include "core/plan/reference/update.hpp"

#include <algorithm>
#include <cmath>

namespace convoy::plan {
namespace {

// Written so that it passes not-a-number on, as devices do.
float clamp_gradient(float value, float limit) {
  const float low = value < -limit ? -limit : value;
  return low > limit ? limit : low;
}

float gradient_of(const UpdateConstants& c, float gradient_sum, float parameter) {
  const float mean = gradient_sum / c.contributions * c.inverse_loss_scale;
  const float gradient = c.gradient_scale * (mean + c.weight_decay * parameter);
  return c.clip > 0 ? clamp_gradient(gradient, c.clip) : gradient;
}

}  // namespace

float rate_of_update(const convoy_optimizer& optimizer, double learning_rate,
                     std::uint64_t updates) {
  if (optimizer.kind != CONVOY_OPTIMIZER_ADAM) return static_cast<float>(learning_rate);
  const double t = static_cast<double>(updates) + 1.0;
  return static_cast<float>(learning_rate * std::sqrt(1.0 - std::pow(optimizer.beta2, t)) /
                            (1.0 - std::pow(optimizer.beta1, t)));
}

UpdateConstants update_constants(const convoy_optimizer& optimizer, std::uint64_t contributions,
                                 double learning_rate, std::uint64_t updates) {
  const auto narrow = [](double value) { return static_cast<float>(value); };
  UpdateConstants constants;
  constants.kind = optimizer.kind;
  constants.learning_rate = rate_of_update(optimizer, learning_rate, updates);
  constants.contributions = static_cast<float>(std::max<std::uint64_t>(contributions, 1));
  constants.gradient_scale = narrow(optimizer.gradient_scale);
  constants.weight_decay = narrow(optimizer.weight_decay);
  constants.clip = narrow(optimizer.clip);
  constants.momentum = narrow(optimizer.momentum);
  constants.decay = narrow(optimizer.decay);
  constants.one_minus_decay = narrow(1.0 - optimizer.decay);
  constants.beta1 = narrow(optimizer.beta1);
  constants.one_minus_beta1 = narrow(1.0 - optimizer.beta1);
  constants.beta2 = narrow(optimizer.beta2);
  constants.one_minus_beta2 = narrow(1.0 - optimizer.beta2);
  constants.epsilon = narrow(optimizer.epsilon);
  return constants;
}

float initial_state(std::uint32_t optimizer_kind, std::uint32_t slot) {
  return optimizer_kind == CONVOY_OPTIMIZER_RMSPROP && slot == 0 ? 1.0f : 0.0f;
}

void update_element(const UpdateConstants& c, float gradient_sum, float& w, float& state0,
                    float& state1) {
  const float g = gradient_of(c, gradient_sum, w);
  switch (c.kind) {
    case CONVOY_OPTIMIZER_SGD:
      w -= c.learning_rate * g;
      return;
    case CONVOY_OPTIMIZER_MOMENTUM:
      state0 = c.momentum * state0 + g;
      w -= c.learning_rate * (g + c.momentum * state0);
      return;
    case CONVOY_OPTIMIZER_RMSPROP:
      state0 = c.decay * state0 + c.one_minus_decay * g * g;
      state1 = c.momentum * state1 + c.learning_rate * g / std::sqrt(state0 + c.epsilon);
      w -= state1;
      return;
    default:
      state0 = c.beta1 * state0 + c.one_minus_beta1 * g;
      state1 = c.beta2 * state1 + c.one_minus_beta2 * g * g;
      w -= c.learning_rate * state0 / (std::sqrt(state1) + c.epsilon);
  }
}

}  // namespace convoy::plan
