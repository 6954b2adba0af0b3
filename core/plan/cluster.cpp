#include "core/plan/cluster.hpp"

#include <fmt/format.h>

namespace convoy::plan {

std::vector<std::uint32_t> Cluster::engines_of(std::uint32_t place) const {
  const std::vector<std::uint32_t>& served_by = places.at(place).served_by;
  return served_by.empty() ? std::vector<std::uint32_t>{place} : served_by;
}

std::uint32_t Cluster::group_of(std::uint32_t sharing, std::uint32_t replica) const {
  if (sharing == CONVOY_SHARES_HOST) return places.at(replica_place.at(replica)).host;
  const std::vector<std::uint32_t>& numbers = sharing == CONVOY_SHARES_NUMA     ? groups.numa
                                              : sharing == CONVOY_SHARES_SWITCH ? groups.pcie_switch
                                                                                : groups.nvlink;
  return numbers.empty() ? CONVOY_NONE : numbers.at(replica);
}

std::string Cluster::device_kind() const {
  const std::string& name = places.front().name;
  return name.substr(0, name.find(':'));
}

Cluster make_single_host(std::uint32_t devices, bool peer_access, const std::string& device_kind) {
  Cluster cluster;
  const std::uint32_t host = devices;
  for (std::uint32_t i = 0; i < devices; ++i) {
    cluster.places.push_back(
        {CONVOY_PLACE_DEVICE, 0, i, host, fmt::format("{}:{}", device_kind, i), {}});
    cluster.replica_place.push_back(i);
  }
  Place host_place{CONVOY_PLACE_HOST, 0, CONVOY_NONE, CONVOY_NONE, "host:0", {}};
  if (peer_access) host_place.served_by = cluster.replica_place;
  cluster.places.push_back(host_place);
  cluster.joins_updates = peer_access;
  cluster.device_priorities = peer_access;

  const std::uint32_t count = devices + 1;
  cluster.access.assign(count, std::vector<bool>(count, peer_access));
  for (std::uint32_t p = 0; p < count; ++p) {
    cluster.access[p][p] = true;
    // A device's copy engines reach host memory; the host never reaches into a device.
    if (p != host) cluster.access[p][host] = true;
  }
  cluster.route = [peer_access](std::uint32_t from, std::uint32_t to) {
    Route route;
    route.kind = from == to    ? CONVOY_ROUTE_SAME_MEMORY
                 : peer_access ? CONVOY_ROUTE_SHARED_MEMORY
                               : CONVOY_ROUTE_PCIE_HOST_BRIDGE;
    return route;
  };
  return cluster;
}

}  // namespace convoy::plan
