#include "plugins/devices/cpu/update_constants.hpp"

#include <algorithm>
#include <cmath>

namespace convoy::cpu {
namespace {

double learning_rate_of(const convoy_submission& operation) {
  const convoy_optimizer& rule = *operation.update->optimizer;
  if (rule.kind != CONVOY_OPTIMIZER_ADAM) return operation.learning_rate;
  const double t = static_cast<double>(operation.step) + 1.0;
  return operation.learning_rate * std::sqrt(1.0 - std::pow(rule.beta2, t)) /
         (1.0 - std::pow(rule.beta1, t));
}

float last_read(const convoy_submission& operation) {
  return *static_cast<const float*>(operation.reads[operation.read_count - 1].data);
}

// The loss scale divides the gradient, a norm above its limit shrinks it. The scale comes before
// the norm, which is last.
void guard(const convoy_submission& operation, ApplyConstants& constants) {
  const bool normed = (operation.flags & CONVOY_OP_NORMED) != 0;
  if ((operation.flags & CONVOY_OP_LOSS_SCALED) != 0) {
    const convoy_region& scale = operation.reads[operation.read_count - (normed ? 2 : 1)];
    constants.inverse_loss_scale = 1.0f / *static_cast<const float*>(scale.data);
  }
  if (!normed) return;
  const auto norm = static_cast<double>(last_read(operation));
  if (operation.scalar > 0 && norm > operation.scalar) {
    constants.gradient_scale *= static_cast<float>(operation.scalar / norm);
  }
}

}  // namespace

ApplyConstants update_constants(const convoy_submission& operation) {
  const convoy_update& update = *operation.update;
  const convoy_optimizer& rule = *update.optimizer;
  const auto narrow = [](double value) { return static_cast<float>(value); };
  ApplyConstants constants{};
  constants.kind = rule.kind;
  constants.learning_rate = narrow(learning_rate_of(operation));
  constants.contributions = static_cast<float>(std::max<std::uint64_t>(update.contributions, 1));
  constants.inverse_loss_scale = 1.0f;
  constants.gradient_scale = narrow(rule.gradient_scale);
  constants.weight_decay = narrow(rule.weight_decay);
  constants.clip = narrow(rule.clip);
  constants.momentum = narrow(rule.momentum);
  constants.decay = narrow(rule.decay);
  constants.one_minus_decay = narrow(1.0 - rule.decay);
  constants.beta1 = narrow(rule.beta1);
  constants.one_minus_beta1 = narrow(1.0 - rule.beta1);
  constants.beta2 = narrow(rule.beta2);
  constants.one_minus_beta2 = narrow(1.0 - rule.beta2);
  constants.epsilon = narrow(rule.epsilon);
  guard(operation, constants);
  return constants;
}

std::uint64_t element_reads(const convoy_submission& operation) {
  std::uint64_t reads = operation.read_count;
  for (const std::uint32_t flag : {CONVOY_OP_LOSS_SCALED, CONVOY_OP_NORMED}) {
    if ((operation.flags & flag) != 0 && reads > 0) --reads;
  }
  return reads;
}

bool is_skipped(const convoy_submission& operation) {
  constexpr std::uint32_t kBoth = CONVOY_OP_NORMED | CONVOY_OP_SKIP_NON_FINITE;
  return (operation.flags & kBoth) == kBoth && !std::isfinite(last_read(operation));
}

}  // namespace convoy::cpu
