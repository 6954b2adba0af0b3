#pragma once

#include <optional>

#include "core/plan/check/recurrence/period_map.hpp"

namespace convoy::plan::check {

// Returns the same system, restricted to the states that a run can reach from its start with any
// gradients and errors. For example, if a plan keeps a sum of other memory beside that memory, the
// sum never differs from it, so their difference is left out. Returns nothing if every state is
// reachable. Throws OverBudget.
std::optional<LinearSystem> reachable_subspace(const LinearSystem& it, const ValueTable& budget);

}  // namespace convoy::plan::check
