#pragma once

#include <memory>

#include "core/plan/check/simplify/reduced_plan.hpp"

namespace convoy::plan::check {

// Copy propagation. Returns the plan without copies into scratch memory that only stage data for
// other readers, and without casts there from 16 bits to 32. Operations read from the source of
// such a copy. If devices cannot address each other's memory, most operations of a lowered plan are
// such copies. Both plans compute the same, so a proof of this one is a proof of the original. Look
// for errors in the original, because operations have other numbers here. Null if few copies would
// be removed.
std::unique_ptr<ReducedPlan> propagate_copies(const Plan& plan);

}  // namespace convoy::plan::check
