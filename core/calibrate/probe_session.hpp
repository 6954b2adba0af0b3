#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/calibrate/probe_networks.hpp"
#include "core/plugin/strategy_plugin.hpp"
#include "core/runtime/open_devices.hpp"
#include "core/runtime/session.hpp"

namespace convoy::calibrate {

// A probe network in training on all of the devices at once, each for itself, with one batch of
// noise. `sharing_nothing` is a strategy in which devices share nothing.
class ProbeSession {
 public:
  // profile: keep the times of layers.
  ProbeSession(const ProbeNetwork& network, StrategyPlugin& sharing_nothing,
               const std::shared_ptr<OpenDevices>& devices, bool profile);

  // Seconds from its start to its end on the last device.
  double step();
  Session& session() { return session_; }
  const Session& session() const { return session_; }

 private:
  Session session_;
  std::vector<float> images_;
  std::vector<std::int32_t> labels_;
};

// Seconds of a usual step: the mean of two behind the first one, which is slower.
double usual_step(ProbeSession& probe);

}  // namespace convoy::calibrate
