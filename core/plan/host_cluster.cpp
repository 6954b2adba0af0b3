#include "core/plan/host_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"

namespace convoy::plan {
namespace {

bool is_device(const Place& place) {
  return place.kind == CONVOY_PLACE_DEVICE;
}

void add_devices(Cluster& cluster, const HostsDescription& it) {
  for (std::uint32_t r = 0; r < it.hosts * it.devices_per_host; ++r) {
    const std::uint32_t host = r / it.devices_per_host;
    const std::uint32_t host_place = it.hosts * it.devices_per_host + host;
    cluster.places.push_back(
        {CONVOY_PLACE_DEVICE, host, r, host_place, fmt::format("{}:{}", it.device_kind, r), {}});
    cluster.replica_place.push_back(r);
  }
}

void add_host_places(Cluster& cluster, const HostsDescription& it) {
  for (std::uint32_t host = 0; host < it.hosts; ++host) {
    Place place{
        CONVOY_PLACE_HOST, host, CONVOY_NONE, CONVOY_NONE, fmt::format("host:{}", host), {}};
    if (it.peer_access)
      for (std::uint32_t d = 0; d < it.devices_per_host; ++d)
        place.served_by.push_back(host * it.devices_per_host + d);
    cluster.places.push_back(std::move(place));
  }
  for (std::uint32_t s = 0; s < it.server_hosts.size(); ++s) {
    const std::uint32_t host = it.server_hosts[s];
    if (host > cluster.hosts)
      fail(ExitCode::kUsage, "parameter server {} is on host {}, but there are {} hosts", s, host,
           cluster.hosts);
    cluster.hosts = std::max(cluster.hosts, host + 1);
    cluster.places.push_back(
        {CONVOY_PLACE_HOST, host, CONVOY_NONE, CONVOY_NONE, fmt::format("ps:{}", s), {}});
  }
}

bool addresses(const Cluster& cluster, bool peer_access, std::uint32_t from, std::uint32_t to) {
  const Place& engine = cluster.places[from];
  const Place& memory = cluster.places[to];
  if (from == to) return true;
  if (engine.host != memory.host) return false;
  return peer_access || !is_device(memory);
}

void set_access(Cluster& cluster, bool peer_access) {
  const auto count = static_cast<std::uint32_t>(cluster.places.size());
  std::vector<std::vector<std::uint32_t>> members(cluster.hosts);
  for (std::uint32_t p = 0; p < count; ++p) members[cluster.places[p].host].push_back(p);
  cluster.access.assign(count, std::vector<bool>(count, false));
  for (std::uint32_t p = 0; p < count; ++p)
    for (const std::uint32_t q : members[cluster.places[p].host])
      cluster.access[p][q] = addresses(cluster, peer_access, p, q);
}

// Returns the groups of all hosts: the numbers of one host's groups, and different numbers for
// every further host.
std::vector<std::uint32_t> on_all_hosts(const std::vector<std::uint32_t>& one,
                                        std::uint32_t hosts) {
  std::vector<std::uint32_t> all;
  if (one.empty()) return all;
  const std::uint32_t groups = *std::max_element(one.begin(), one.end()) + 1;
  for (std::uint32_t host = 0; host < hosts; ++host)
    for (const std::uint32_t group : one) all.push_back(host * groups + group);
  return all;
}

ReplicaGroups on_all_hosts(const HostsDescription& it) {
  return {on_all_hosts(it.groups.numa, it.hosts), on_all_hosts(it.groups.pcie_switch, it.hosts),
          on_all_hosts(it.groups.nvlink, it.hosts)};
}

std::uint32_t route_kind(const Place& from, const Place& to, bool same, bool peer_access) {
  if (same) return CONVOY_ROUTE_SAME_MEMORY;
  if (from.host != to.host) return CONVOY_ROUTE_NETWORK;
  const bool host_memory = !is_device(from) && !is_device(to);
  return peer_access || host_memory ? CONVOY_ROUTE_SHARED_MEMORY : CONVOY_ROUTE_PCIE_HOST_BRIDGE;
}

}  // namespace

Cluster make_hosts(const HostsDescription& description) {
  Cluster cluster;
  if (description.hosts == 1 && description.server_hosts.empty()) {
    cluster = make_single_host(description.devices_per_host, description.peer_access,
                               description.device_kind);
    cluster.groups = description.groups;
    return cluster;
  }
  cluster.hosts = description.hosts;
  add_devices(cluster, description);
  add_host_places(cluster, description);
  set_access(cluster, description.peer_access);
  cluster.device_collectives = cluster.hosts > 1;
  cluster.joins_updates = description.peer_access;
  cluster.device_priorities = description.device_priorities.value_or(description.peer_access);
  cluster.groups = on_all_hosts(description);
  cluster.route = [places = cluster.places, peer_access = description.peer_access](
                      std::uint32_t from, std::uint32_t to) {
    Route route;
    route.kind = route_kind(places[from], places[to], from == to, peer_access);
    return route;
  };
  return cluster;
}

}  // namespace convoy::plan
