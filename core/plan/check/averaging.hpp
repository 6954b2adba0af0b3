#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/plan/check/period_map.hpp"

namespace convoy::check {

// The sum over the states that x' = A x conserves, a weight per state that add up to 1, where the
// states do nothing but average each other: the rows of A are not negative and add up to 1. Where
// all of them come to depend on one, and not in turns, every state becomes that sum in the end. So
// thousands of replicas that average are judged without matrices. None when A is not of that kind,
// or when too many states have weights of their own. Throws OverBudget.
std::optional<std::vector<std::uint64_t>> conserved_by_averaging(const PeriodClass& it,
                                                                 const ValueTable& budget);

// Periods until something of all gradients has got to everything that is read, if nothing cancels.
std::uint64_t periods_to_spread(const PeriodClass& it, std::size_t gradients,
                                const ValueTable& budget);

}  // namespace convoy::check
