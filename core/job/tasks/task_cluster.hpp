#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/plan/cluster.hpp"
#include "core/runtime/open_devices.hpp"

namespace convoy::job {

// The devices of each worker. All workers have devices like the chief's; tasks agree on this before
// they plan.
struct TaskDevices {
  std::uint32_t count = 1;  // devices per worker
  bool peer_access = false;
  bool priorities = false;
  std::string kind;  // "cpu"
  plan::ReplicaGroups groups = {};
  // the reason why the devices' collectives cannot span tasks; empty: they can
  std::string no_collectives = {};
};

// The properties of a worker that decide whether collectives of devices can span tasks.
struct WorkersDevices {
  std::string task;     // "worker 1 (host7, pid 4711)"
  std::string machine;  // the same for all tasks of one machine
  std::string refusal;  // the devices' reason; empty: they have such collectives
  std::vector<std::string> names;
  std::vector<std::string> localities;  // for each device, for example a PCI address
};

// Returns why no collective can span the devices of these workers, naming both sides; empty: one
// can.
std::string why_no_spanning_collectives(const std::vector<WorkersDevices>& workers);

// Returns the devices of a worker that has opened `count` of them. A server opens other devices.
TaskDevices task_devices(const runtime::OpenDevices& devices, std::uint32_t count);

// Returns the cluster of a run of several tasks. Every task counts as a host, wherever it runs.
plan::Cluster cluster_of_tasks(std::uint32_t workers, std::uint32_t servers,
                               const TaskDevices& devices);

}  // namespace convoy::job
