#pragma once

#include <cstdint>
#include <memory>

#include "core/calibrate/machine_profile.hpp"
#include "core/calibrate/probe_networks.hpp"
#include "core/calibrate/probe_session.hpp"
#include "core/plugin/strategy_plugin.hpp"
#include "core/runtime/open_devices.hpp"
#include "core/simulate/machine/constants.hpp"

namespace convoy::calibrate {

// Predicts the seconds of a step that trains a network by this lowered plan, on devices with
// `threads` threads each.
double predict_step(const MachineProfile& profile, const graph::Graph& graph, std::uint32_t batch,
                    const plan::Plan& lowered, std::uint32_t threads,
                    const simulate::SoftwareProfile& software);

// Checks how well a profile predicts the step of a network that it was not measured with. It trains
// the network for a few steps and takes their median. When the profile is complete, it predicts
// that step as simulations do.
class StepCheck {
 public:
  StepCheck(const ProbeNetwork& network, plugin::StrategyPlugin& sharing_nothing,
            const std::shared_ptr<runtime::OpenDevices>& devices);

  std::uint32_t devices() const { return probe_->session().cluster().replicas(); }
  double measured_seconds() const { return measured_seconds_; }
  CheckedStep against(const MachineProfile& profile,
                      const simulate::SoftwareProfile& software) const;

 private:
  std::uint32_t batch_;
  std::unique_ptr<ProbeSession> probe_;
  double measured_seconds_;
};

}  // namespace convoy::calibrate
