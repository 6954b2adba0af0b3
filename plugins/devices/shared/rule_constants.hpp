#pragma once

#include <cstdint>

namespace convoy {

// How many values per parameter an optimizer keeps: none for SGD, one for momentum, two for RMSProp
// and Adam.
constexpr int state_slots(std::uint32_t optimizer_kind) {
  return optimizer_kind < 2 ? static_cast<int>(optimizer_kind) : 2;
}

// The constants of an update from convoy_optimizer and a step, in the precision of the arithmetic.
struct RuleConstants {
  std::uint32_t kind;   // convoy_optimizer_kind
  float learning_rate;  // with Adam's bias correction
  float contributions;
  float gradient_scale;
  float weight_decay;  // 0 if weight decay does not apply
  float clip;          // 0 = off
  float momentum;
  float decay, one_minus_decay;  // the complements are rounded from double: 1 - 0.999f is
  float beta1, one_minus_beta1;  // wrong in the fifth digit
  float beta2, one_minus_beta2;
  float epsilon;
};

}  // namespace convoy
