#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/plan/cluster.hpp"
#include "core/plugin/device_plugin.hpp"
#include "core/runtime/memory.hpp"

namespace convoy {

// The devices of a run, open, and the cluster that they form. Several sessions may share them: each
// has memory and programs of its own, while operations go through the same queues and threads, so
// that a session which has nothing queued costs nothing. The plug-in must outlive it.
class OpenDevices {
 public:
  // As many devices as that, 0: the machine's natural number. threads: per CPU device, 0: share the
  // cores.
  OpenDevices(const DevicePlugin& plugin, std::uint32_t devices, std::uint32_t threads);
  OpenDevices(const OpenDevices&) = delete;
  OpenDevices& operator=(const OpenDevices&) = delete;

  const Cluster& cluster() const { return cluster_; }
  // What is known of the devices' places besides what they say themselves. Before plans are made.
  void locate(ReplicaGroups groups, std::function<Route(std::uint32_t, std::uint32_t)> route);
  // Per place of the cluster.
  const Engines& engines() const { return engines_; }
  const std::vector<convoy_device_description>& descriptions() const { return descriptions_; }
  KernelForms kernel_forms() const { return opened_.front()->kernel_forms(); }
  // How messages wake them, and they the network; null: neither does.
  const convoy_device_waking* waking() const { return opened_.front()->waking(); }
  // Whether all devices have that flag of convoy_device_flag.
  bool all_have(std::uint32_t flag) const;
  double now() { return opened_.front()->now(); }

  // The same of every device, all at once, as they compute in a step. Error when a kind of devices
  // cannot measure itself.
  std::vector<double> measure(convoy_measurement what);

  // Never closes the devices: closing one that hangs would hang, too. From then on they are not to
  // be touched.
  void abandon();
  bool abandoned() const { return abandoned_; }

 private:
  std::vector<std::unique_ptr<OpenDevice>> opened_;
  std::vector<convoy_device_description> descriptions_;
  Cluster cluster_;
  Engines engines_;
  bool abandoned_ = false;
};

}  // namespace convoy
