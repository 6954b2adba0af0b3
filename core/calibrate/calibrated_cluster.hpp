#pragma once

#include "core/calibrate/machine_profile.hpp"
#include "core/simulate/machine_builder.hpp"

namespace convoy::calibrate {

// CPU devices that share the machine's cores as in a run, with the measured rates. threads: of each
// device; 0: its share of the cores.
simulate::SimulatedCluster calibrated_cluster(const MachineProfile& profile, std::uint32_t devices,
                                              std::uint32_t threads);

}  // namespace convoy::calibrate
