#pragma once

#include <cstdint>
#include <memory>

#include "core/calibrate/machine_profile.hpp"
#include "core/calibrate/probe_networks.hpp"
#include "core/plugin/strategy_plugin.hpp"
#include "core/runtime/open_devices.hpp"
#include "core/simulate/constants.hpp"

namespace convoy::calibrate {

// How well the profile foretells the step of a network that is none of those it was measured with:
// predicts it for these devices as simulations do, and trains for `enough_seconds`, two steps at
// least, of which the fastest counts.
CheckedStep check_step(const MachineProfile& profile, const ProbeNetwork& network,
                       StrategyPlugin& sharing_nothing, const std::shared_ptr<OpenDevices>& devices,
                       const simulate::SoftwareProfile& software, double enough_seconds);

}  // namespace convoy::calibrate
