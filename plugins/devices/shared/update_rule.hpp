#pragma once

#include <convoy/abi.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "plugins/devices/shared/rule_constants.hpp"

// The meaning of an apply or a norm on every device, before the device's own guards and kernels.
namespace convoy {

// Returns the optimizer of an apply or a norm. Throws std::invalid_argument if there is none, or
// one of an unknown kind.
inline const convoy_optimizer& required_optimizer(const convoy_submission& operation) {
  if (operation.update_count == 0 || operation.updates[0]->optimizer == nullptr)
    throw std::invalid_argument("an update came without its optimizer");
  const convoy_optimizer& rule = *operation.updates[0]->optimizer;
  if (rule.kind > CONVOY_OPTIMIZER_ADAM)
    throw std::invalid_argument("unknown optimizer " + std::to_string(rule.kind));
  return rule;
}

// Throws std::invalid_argument if the operation has no optimizer, or if the state that it keeps for
// the elements of `write` is missing.
inline void require_state(const convoy_submission& operation, std::uint64_t write) {
  const int slots = state_slots(required_optimizer(operation).kind);
  for (int slot = 0; slot < slots; ++slot)
    if (operation.updates[write]->state[slot] == nullptr)
      throw std::invalid_argument("an update came without the optimizer's state");
}

// The step's learning rate, Adam's bias correction included. The host sets the step of an apply to
// the number of applies that its elements have had.
inline double learning_rate_of(const convoy_submission& operation) {
  const convoy_optimizer& rule = *operation.updates[0]->optimizer;
  if (rule.kind != CONVOY_OPTIMIZER_ADAM) return operation.learning_rate;
  const double t = static_cast<double>(operation.step) + 1.0;
  return operation.learning_rate * std::sqrt(1.0 - std::pow(rule.beta2, t)) /
         (1.0 - std::pow(rule.beta1, t));
}

inline RuleConstants rule_constants(const convoy_submission& operation) {
  const convoy_update& update = *operation.updates[0];
  const convoy_optimizer& rule = *update.optimizer;
  const auto narrow = [](double value) { return static_cast<float>(value); };
  RuleConstants constants{};
  constants.kind = rule.kind;
  constants.learning_rate = narrow(learning_rate_of(operation));
  constants.contributions = static_cast<float>(std::max<std::uint64_t>(update.contributions, 1));
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
  return constants;
}

// Returns how many reads have as many elements as the writes. The loss scale and the norm, which
// the host adds to some operations, come last and are small.
inline std::uint64_t element_reads(const convoy_submission& operation) {
  std::uint64_t reads = operation.read_count;
  for (const std::uint32_t flag : {CONVOY_OP_LOSS_SCALED, CONVOY_OP_NORMED}) {
    if ((operation.flags & flag) != 0 && reads > 0) --reads;
  }
  return reads;
}

}  // namespace convoy
