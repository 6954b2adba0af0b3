#pragma once

#include "core/calibrate/machine_profile.hpp"
#include "core/simulate/machine/machine_builder.hpp"

namespace convoy::calibrate {

// CPU devices that share the machine's cores as in a run, with the measured rates. threads: of each
// device; 0: its share of the cores. cores: those that they share, where these are not all that
// were measured; 0: all.
simulate::SimulatedCluster calibrated_cluster(const MachineProfile& profile, std::uint32_t devices,
                                              std::uint32_t threads, std::uint32_t cores = 0);

}  // namespace convoy::calibrate
