#pragma once

#include <cstdint>
#include <vector>

#include "core/simulate/machine/simulated_machine.hpp"
#include "core/simulate/run/ticks.hpp"
#include "core/simulate/tasks/task_graph.hpp"

namespace convoy::simulate {

// The times of a task in the measured iteration.
struct TaskTimes {
  Ticks start = -1;
  Ticks end = -1;
  // The task whose end the start waited for, as an index into RunTimes::tasks. kNone: the start
  // waited for a task of an iteration that is not recorded, or for nothing.
  std::uint32_t cause = kNone;
};

// The result of a run.
struct RunTimes {
  // The iteration for which tasks and links are recorded: the last but one, because the rest of its
  // work overlaps with the compute of the next iteration. Strands have iterations of their own;
  // theirs is one in the middle, because other strands have ended before their last ones. (Beside a
  // worker that takes twice as long as all others, the others have ended in the middle, too.)
  std::uint32_t measured = 0;
  // The tasks of the measured iteration. Strands wait for each other's iterations, so for them the
  // tasks of some iterations before and after it follow.
  std::vector<TaskTimes> tasks;
  std::vector<Ticks> iteration_end;            // when the last strand ended it
  std::vector<std::vector<Ticks>> strand_end;  // the same for every strand
  // Per place: when compute of the iteration before the measured one ended.
  std::vector<Ticks> computed_before;
  std::vector<double> link_bytes;  // in the measured iteration
  std::vector<double> link_loads;  // the same, counted with LinkShare::weight
  std::uint64_t ended = 0;         // tasks, counted in every iteration
  // For strands: when the last one ended its first iteration, how many tasks had ended by then, and
  // when the run ended.
  Ticks all_begun = 0;
  std::uint64_t ended_before = 0;
  Ticks end = 0;
};

// How often the graph is run.
struct RunLength {
  std::uint32_t iterations = 3;  // at least 3
  std::uint32_t in_flight = 1;   // iterations of a strand that may be open at once
  // For strands: how many more iterations a strand that is ahead of the others may do. The run ends
  // when the strands have done `iterations` each on average and each has ended the measured one.
  // With 0, all strands do the same number.
  std::uint32_t ahead = 0;
};

// Runs the graph, every strand by itself. Several strands run to the end. A single strand runs to
// the end of the measured iteration, because the next iteration only has to overlap with it. Every
// task of the measured iteration must run; CONVOY_CHECK fails otherwise.
RunTimes run_tasks(const TaskGraph& graph, const SimulatedMachine& machine,
                   const RunLength& length);

}  // namespace convoy::simulate
