#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace convoy::plan::check {

// How often the gradients of one stage count in the end.
struct StageCounts {
  std::uint64_t first = 0;   // compute of a replica, in the run of all stages
  std::uint64_t period = 1;  // computes
  // Of how many computes an update takes the mean; 0: of different numbers in turn.
  std::uint64_t means_over = 1;
  double counts = 0;  // as in a mean; 0: variables differ
};

// Instead of a count: the gradients of this compute only lead to where others are taken.
inline constexpr double kNotApplied = std::numeric_limits<double>::infinity();

// How often gradients of each compute before a stage must count in the end, as a part of the sum of
// all replicas'. Empty where no gradients wait in memory, because the model has them all.
struct EarlierCounts {
  std::vector<double> of_compute;
  std::vector<StageCounts> stages;  // also the one that begins; none where that does not matter

  bool empty() const { return of_compute.empty(); }
};

// The same where a momentum, v = b v + g, goes on with another b in the stage that begins, as in
// Demon (Chen et al., 2019). The last gradients before it count as its own do; the older a gradient
// is, the nearer it is to the count of its own stage. `by_period`: the momentum is updated once in
// a period, else with every mean. Empty where this cannot be.
std::vector<double> counts_by_changed_momentum(const EarlierCounts& counts, bool by_period);

}  // namespace convoy::plan::check
