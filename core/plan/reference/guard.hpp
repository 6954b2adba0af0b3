#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "core/plan/reference/update.hpp"

namespace convoy::plan {

// Includes the loss scale, or the norm, in the constants of an update. A norm above its limit (0 =
// no limit) shrinks the gradient.
void include_loss_scale(UpdateConstants& constants, float scale);
void include_norm(UpdateConstants& constants, float norm, double limit);

// Returns the sum of squares from which a norm operation computes its result, in the order in which
// the CPU device adds: chunks of 65536 elements, each cut where weight decay begins or ends, each
// stretch in eight partial sums. `parameters` is empty for the norm without weight decay and
// gradient scale. `decayed(i)` says whether weight decay applies to element i.
double gradient_square_sum(const UpdateConstants& constants, std::span<const float> gradient_sum,
                           std::span<const float> parameters,
                           const std::function<bool(std::uint64_t)>& decayed);

// See CONVOY_OP_ADAPT_LOSS_SCALE. `state` has the scale and the counter of clean steps.
void adapt_loss_scale(float* state, std::span<const float> norms, std::uint64_t increase_every);

}  // namespace convoy::plan
