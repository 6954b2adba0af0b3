#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace convoy::plan::check {

// How often the gradients of one stage count in the end.
struct StageCounts {
  std::uint64_t first = 0;   // the first compute of a replica, in the run of all stages
  std::uint64_t period = 1;  // number of computes
  // The number of computes over which an update takes the mean; 0: the numbers differ in turn.
  std::uint64_t means_over = 1;
  double counts = 0;  // relative to a mean; 0: variables differ
};

// Stands for a count. The gradients of such a compute only determine where others are taken.
inline constexpr double kNotApplied = std::numeric_limits<double>::infinity();

// How often the gradients of each compute before a stage must count in the end, as a part of the
// sum over all replicas. Empty if no gradients wait in memory, because the model contains them all.
struct EarlierCounts {
  std::vector<double> of_compute;
  std::vector<StageCounts> stages;  // includes the stage that begins; empty if they do not matter

  bool empty() const { return of_compute.empty(); }
};

// Returns the counts if a momentum, v = b v + g, continues with another b in the stage that begins,
// as in Demon (Chen et al., 2019). The last gradients before the transition count as those of the
// new stage do. The older a gradient is, the nearer its count is to that of its own stage.
// `by_period`: the momentum is updated once per period; else with every mean. Empty if this is
// impossible.
std::vector<double> counts_by_changed_momentum(const EarlierCounts& counts, bool by_period);

}  // namespace convoy::plan::check
