#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/plan/plan.hpp"
#include "core/simulate/layers/layer_times.hpp"
#include "core/simulate/machine/constants.hpp"
#include "core/simulate/machine/simulated_machine.hpp"

namespace convoy::simulate {

// Real data: how many bytes per step every device receives, and images that hosts decode for it.
struct InputLoad {
  std::uint64_t images = 0;           // per device and step; 0 = synthetic data
  std::uint64_t bytes_per_image = 0;  // as copied to the device
};

struct SimulationOptions {
  SoftwareProfile software;
  InputLoad input;
  // How often the plan's body runs: at least 3. The last one that another one follows counts.
  // Workers that take steps of their own take more.
  std::uint32_t iterations = 3;
  std::uint64_t seed = 1;         // of random fetch orders
  std::uint32_t state_slots = 0;  // of the optimizer: what an update reads and writes besides
  bool keep_operations = false;   // fill SimulationResult::operations
};

// When an operation of the lowered plan ran in the measured iteration, in seconds since its start;
// a pipelined operation may have begun before it.
struct SimulatedOperation {
  std::uint32_t operation = 0;  // index into the body
  double start = 0;
  double end = 0;
  std::vector<std::uint32_t> links;  // that it loads
  std::string way;                   // of a collective: "ring, LL128, 12 channels"
};

// What a step does in one and the same way, together.
struct CollectiveUse {
  std::string way;           // "ring, LL128, 12 channels"
  std::uint32_t count = 0;   // of collectives
  double bytes = 0;          // of their spans
  double seconds = 0;        // from the start of each to its end
  double seconds_alone = 0;  // without compute and other transfers beside them
};

struct LinkLoad {
  std::uint32_t link = 0;  // index into SimulatedMachine::links
  double bytes = 0;        // per step
  double utilization = 0;  // of its capacity, over the step
};

// Where a step's time goes, along the chain of operations that each waited for the one before, back
// from the step's last one.
struct CriticalPath {
  double compute = 0;     // forward and backward
  double copy = 0;        // between places, input included
  double collective = 0;  // all_reduce and the like
  double sum = 0;         // sums and other element-wise work
  double update = 0;      // the optimizer's
  double wait = 0;        // on nothing of the above: the order of a queue, a step's barrier
};

// A step in the steady state: of a plan with several computes, the mean of its period. Of workers
// that do not wait for each other, the time in which they take as many steps together as there are
// workers; the longest chain is then that of a step of the slowest one.
struct SimulationResult {
  double step_seconds = 0;
  std::vector<double> worker_step_seconds;   // each worker's own; empty where all step together
  std::vector<std::uint32_t> worker_places;  // likewise: of its first device
  // False where a bound will hold back workers that had not reached it when the run ended: in the
  // long run the step is as long as the slowest worker's.
  bool is_steady = true;
  double compute_seconds = 0;  // of the device that computes longest
  double exposed_seconds = 0;  // the rest of the step
  CriticalPath critical;
  std::string bottleneck;                  // for people: what the step's time is spent on
  std::vector<LinkLoad> links;             // those that carry anything, most loaded first
  std::vector<CollectiveUse> collectives;  // as the software's library chose, most bytes first
  std::uint64_t operations_run = 0;        // in all iterations
  std::vector<SimulatedOperation> operations;
};

// Runs a lowered plan in virtual time: lanes in the order in which the executor has them, transfers
// that share links fairly, collectives, the devices' compute as in `layers` (one entry per kind of
// device). Deterministic: the same arguments give the same bits. The plan's cluster has one place
// per place of the machine.
SimulationResult simulate(const Plan& lowered, const SimulatedMachine& machine,
                          const std::vector<LayerTimes>& layers, const SimulationOptions& options);

}  // namespace convoy::simulate
