#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/plan/check/recurrence/period_map.hpp"

namespace convoy::plan::check {

// For states that only average each other (A is a stochastic matrix: its rows are not negative and
// add up to 1), returns the stationary distribution w with w A = w, whose weights add up to 1. If A
// is ergodic (one closed set of states, not periodic), every state converges to the sum of the
// first states with these weights. So thousands of averaging replicas are judged without matrices.
// Returns nothing if A is not of that kind, or if there are too many different weights. Throws
// OverBudget.
std::optional<std::vector<std::uint64_t>> stationary_distribution(const LinearSystem& it,
                                                                  const ValueTable& budget);

// Returns the periods until every gradient has reached everything that is read, if no terms cancel.
std::uint64_t periods_to_spread(const LinearSystem& it, std::size_t gradients,
                                const ValueTable& budget);

}  // namespace convoy::plan::check
