#pragma once

#include "core/calibrate/machine_profile.hpp"
#include "core/simulate/machine_builder.hpp"

namespace convoy::calibrate {

// CPU devices that share the machine's cores as those of a run do, with the rates that were
// measured. `threads` of each; 0: what the sharing gives.
simulate::SimulatedCluster calibrated_cluster(const MachineProfile& profile, std::uint32_t devices,
                                              std::uint32_t threads);

}  // namespace convoy::calibrate
