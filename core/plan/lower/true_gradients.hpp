#pragma once

#include "core/plan/plan.hpp"

namespace convoy::plan {

// Returns whether a plan needs the gradients themselves, and not gradients times the loss scale,
// which apply takes out again. It does if what it applies need not grow with the scale: gradients
// divided by their norm, made orthonormal, added to something else (a weight decay of its own) or
// given to a kernel. It also does if it changes parameters by gradients without apply. The answer
// may be yes for a plan that does not need them, because memory is not told apart by elements.
bool needs_true_gradients(const Plan& logical);

}  // namespace convoy::plan
