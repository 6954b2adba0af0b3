#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/plan/cluster.hpp"
#include "core/plugin/device_plugin.hpp"
#include "core/runtime/memory.hpp"

namespace convoy::runtime {

// The open devices of a run, and the cluster that they form. Several sessions may share them. Each
// session has its own memory and programs, but operations use the same queues and threads; a
// session without queued operations costs nothing. The plug-in must outlive it.
class OpenDevices {
 public:
  // Opens `devices` devices; 0: the machine's natural number. `threads` is the number per CPU
  // device; 0: they share the cores.
  OpenDevices(const plugin::DevicePlugin& plugin, std::uint32_t devices, std::uint32_t threads);
  OpenDevices(const OpenDevices&) = delete;
  OpenDevices& operator=(const OpenDevices&) = delete;

  const plan::Cluster& cluster() const { return cluster_; }
  // Adds facts about the devices' places to their own descriptions. Call it before plans are made.
  void locate(plan::ReplicaGroups groups,
              std::function<plan::Route(std::uint32_t, std::uint32_t)> route);
  // The devices, per place of the cluster.
  const Engines& engines() const { return engines_; }
  const std::vector<convoy_device_description>& descriptions() const { return descriptions_; }
  plugin::KernelForms kernel_forms() const { return opened_.front()->kernel_forms(); }
  // The functions by which messages and operations wake each other; null: there are none.
  const convoy_device_waking* waking() const { return opened_.front()->waking(); }
  // Whether all devices have that flag of convoy_device_flag.
  bool all_have(std::uint32_t flag) const;
  double now() { return opened_.front()->now(); }

  // Returns why groups of devices of several processes cannot include these, each reason once;
  // empty if they can.
  std::string spanning_refusal() const;

  // Measures every device, all at the same time, as they compute in a step. Error when this kind of
  // device cannot measure itself.
  std::vector<double> measure(convoy_measurement what);

  // Abandons every device. Do not use them afterwards.
  void abandon();
  bool are_abandoned() const { return opened_.front()->is_abandoned(); }

 private:
  std::vector<std::unique_ptr<plugin::OpenDevice>> opened_;
  std::vector<convoy_device_description> descriptions_;
  plan::Cluster cluster_;
  Engines engines_;
};

}  // namespace convoy::runtime
