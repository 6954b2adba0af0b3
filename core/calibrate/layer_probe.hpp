#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/calibrate/probe_networks.hpp"
#include "core/plugin/strategy_plugin.hpp"
#include "core/runtime/open_devices.hpp"
#include "core/simulate/layer_rates.hpp"

namespace convoy::calibrate {

// Trains the network on all of the devices at once, each for itself, and takes the time of every
// pass of every layer: the mean over devices, of the fastest step, because whatever disturbs a
// machine makes it slower. Takes steps until `enough_seconds` are spent, two at least.
// `sharing_nothing` is a strategy in which devices share nothing. Error kUnavailable for devices
// that do not tell the times of layers.
std::vector<simulate::LayerSample> probe_layers(const ProbeNetwork& network,
                                                StrategyPlugin& sharing_nothing,
                                                const std::shared_ptr<OpenDevices>& devices,
                                                double enough_seconds);

}  // namespace convoy::calibrate
