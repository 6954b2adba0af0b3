#pragma once

#include <cstdint>
#include <string>

#include "core/plan/cluster.hpp"
#include "core/runtime/open_devices.hpp"

namespace convoy::job {

// What tasks agree on before they plan: the devices of each worker, which are as the chief's.
struct TaskDevices {
  std::uint32_t count = 1;  // per worker
  bool peer_access = false;
  bool priorities = false;
  std::string kind;  // "cpu"
  ReplicaGroups groups = {};
};

// The devices of a worker that has opened so many of them; servers open others.
TaskDevices task_devices(const OpenDevices& devices, std::uint32_t count);

// The cluster of a run on several hosts: every task is a host of its own, wherever it runs.
Cluster cluster_of_tasks(std::uint32_t workers, std::uint32_t servers, const TaskDevices& devices);

}  // namespace convoy::job
