#include "core/report/compare/turns.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/numbers/statistics.hpp"

namespace convoy::compare {
namespace {

// Returns the logarithm of each turn's figure, from the second turn on.
std::vector<double> figures(const TurnsOfRun& turns, double fraction) {
  std::vector<double> logs;
  for (std::size_t i = 0; i < turns.ends.size(); ++i) {
    const std::size_t end = i + 1 < turns.ends.size() ? turns.ends[i + 1] : turns.steps.size();
    if (turns.ends[i] >= end) continue;  // it had ended with the previous turn
    const auto step = [&](std::size_t at) {
      return turns.steps.begin() + static_cast<std::ptrdiff_t>(at);
    };
    logs.push_back(std::log(quantile({step(turns.ends[i]), step(end)}, fraction)));
  }
  return logs;
}

}  // namespace

std::optional<double> difference_by_turns(const TurnsOfRun& first, const TurnsOfRun& second,
                                          double fraction) {
  const std::vector<double> a = figures(first, fraction);
  const std::vector<double> b = figures(second, fraction);
  std::vector<double> differences;
  for (std::size_t i = 0; i < b.size() && i + 1 < a.size(); ++i)
    differences.push_back(b[i] - (a[i] + a[i + 1]) / 2);
  if (differences.size() < kFewestTurns) return std::nullopt;
  return median(std::move(differences));
}

}  // namespace convoy::compare
