#pragma once

#include <vector>

#include "core/plan/check/check.hpp"
#include "core/plan/plan.hpp"

namespace convoy::plan::check {

// A forward runs the layers from the first to the last, and then a backward runs each of them once,
// from the last to the first, because it uses up what the forward has kept. Names the computes that
// do not. For the plan as it was written: reduced ones have layers of their own.
std::vector<Finding> find_layers_out_of_order(const Plan& plan);

}  // namespace convoy::plan::check
