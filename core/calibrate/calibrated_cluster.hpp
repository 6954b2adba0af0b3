#pragma once

#include "core/calibrate/machine_profile.hpp"
#include "core/simulate/machine/machine_builder.hpp"

namespace convoy::calibrate {

// Makes a cluster of CPU devices that share the machine's cores as in a run, with the measured
// rates. `threads` is the number of threads of each device; with 0, it is the device's share of the
// cores. `cores` is the number of cores that they share, if these are not all measured ones; with
// 0, they share all.
simulate::SimulatedCluster calibrated_cluster(const MachineProfile& profile, std::uint32_t devices,
                                              std::uint32_t threads, std::uint32_t cores = 0);

}  // namespace convoy::calibrate
