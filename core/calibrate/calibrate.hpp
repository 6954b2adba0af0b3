#pragma once

#include <functional>
#include <string>

#include "core/calibrate/machine_profile.hpp"
#include "core/calibrate/probe_networks.hpp"
#include "core/plugin/device_plugin.hpp"
#include "core/plugin/strategy_plugin.hpp"
#include "core/simulate/machine/constants.hpp"

namespace convoy::calibrate {

struct CalibrationOptions {
  // All but `more_networks` ends in about so many seconds: what does not fit is left out.
  double seconds = 9.2;
  bool quick = false;  // small vectors and layers: a second, for tests and a first look
  std::vector<ProbeNetwork> more_networks;  // besides the usual ones
  simulate::SoftwareProfile software;       // with which steps are foretold, convoy's own
};

// Measures this machine's devices through the device interface: what teams of threads reach, alone
// and beside each other, copies, the cost of an operation, layers; and how well that foretells a
// step. `tell` is told what is being measured. `sharing_nothing`: a strategy in which devices share
// nothing.
MachineProfile calibrate(const DevicePlugin& plugin, StrategyPlugin& sharing_nothing,
                         const ProcessorFacts& facts, const CalibrationOptions& options,
                         const std::function<void(const std::string&)>& tell);

}  // namespace convoy::calibrate
