#pragma once

#include <memory>

#include "core/plan/check/simplify/reduced_plan.hpp"

namespace convoy::plan::check {

// The plan with fewer and longer operations: slices of an element-wise operation are coalesced,
// sums of consecutive pieces become a reduce_scatter, and copies of the same pieces to several
// places an all_gather. Lowering for many devices makes millions of such operations. Both plans
// compute the same, so a proof of this one is a proof of the other. Look for errors in the other,
// because operations have other numbers here. Null when few operations would go.
std::unique_ptr<ReducedPlan> coalesce_operations(const Plan& plan);

}  // namespace convoy::plan::check
