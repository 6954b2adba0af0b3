#pragma once

#include <optional>

#include "core/plan/check/period_map.hpp"

namespace convoy::check {

// The same class on the memory contents that a run can come to at all, from its start and whatever
// gradients and errors there are; every state of it is one of the class. Where a plan keeps the sum
// of other memory beside that memory, say, what the sum could differ by never is anything: it is
// left out here. None when every content can come about. Throws OverBudget.
std::optional<PeriodClass> reachable_part(const PeriodClass& it, const ValueTable& budget);

}  // namespace convoy::check
