#include "update.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace {

// Turns a sum of gradients into the gradient that the optimizer gets. The formulas are those of
// convoy_optimizer in convoy/abi/submission.h.
struct GradientRule {
  double contributions;
  double loss_scale = 1;
  double gradient_scale;
  double weight_decay;
  double clip;

  explicit GradientRule(const convoy_update& update)
      : contributions(static_cast<double>(std::max<std::uint64_t>(update.contributions, 1))),
        gradient_scale(update.optimizer->gradient_scale),
        weight_decay(update.optimizer->weight_decay),
        clip(update.optimizer->clip) {}

  double mean(double sum) const { return sum / contributions / loss_scale; }
  double unclipped(double sum, double parameter, bool decayed) const {
    return gradient_scale * (mean(sum) + (decayed ? weight_decay * parameter : 0));
  }
  double gradient(double sum, double parameter, bool decayed) const {
    const double value = unclipped(sum, parameter, decayed);
    return clip > 0 ? std::clamp(value, -clip, clip) : value;
  }
};

bool is_decayed(const convoy_update& update, std::uint64_t element) {
  return std::any_of(update.decayed, update.decayed + update.decayed_count, [&](const auto& range) {
    return element >= range.first && element - range.first < range.count;
  });
}

// Updates one parameter and its state.
void update_element(const convoy_optimizer& rule, double rate, double g, float& w, float* state0,
                    float* state1) {
  double first = state0 == nullptr ? 0 : *state0;
  double second = state1 == nullptr ? 0 : *state1;
  double change = rate * g;  // SGD
  if (rule.kind == CONVOY_OPTIMIZER_MOMENTUM) {
    first = rule.momentum * first + g;
    change = rate * (g + rule.momentum * first);
  } else if (rule.kind == CONVOY_OPTIMIZER_RMSPROP) {
    first = rule.decay * first + (1 - rule.decay) * g * g;
    second = rule.momentum * second + rate * g / std::sqrt(first + rule.epsilon);
    change = second;
  } else if (rule.kind == CONVOY_OPTIMIZER_ADAM) {
    first = rule.beta1 * first + (1 - rule.beta1) * g;
    second = rule.beta2 * second + (1 - rule.beta2) * g * g;
    change = rate * first / (std::sqrt(second) + rule.epsilon);
  }
  w = static_cast<float>(w - change);
  if (state0 != nullptr) *state0 = static_cast<float>(first);
  if (state1 != nullptr) *state1 = static_cast<float>(second);
}

// Returns the learning rate, with Adam's correction for moments that begin at zero.
double rate_of(const convoy_submission& it) {
  const convoy_optimizer& rule = *it.updates[0]->optimizer;
  if (rule.kind != CONVOY_OPTIMIZER_ADAM) return it.learning_rate;
  const double t = static_cast<double>(it.step) + 1;
  return it.learning_rate * std::sqrt(1 - std::pow(rule.beta2, t)) / (1 - std::pow(rule.beta1, t));
}

}  // namespace

// Reads: the gradient, then the loss scale and the norm if the flags announce them.
void apply(const convoy_submission& it) {
  const convoy_update& update = *it.updates[0];
  GradientRule rule(update);
  if ((it.flags & CONVOY_OP_LOSS_SCALED) != 0) rule.loss_scale = *floats(it.reads[1]);
  bool updates = true;
  if ((it.flags & CONVOY_OP_NORMED) != 0) {
    const double length = *floats(it.reads[it.read_count - 1]);
    updates = (it.flags & CONVOY_OP_SKIP_NON_FINITE) == 0 || std::isfinite(length);
    if (it.scalar > 0 && length > it.scalar) rule.gradient_scale *= it.scalar / length;
  }
  const double rate = rate_of(it);
  float* parameters = floats(it.writes[0]);
  double squares = 0;
  for (std::uint64_t i = 0; i < it.writes[0].count; ++i) {
    const bool decayed = is_decayed(update, i);
    const double parameter = parameters[i];
    if (decayed) squares += parameter * parameter;
    if (!updates) continue;
    update_element(*update.optimizer, rate,
                   rule.gradient(floats(it.reads[0])[i], parameter, decayed), parameters[i],
                   update.state[0] == nullptr ? nullptr : update.state[0] + i,
                   update.state[1] == nullptr ? nullptr : update.state[1] + i);
  }
  if (update.square_sum != nullptr) *update.square_sum = squares;
}

// Reads: the gradient, optionally the parameters, then the loss scale if a flag announces it.
void norm(const convoy_submission& it) {
  const bool scaled = (it.flags & CONVOY_OP_LOSS_SCALED) != 0;
  const bool whole = it.read_count > (scaled ? 2u : 1u);
  GradientRule rule(*it.updates[0]);
  if (scaled) rule.loss_scale = *floats(it.reads[it.read_count - 1]);
  double squares = 0;
  for (std::uint64_t i = 0; i < it.reads[0].count; ++i) {
    const double sum = floats(it.reads[0])[i];
    const double value =
        whole ? rule.unclipped(sum, floats(it.reads[1])[i], is_decayed(*it.updates[0], i))
              : rule.mean(sum);
    squares += value * value;
  }
  *floats(it.writes[0]) = static_cast<float>(std::sqrt(squares));
  if (it.result != nullptr) *it.result = squares;
}

void adapt_loss_scale(const convoy_submission& it) {
  float& scale = floats(it.writes[0])[0];
  float& clean_steps = floats(it.writes[0])[1];
  if (it.result != nullptr) *it.result = scale;
  const float* norms = floats(it.reads[0]);
  const bool finite = std::all_of(norms, norms + it.reads[0].count,
                                  [](float value) { return std::isfinite(value); });
  if (finite && clean_steps < static_cast<float>(it.sizes[0])) {
    clean_steps += 1;
    return;
  }
  const float adapted = finite ? 2 * scale : scale / 2;
  if (std::isnormal(adapted)) scale = adapted;
  clean_steps = 0;
}
