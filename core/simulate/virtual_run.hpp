#pragma once

#include <cstdint>
#include <vector>

#include "core/simulate/simulated_machine.hpp"
#include "core/simulate/task_graph.hpp"
#include "core/simulate/ticks.hpp"

namespace convoy::simulate {

// What became of a run: one entry per task and iteration, iteration after iteration.
struct RunTimes {
  std::vector<Ticks> start;
  std::vector<Ticks> end;
  std::vector<std::uint32_t> cause;  // whose end the start waited for; kNone at the very beginning
  std::vector<Ticks> iteration_end;
  std::vector<double> link_bytes;  // of the last iteration
};

// Goes through the graph `iterations` times, at most `in_flight` of them open at once. Every task
// must come to run: CONVOY_CHECK otherwise.
RunTimes run_tasks(const TaskGraph& graph, const SimulatedMachine& machine,
                   std::uint32_t iterations, std::uint32_t in_flight);

}  // namespace convoy::simulate
