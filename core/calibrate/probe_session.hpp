#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/calibrate/probe_networks.hpp"
#include "core/plugin/strategy_plugin.hpp"
#include "core/runtime/network/cluster_task.hpp"
#include "core/runtime/open_devices.hpp"
#include "core/runtime/session.hpp"

namespace convoy::calibrate {

// A probe network in training on all of the devices at once, with one batch of noise; each for
// itself where the strategy is one in which devices share nothing.
class ProbeSession {
 public:
  // profile: keep the times of layers. task: of several hosts, which make theirs at the same time.
  ProbeSession(const ProbeNetwork& network, StrategyPlugin& strategy,
               const std::shared_ptr<runtime::OpenDevices>& devices, bool profile,
               const runtime::ClusterTask* task = nullptr);

  // Seconds from its start to its end on the last device.
  double step();
  runtime::Session& session() { return *session_; }
  const runtime::Session& session() const { return *session_; }

 private:
  std::unique_ptr<runtime::Session> session_;
  std::vector<float> images_;
  std::vector<std::int32_t> labels_;
};

// Seconds of a usual step: the mean of two behind the first one, which is slower.
double usual_step(ProbeSession& probe);

}  // namespace convoy::calibrate
