#include "core/plan/check/stages/earlier_counts.hpp"

#include <algorithm>

namespace convoy::plan::check {

// If v = b v + g is applied, a gradient counts 1 / (1 - b) times. If a gradient entered v k updates
// before b changes, the part b^k of it is still in v.
std::vector<double> counts_by_changed_momentum(const EarlierCounts& counts, bool by_period) {
  const auto cannot_be = [&](const StageCounts& it) {
    return it.counts < 1 || it.means_over == 0 || it.means_over != counts.stages.front().means_over;
  };
  if (counts.stages.size() < 2 || std::ranges::any_of(counts.stages, cannot_be)) return {};
  std::vector<double> result(counts.of_compute.size());
  double count = counts.stages.back().counts;
  for (std::size_t s = counts.stages.size() - 1; s > 0; --s) {
    const StageCounts& stage = counts.stages[s - 1];
    const std::uint64_t update = by_period ? stage.period : stage.means_over;
    const double kept = 1 - 1 / stage.counts;
    for (std::uint64_t end = counts.stages[s].first; end > stage.first;) {
      const std::uint64_t first = end - std::min(update, end - stage.first);
      while (end > first) result[--end] = count / static_cast<double>(stage.means_over);
      count = stage.counts + kept * (count - stage.counts);
    }
  }
  return result;
}

}  // namespace convoy::plan::check
