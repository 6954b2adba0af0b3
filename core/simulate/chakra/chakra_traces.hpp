#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/plan/plan.hpp"
#include "core/simulate/layers/layer_times.hpp"
#include "core/simulate/machine/simulated_machine.hpp"
#include "core/simulate/simulate.hpp"

namespace convoy::simulate {

// One step of a lowered plan as MLCommons Chakra execution traces, which other simulators read.
struct ChakraTraces {
  std::vector<std::string> ranks;  // the files' contents
  std::string groups;  // JSON: the ranks of every group that a collective names; empty if none does
  std::uint64_t nodes = 0;  // of all ranks
};

// The ranks are the plan's places: devices come first, then the memories of hosts that take part. A
// transfer between two places becomes a send and a receive with one tag. A collective becomes a
// collective node on each of its places. Every other operation becomes a compute node. A node has
// data dependencies on the nodes of its own rank that its operation waits for, and a control
// dependency on the node before it in its lane. Layers have the time that they take alone. Other
// operations have their time in the simulated step, and those that messages carry out have 1
// microsecond. Waits for the previous step are left out. `operations` is what simulate() kept for
// the same plan.
ChakraTraces chakra_traces(const plan::Plan& lowered, const SimulatedMachine& machine,
                           const std::vector<LayerTimes>& layers,
                           const std::vector<SimulatedOperation>& operations);

}  // namespace convoy::simulate
