#pragma once

#include "core/calibrate/machine_profile.hpp"
#include "core/simulate/machine_builder.hpp"

namespace convoy::calibrate {

// CPU devices that share the machine's cores as those of a run do, with the rates that were
// measured. `threads` of each; 0: what the sharing gives. `cores`: those that they share, where
// these are not all that were measured; 0: all.
simulate::SimulatedCluster calibrated_cluster(const MachineProfile& profile, std::uint32_t devices,
                                              std::uint32_t threads, std::uint32_t cores = 0);

}  // namespace convoy::calibrate
