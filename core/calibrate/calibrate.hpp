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
  // The approximate time for everything except `more_networks`. Measurements that do not fit are
  // left out.
  double seconds = 9.2;
  bool quick = false;  // small vectors and layers, which take a second: for tests and a first look
  std::vector<ProbeNetwork> more_networks;  // measured in addition to the usual ones
  simulate::SoftwareProfile software;  // the software that predictions assume; convoy by default
};

// Measures this machine's devices through the device interface: the rates of teams of threads,
// alone and beside each other, the rates of copies, the cost of an operation, and the times of
// layers. Then it checks how well these predict a step. `tell` receives a text for each measurement
// that begins. `sharing_nothing` is a strategy in which devices share nothing.
// Networks that do not fit into memory are left out. If the first one does not fit, throws Error
// (kUnavailable) before it measures.
MachineProfile calibrate(const plugin::DevicePlugin& plugin,
                         plugin::StrategyPlugin& sharing_nothing, const ProcessorFacts& facts,
                         const CalibrationOptions& options,
                         const std::function<void(const std::string&)>& tell);

}  // namespace convoy::calibrate
