#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/plan/plan.hpp"
#include "core/simulate/layers/layer_times.hpp"
#include "core/simulate/machine/simulated_machine.hpp"
#include "core/simulate/simulate.hpp"

namespace convoy::simulate {

// One step of a lowered plan as MLCommons Chakra execution traces, for other simulators.
struct ChakraTraces {
  std::vector<std::string> ranks;  // the files' contents
  std::string groups;  // JSON: the ranks of every group that collectives name; empty: none does
  std::uint64_t nodes = 0;  // of all ranks
};

// Ranks are the plan's places: devices first, then hosts' memories as far as they take part. What
// crosses from one place to another is a send and a receive of one tag, what a library does with
// several a collective node on each, all else a compute node. A node waits for what its operation
// waits for on its own rank, and by control dependencies for what comes before it in its lane.
// Layers have the time that they take alone, other operations that of the simulated step, with 1
// microsecond where messages carry it. Waits for the step before are left out.
// `operations` are those of the same plan, kept by simulate().
ChakraTraces chakra_traces(const Plan& lowered, const SimulatedMachine& machine,
                           const std::vector<LayerTimes>& layers,
                           const std::vector<SimulatedOperation>& operations);

}  // namespace convoy::simulate
