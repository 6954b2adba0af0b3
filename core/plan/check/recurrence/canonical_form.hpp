#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/check/recurrence/period_map.hpp"

namespace convoy::plan::check {

// Returns a canonical form of the linear systems that hold one stretch of the arena. It is equal
// for stretches to which a period does the same, so that only one of them must be judged. It does
// not describe the basis of a projection; see PeriodMap::bases. Throws OverBudget.
std::vector<std::uint64_t> canonical_form(const Plan& plan,
                                          const std::vector<LinearSystem>& systems,
                                          const ValueTable& values);

}  // namespace convoy::plan::check
