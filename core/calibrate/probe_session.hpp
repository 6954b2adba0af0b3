#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/calibrate/probe_networks.hpp"
#include "core/plugin/strategy_plugin.hpp"
#include "core/runtime/network/cluster_task.hpp"
#include "core/runtime/open_devices.hpp"
#include "core/runtime/session.hpp"

namespace convoy::calibrate {

// Trains a probe network on all of the devices at once, with one batch of noise. With a strategy in
// which devices share nothing, each device trains by itself.
class ProbeSession {
 public:
  // With `profile`, it keeps the times of layers. `task` is for several hosts, which all construct
  // their sessions at the same time.
  ProbeSession(const ProbeNetwork& network, plugin::StrategyPlugin& strategy,
               const std::shared_ptr<runtime::OpenDevices>& devices, bool profile,
               const std::optional<runtime::ClusterTask>& task = {});

  // Takes a step and returns the seconds until the last device ended it.
  double step();
  runtime::Session& session() { return session_; }
  const runtime::Session& session() const { return session_; }

 private:
  runtime::Session session_;
  std::vector<float> images_;
  std::vector<std::int32_t> labels_;
};

// Returns the seconds of a usual step: the mean of two steps after the first one, which is slower.
double usual_step(ProbeSession& probe);

}  // namespace convoy::calibrate
