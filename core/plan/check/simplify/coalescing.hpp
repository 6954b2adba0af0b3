#pragma once

#include <memory>

#include "core/plan/check/simplify/reduced_plan.hpp"

namespace convoy::plan::check {

// Returns the plan with fewer and longer operations. Slices of an element-wise operation are
// coalesced, sums of consecutive pieces become a reduce_scatter, and copies of the same pieces to
// several places become an all_gather. Lowering for many devices makes millions of such operations.
// Both plans compute the same, so a proof of this one is a proof of the original. Look for errors
// in the original, because operations have other numbers here. Null if the plan would hardly become
// shorter.
std::unique_ptr<ReducedPlan> coalesce_operations(const Plan& plan);

}  // namespace convoy::plan::check
