#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/calibrate/probe_networks.hpp"
#include "core/calibrate/probe_session.hpp"
#include "core/plugin/strategy_plugin.hpp"
#include "core/runtime/open_devices.hpp"
#include "core/simulate/layers/layer_rates.hpp"

namespace convoy::calibrate {

// Trains a network on all of some devices at once, each for itself, a step whenever it is asked to,
// and takes the time of every pass of every layer, the mean over the devices. Steps are best taken
// seconds apart: whatever disturbs a machine makes it slower, for a second or two, so of several
// steps the fastest time of every pass counts.
class LayerProbe {
 public:
  // Takes the first step. It is slower than later ones and does not count as a step, but the times
  // of its passes do. `sharing_nothing` is a strategy in which devices share nothing. Error
  // kUnavailable for devices that do not tell the times of layers.
  LayerProbe(const ProbeNetwork& network, StrategyPlugin& sharing_nothing,
             const std::shared_ptr<runtime::OpenDevices>& devices);

  const std::string& network() const { return network_.name; }
  void step();
  // Two of the steps took about as long as the fastest would: another one would tell little.
  bool settled() const;
  // How much longer a step usually takes than all passes' fastest times together; one must have
  // been taken.
  double usual_excess() const;
  // All passes, in their fastest times.
  std::vector<simulate::LayerSample> samples() const;

 private:
  using PassSeconds = std::vector<std::array<double, 3>>;  // per node, of one step
  using Records = std::vector<std::vector<convoy_profile_record>>;

  PassSeconds seconds_since(const Records& before, const Records& after) const;

  ProbeNetwork network_;
  ProbeSession probe_;
  Records before_;
  PassSeconds fastest_;
  std::vector<double> step_seconds_;
};

}  // namespace convoy::calibrate
