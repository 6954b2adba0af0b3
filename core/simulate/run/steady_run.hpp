#pragma once

#include <vector>

#include "core/simulate/run/virtual_run.hpp"
#include "core/simulate/simulate.hpp"
#include "core/simulate/tasks/task_graph.hpp"

namespace convoy::simulate {

struct SteadyRun {
  RunTimes times;
  std::vector<double> worker_seconds;  // of every strand's iteration; empty where there is one
  // False where a bound will hold back strands that had not reached it when the run ended.
  bool is_steady = true;
};

// Goes through the graph until its iterations take as long as in the long run. Strands that may be
// ahead of each other by a bound are followed until all of them have one speed. Where that is much
// to run and all workers are alike, a short run is enough: the bound holds all of them as soon as
// the last one has begun, and what they do together from there on tells how long an iteration is,
// within 3 % of a long run.
SteadyRun run_until_steady(const TaskGraph& graph, const SimulatedMachine& machine,
                           const SimulationOptions& options);

}  // namespace convoy::simulate
