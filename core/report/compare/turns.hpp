#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace convoy::compare {

// The steps of a run that took turns with another one: their seconds in order, and how many of them
// were done at the end of each turn except the last.
struct TurnsOfRun {
  const std::vector<double>& steps;
  const std::vector<std::size_t>& ends;
};

// With fewer differences, the median has little meaning.
constexpr std::size_t kFewestTurns = 8;

// Returns the logarithm of the ratio of the step times of `second` to those of `first`. Both take
// turns, and `first` begins. A turn's figure is the quantile of its steps. Each turn of `second` is
// compared with the mean of the turns before and after it, which cancels a drift of the machine.
// The result is the median of these differences, so disturbed turns count little. The first turns
// are left out, because other work lies between them. Empty with fewer than kFewestTurns
// differences.
std::optional<double> difference_by_turns(const TurnsOfRun& first, const TurnsOfRun& second,
                                          double fraction);

}  // namespace convoy::compare
