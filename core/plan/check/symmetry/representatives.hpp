#pragma once

#include <memory>

#include "core/plan/check/simplify/reduced_plan.hpp"

namespace convoy::plan::check {

// Symmetry reduction. Most plans treat many independent parts of the memory (variables, buckets,
// pieces of them) in the same way. The reduced plan keeps one representative of every class of such
// parts, for all replicas. A proof of it is a proof of the whole plan, because the same happens to
// all parts of a class (part_fingerprints). Look for errors in the whole plan, because operations
// have other numbers here. Null if the reduced plan would not be much smaller.
std::unique_ptr<ReducedPlan> keep_representatives(const Plan& plan);

}  // namespace convoy::plan::check
