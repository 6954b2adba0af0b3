#pragma once

#include <optional>

#include "core/plan/check/recurrence/period_map.hpp"

namespace convoy::check {

// The same class, restricted to the memory contents that a run can reach from its start with any
// gradients and errors; its states are states of the class. For example, if a plan keeps a sum of
// other memory beside that memory, the sum never differs from it, so the difference is left out
// here. None when every content is reachable. Throws OverBudget.
std::optional<LinearSystem> reachable_subspace(const LinearSystem& it, const ValueTable& budget);

}  // namespace convoy::check
