#pragma once

#include <array>
#include <memory>
#include <vector>

#include "core/calibrate/probe_networks.hpp"
#include "core/calibrate/probe_session.hpp"
#include "core/plugin/strategy_plugin.hpp"
#include "core/runtime/open_devices.hpp"
#include "core/simulate/layers/layer_rates.hpp"

namespace convoy::calibrate {

// Trains a network on several devices at once, each by itself, one step per call. It measures the
// time of every pass of every layer, as the mean over the devices, and keeps the fastest time of
// each pass. Steps should be seconds apart, because a disturbance slows a machine down for a second
// or two.
class LayerProbe {
 public:
  // Takes the first step. It is slower than later ones and does not count as a step, but the times
  // of its passes count. `sharing_nothing` is a strategy in which devices share nothing. Throws
  // Error (kUnavailable) if the devices do not report the times of layers.
  LayerProbe(const ProbeNetwork& network, plugin::StrategyPlugin& sharing_nothing,
             const std::shared_ptr<runtime::OpenDevices>& devices);

  const std::string& network() const { return network_.name; }
  void step();
  // Returns whether two of the steps took about as long as all fastest passes together, so that
  // another step would add little.
  bool settled() const;
  // Returns how much longer a step usually takes than the fastest times of all passes together. At
  // least one step must have been taken.
  double usual_excess() const;
  // Returns all passes with their fastest times.
  std::vector<simulate::LayerSample> samples() const;

 private:
  using PassSeconds = std::vector<std::array<double, 3>>;  // times of one step, by node
  using Records = std::vector<std::vector<convoy_profile_record>>;

  PassSeconds seconds_since(const Records& before, const Records& after) const;

  ProbeNetwork network_;
  ProbeSession probe_;
  Records before_;
  PassSeconds fastest_;
  std::vector<double> step_seconds_;
};

}  // namespace convoy::calibrate
