#pragma once

#include <convoy/abi.h>

#include <cstdint>

namespace convoy::plan {

// The constants of one apply, in the precision of the arithmetic.
struct UpdateConstants {
  std::uint32_t kind = CONVOY_OPTIMIZER_SGD;  // convoy_optimizer_kind
  float learning_rate = 0;                    // Adam's bias correction included
  float contributions = 1;
  float inverse_loss_scale = 1;
  float gradient_scale = 1;
  float weight_decay = 0;  // 0 where weight decay does not apply
  float clip = 0;          // 0 = off
  float momentum = 0;
  float decay = 0;
  float one_minus_decay = 0;  // complements are rounded from double: 1 - 0.999f is wrong in the
  float beta1 = 0;            // fifth digit
  float one_minus_beta1 = 0;
  float beta2 = 0;
  float one_minus_beta2 = 0;
  float epsilon = 0;
};

// Returns the learning rate of an update, with Adam's bias correction. `updates` is how many
// updates the parameter and its moments have received before; only Adam uses it.
float rate_of_update(const convoy_optimizer& optimizer, double learning_rate,
                     std::uint64_t updates);
UpdateConstants update_constants(const convoy_optimizer& optimizer, std::uint64_t contributions,
                                 double learning_rate, std::uint64_t updates);

// The value of state slot `slot` before the first update.
float initial_state(std::uint32_t optimizer_kind, std::uint32_t slot);

// Updates one parameter and its optimizer state: the formulas of convoy_optimizer with every
// operation rounded to f32 by itself, in the order that devices use. A device's result must have
// the same bits.
void update_element(const UpdateConstants& constants, float gradient_sum, float& parameter,
                    float& state0, float& state1);

}  // namespace convoy::plan
