#pragma once

#include "core/simulate/machine/simulated_machine.hpp"
#include "core/simulate/run/virtual_run.hpp"

namespace convoy::simulate {

// Returns how long all cores of this processor work for one iteration: what its hosts' CPU devices
// compute, sum and update, and what the bytes between hosts cost. An iteration cannot be shorter,
// although each of these works beside the others.
double busy_seconds(const SimulatedProcessor& processor, const TaskGraph& graph,
                    const RunTimes& times, const SimulatedMachine& machine);

}  // namespace convoy::simulate
