#pragma once

#include "core/plan/plan.hpp"

namespace convoy::plan {

// Returns whether a plan needs the gradients themselves, and not gradients times the loss scale,
// which apply takes out again. It does if what it applies need not grow with the scale: it divides
// by gradients or multiplies them with each other (norms), takes roots, adds them to something else
// (a weight decay of its own, the parameters), or gives them to a kernel.
bool needs_true_gradients(const Plan& logical);

}  // namespace convoy::plan
