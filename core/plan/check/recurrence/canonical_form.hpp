#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/check/recurrence/period_map.hpp"

namespace convoy::check {

// Equal for the classes of two stretches of the arena that do the same to them, so that only one of
// them must be judged. Which basis a projection has is not in it; see PeriodMap::bases. Throws
// OverBudget.
std::vector<std::uint64_t> canonical_form(const Plan& plan,
                                          const std::vector<LinearSystem>& systems,
                                          const ValueTable& values);

}  // namespace convoy::check
