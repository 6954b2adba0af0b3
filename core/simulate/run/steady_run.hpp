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
};

// Runs the graph until its iterations take as long as in the long run. Strands that may be ahead of
// each other up to a bound run until all of them have one speed. If that takes long and all workers
// are alike, a short run is enough: the bound holds all of them as soon as the last one has begun.
// Their joint progress from then on gives the length of an iteration, within 3 % of a long run.
SteadyRun run_until_steady(const TaskGraph& graph, const SimulatedMachine& machine,
                           const SimulationOptions& options);

}  // namespace convoy::simulate
