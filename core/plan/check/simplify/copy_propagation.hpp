#pragma once

#include <memory>

#include "core/plan/check/simplify/reduced_plan.hpp"

namespace convoy::plan::check {

// Copy propagation: the plan without copies into scratch memory that only stage what is read
// elsewhere, and without casts there from 16 bits to 32. Operations read from the source of such a
// copy. Where devices cannot address each other's memory, most operations of a lowered plan are
// such copies. Both plans compute the same, so a proof of this one is a proof of the other. Look
// for errors in the other, because operations have other numbers here. Null when few copies would
// go.
std::unique_ptr<ReducedPlan> propagate_copies(const Plan& plan);

}  // namespace convoy::plan::check
