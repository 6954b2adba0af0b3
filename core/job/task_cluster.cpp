#include "core/job/task_cluster.hpp"

#include "core/plan/host_cluster.hpp"

namespace convoy::job {
namespace {

// The kind of a device's place: "cpu" of "cpu:0".
std::string device_kind(const Cluster& cluster) {
  const std::string& name = cluster.places.front().name;
  return name.substr(0, name.find(':'));
}

}  // namespace

TaskDevices task_devices(const OpenDevices& devices, std::uint32_t count) {
  const Cluster& cluster = devices.cluster();
  const bool several = count > 1 && cluster.replicas() > 1;
  return {count,
          several ? cluster.access[0][1] : devices.all_have(CONVOY_DEVICE_SHARES_HOST_MEMORY),
          cluster.device_priorities, device_kind(cluster), cluster.groups};
}

Cluster cluster_of_tasks(std::uint32_t workers, std::uint32_t servers, const TaskDevices& devices) {
  HostsDescription hosts;
  hosts.hosts = workers;
  hosts.devices_per_host = devices.count;
  hosts.peer_access = devices.peer_access;
  hosts.device_kind = devices.kind;
  hosts.device_priorities = devices.priorities;
  hosts.groups = devices.groups;
  for (std::uint32_t server = 0; server < servers; ++server)
    hosts.server_hosts.push_back(workers + server);
  Cluster cluster = make_hosts(hosts);
  cluster.device_collectives = false;
  cluster.no_device_collectives = "devices of different tasks reduce by messages";
  return cluster;
}

}  // namespace convoy::job
