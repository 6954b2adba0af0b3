#pragma once

#include <cstdint>
#include <memory>

#include "core/plan/cluster.hpp"
#include "core/runtime/memory.hpp"
#include "core/runtime/network_engine.hpp"
#include "core/runtime/open_devices.hpp"
#include "core/runtime/peers.hpp"

namespace convoy {

// One task of a run on several hosts: the whole cluster, which host of it this process is, and what
// joins it to the others. What is pointed to must outlive the sessions of the task.
struct ClusterTask {
  const Cluster* cluster = nullptr;  // the same on every task
  std::uint32_t host = 0;
  NetworkEngine* network = nullptr;
  Peers* peers = nullptr;
};

// Per place of the cluster, the open device that runs it: the task's device places are its devices
// in their order, its host places are served by those, or by the first device where no place of
// their own is (a parameter server). Null: another host's. Error kUsage when the cluster counts
// other devices of this host than are open.
Engines engines_of(const ClusterTask& task, const OpenDevices& devices);

}  // namespace convoy
