#pragma once

#include <cstdint>

#include "core/plan/cluster.hpp"
#include "core/runtime/memory.hpp"
#include "core/runtime/network/collective_groups.hpp"
#include "core/runtime/network/network_engine.hpp"
#include "core/runtime/network/peers.hpp"
#include "core/runtime/open_devices.hpp"

namespace convoy::runtime {

// One task of a run on several hosts: the whole cluster, the number of this host, and its
// connections to the others. The objects behind the pointers must outlive the sessions of the task.
struct ClusterTask {
  const plan::Cluster* cluster = nullptr;  // the same on every task
  std::uint32_t host = 0;
  NetworkEngine* network = nullptr;
  Peers* peers = nullptr;
  // For collectives over devices of several tasks; may be null if the cluster has none.
  CollectiveInterruption* interruption = nullptr;
  double join_timeout = 60;  // seconds that opening the groups of such collectives may take
};

// Returns, per place of the cluster, the open device that runs its operations; null for places of
// other hosts. The task's device places are its devices in their order. These devices serve its
// host places, or the first device does if the host has no device places (a parameter server).
// Error kUsage when the number of devices of this host in the cluster differs from the open ones.
Engines engines_of(const ClusterTask& task, const OpenDevices& devices);

}  // namespace convoy::runtime
