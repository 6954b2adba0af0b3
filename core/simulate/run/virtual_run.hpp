#pragma once

#include <cstdint>
#include <vector>

#include "core/simulate/machine/simulated_machine.hpp"
#include "core/simulate/run/ticks.hpp"
#include "core/simulate/tasks/task_graph.hpp"

namespace convoy::simulate {

// Of a task in an iteration that is told of.
struct TaskTimes {
  Ticks start = -1;
  Ticks end = -1;
  // Whose end the start waited for, as an index into RunTimes::tasks; kNone: one of an iteration
  // that is not told of, or at the very beginning.
  std::uint32_t cause = kNone;
};

// What became of a run.
struct RunTimes {
  // The iteration of which tasks and links are told: the last one that another one follows, because
  // what it leaves to be done goes on beside the next one's compute. Of strands, which have
  // iterations of their own, one in the middle: in their last ones, the others are gone. (Beside a
  // worker that takes twice as long as all others, they are gone in the middle, too.)
  std::uint32_t measured = 0;
  // Those of the measured iteration; behind them, of strands, which wait for each other's
  // iterations, those of some before and some after it.
  std::vector<TaskTimes> tasks;
  std::vector<Ticks> iteration_end;            // when the last strand was through with it
  std::vector<std::vector<Ticks>> strand_end;  // the same of every strand by itself
  std::vector<Ticks> computed_before;          // per place: the iteration before the measured one
  std::vector<double> link_bytes;              // of the measured iteration
  std::vector<double> link_loads;              // the same, as LinkShare::weight counts them
  std::uint64_t ended = 0;                     // tasks, each in every iteration by itself
  // Of strands: when the last one was through with its first iteration, what all of them had ended
  // by then, and when the run ended.
  Ticks all_begun = 0;
  std::uint64_t ended_before = 0;
  Ticks end = 0;
};

// How often the graph is gone through.
struct RunLength {
  std::uint32_t iterations = 3;  // at least 3
  std::uint32_t in_flight = 1;   // iterations of a strand that are open at once
  // Of strands, how many more those ahead of the others may do: the run ends when all together have
  // done `iterations` in the mean and each is through with the measured one. 0: each does as many.
  std::uint32_t ahead = 0;
};

// Goes through the graph, every strand by itself. Strands go to the end; a single one to that of
// the measured iteration, for the next one only has to go on beside it. Every task of that must
// come to run: CONVOY_CHECK otherwise.
RunTimes run_tasks(const TaskGraph& graph, const SimulatedMachine& machine,
                   const RunLength& length);

}  // namespace convoy::simulate
