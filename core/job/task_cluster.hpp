#pragma once

#include <cstdint>
#include <string>
#include <vector>

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
  // Why collectives of the devices do not reach those of other tasks; empty: they do.
  std::string no_collectives = {};
};

// What one worker brings to the question whether collectives of devices reach from task to task.
struct WorkersDevices {
  std::string task;     // "worker 1 (host7, pid 4711)"
  std::string machine;  // the same for all tasks of one machine
  std::string refusal;  // of its devices; empty: they have such collectives
  std::vector<std::string> names;
  std::vector<std::string> localities;  // of the devices, for example a PCI address
};

// Why no collective has devices of all these workers; empty: they can have it. Names both sides.
std::string why_no_spanning_collectives(const std::vector<WorkersDevices>& workers);

// The devices of a worker that has opened so many of them; servers open others.
TaskDevices task_devices(const runtime::OpenDevices& devices, std::uint32_t count);

// The cluster of a run on several hosts: every task is a host of its own, wherever it runs.
Cluster cluster_of_tasks(std::uint32_t workers, std::uint32_t servers, const TaskDevices& devices);

}  // namespace convoy::job
