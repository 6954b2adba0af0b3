#pragma once

#include <vector>

#include "core/plan/check/check.hpp"
#include "core/plan/plan.hpp"

namespace convoy::plan::check {

// Finds computes that run layers out of order. A forward must run the layers from the first to the
// last, and then a backward must run each of them once, from the last to the first, because it uses
// up what the forward has kept. Only for the plan as it was written: reduced plans have layers of
// their own.
std::vector<Finding> find_layers_out_of_order(const Plan& plan);

}  // namespace convoy::plan::check
