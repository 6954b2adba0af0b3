#pragma once

#include <vector>

#include "core/simulate/run/virtual_run.hpp"
#include "core/simulate/simulate.hpp"
#include "core/simulate/tasks/task_graph.hpp"

namespace convoy::simulate {

struct SteadyRun {
  RunTimes times;
  std::vector<double> worker_seconds;  // of every strand's iteration; empty if there is one strand
  // False if the bound on how far strands are apart will still hold back strands that had not
  // reached it when the run ended.
  bool is_steady = true;
  // Iterations of a run that was cut short; 0: the run was as long as needed
  std::uint32_t few_iterations = 0;
};

// Runs the graph until its iterations take as long as in the long run. Strands that may be ahead of
// each other up to a bound run until all of them have one speed. If that takes too long and all
// workers are alike, it makes a short run, which ends soon after the bound holds all of them. Their
// joint progress from then on gives the length of an iteration. In a long run it may be longer,
// because the workers then meet at the same server more often.
SteadyRun run_until_steady(const TaskGraph& graph, const SimulatedMachine& machine,
                           const SimulationOptions& options);

}  // namespace convoy::simulate
