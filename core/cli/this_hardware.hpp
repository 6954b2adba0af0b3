#pragma once

#include "core/cli/simulated_hardware.hpp"

namespace convoy {

// The CPU devices of this machine as something to simulate on, as `convoy run --device=cpu` with
// the same flags makes them: any number of devices shares its cores. Their rates are nominal, and
// notices say so. The software is convoy's own.
SimulatedHardware this_machine_hardware(const RunSetup& setup);

}  // namespace convoy
