#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/plan/plan.hpp"
#include "core/simulate/layers/layer_times.hpp"
#include "core/simulate/machine/constants.hpp"
#include "core/simulate/machine/simulated_machine.hpp"

namespace convoy::simulate {

// Real data: the images that hosts decode for every device in a step, and the bytes that the device
// receives.
struct InputLoad {
  std::uint64_t images = 0;           // per device and step; 0 = synthetic data
  std::uint64_t bytes_per_image = 0;  // as copied to the device
};

struct SimulationOptions {
  SoftwareProfile software;
  InputLoad input;
  // How often the plan's body runs, at least 3 times. The last but one is measured. Workers with
  // steps of their own take more steps.
  std::uint32_t iterations = 3;
  std::uint64_t seed = 1;         // for random fetch orders
  std::uint32_t state_slots = 0;  // of the optimizer, which an update reads and writes, too
  bool keep_operations = false;   // fill SimulationResult::operations
};

// When an operation of the lowered plan ran, in seconds since the start of the measured iteration.
// A pipelined operation may have begun before that.
struct SimulatedOperation {
  std::uint32_t operation = 0;  // index into the body
  double start = 0;
  double end = 0;
  std::vector<std::uint32_t> links;  // the links that it uses
  std::string way;                   // for a collective: "ring, LL128, 12 channels"
};

// All collectives of a step that the library carries out in the same way.
struct CollectiveUse {
  std::string way;           // "ring, LL128, 12 channels"
  double count = 0;          // how many collectives
  double bytes = 0;          // of their spans
  double seconds = 0;        // from the start of each to its end, added up
  double seconds_alone = 0;  // the same without compute and other transfers beside them
};

struct LinkLoad {
  std::uint32_t link = 0;  // index into SimulatedMachine::links
  double bytes = 0;        // per step
  double utilization = 0;  // of its capacity, over the step
};

// How the time of a step divides along its critical path: from the last operation of the step back,
// each time to the operation that it waited for.
struct CriticalPath {
  double compute = 0;     // forward and backward
  double copy = 0;        // between places, input included
  double collective = 0;  // all_reduce and the like
  double sum = 0;         // sums and other element-wise work
  double update = 0;      // the optimizer's
  double wait = 0;        // waits for other reasons: the order of a queue, a barrier between steps
};

// A step in the steady state. For a plan with several computes, it is the mean over the period. For
// workers that do not wait for each other, it is the time in which all of them together take as
// many steps as there are workers; the critical path is then that of the slowest worker.
struct SimulationResult {
  double step_seconds = 0;
  std::vector<double> worker_step_seconds;   // per worker; empty if all take their steps together
  std::vector<std::uint32_t> worker_places;  // per worker: the place of its first device
  // False if the bound will still hold back workers that had not reached it when the run ended. In
  // the long run, the step is then as long as that of the slowest worker.
  bool is_steady = true;
  // Steps of each worker, if more would have taken too long; 0: as many as needed
  std::uint32_t few_steps = 0;
  double compute_seconds = 0;  // for the device that computes longest
  double exposed_seconds = 0;  // the rest of the step
  CriticalPath critical;
  std::string bottleneck;       // for people: the main use of the step's time apart from compute
  std::vector<LinkLoad> links;  // links that carry anything, the most loaded first
  std::vector<CollectiveUse> collectives;  // as the library carries them out, most bytes first
  std::uint64_t operations_run = 0;        // in all iterations
  std::vector<SimulatedOperation> operations;
};

// Runs a lowered plan in virtual time. Lanes have the order of the executor, transfers share links
// fairly, and compute takes the times in `layers`, which has one entry per kind of device. The
// result is deterministic: the same arguments give the same bits. Each place of the plan's cluster
// is the place of the machine with the same number.
SimulationResult simulate(const plan::Plan& lowered, const SimulatedMachine& machine,
                          const std::vector<LayerTimes>& layers, const SimulationOptions& options);

}  // namespace convoy::simulate
