#include "core/job/tasks/task_cluster.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "core/plan/host_cluster.hpp"

namespace convoy::job {
namespace {

// Devices that share the host's memory have no collectives of their own.
std::string spanning_refusal(const runtime::OpenDevices& devices) {
  return devices.all_have(CONVOY_DEVICE_SHARES_HOST_MEMORY)
             ? "devices of different tasks reduce by messages"
             : devices.spanning_refusal();
}

}  // namespace

TaskDevices task_devices(const runtime::OpenDevices& devices, std::uint32_t count) {
  const plan::Cluster& cluster = devices.cluster();
  const bool several = count > 1 && cluster.replicas() > 1;
  return {count,
          several ? cluster.access[0][1] : devices.all_have(CONVOY_DEVICE_SHARES_HOST_MEMORY),
          cluster.device_priorities,
          cluster.device_kind(),
          cluster.groups,
          spanning_refusal(devices)};
}

std::string why_no_spanning_collectives(const std::vector<WorkersDevices>& workers) {
  std::map<std::pair<std::string, std::string>, std::string> known;
  for (const WorkersDevices& worker : workers) {
    const WorkersDevices& other = workers.front().task == worker.task ? workers.back() : workers[0];
    if (!worker.refusal.empty())
      return fmt::format("devices of {} cannot reduce with those of {}: {}", worker.task,
                         other.task, worker.refusal);
    for (std::size_t i = 0; i < worker.names.size(); ++i) {
      const std::string name = fmt::format("{} of {}", worker.names[i], worker.task);
      if (worker.localities[i].empty()) continue;
      const auto [it, is_new] = known.try_emplace({worker.machine, worker.localities[i]}, name);
      if (!is_new)
        return fmt::format(
            "{} and {} are one device, {}, which a collective takes once; give every task devices "
            "of its own, with --gpu_indices or CUDA_VISIBLE_DEVICES",
            it->second, name, worker.localities[i]);
    }
  }
  return {};
}

plan::Cluster cluster_of_tasks(std::uint32_t workers, std::uint32_t servers,
                               const TaskDevices& devices) {
  plan::HostsDescription hosts;
  hosts.hosts = workers;
  hosts.devices_per_host = devices.count;
  hosts.peer_access = devices.peer_access;
  hosts.device_kind = devices.kind;
  hosts.device_priorities = devices.priorities;
  hosts.groups = devices.groups;
  for (std::uint32_t server = 0; server < servers; ++server)
    hosts.server_hosts.push_back(workers + server);
  plan::Cluster cluster = plan::make_hosts(hosts);
  cluster.device_collectives = devices.no_collectives.empty() && cluster.replicas() > 1;
  cluster.no_device_collectives = devices.no_collectives;
  return cluster;
}

}  // namespace convoy::job
