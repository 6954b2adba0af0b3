#include "tests/simulate/parameter_servers.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace convoy::simulate {
namespace {

std::uint32_t host_place(const plan::Cluster& cluster, std::uint32_t host) {
  CONVOY_CHECK_LT(host, cluster.hosts);
  for (std::uint32_t p = cluster.replicas(); p < cluster.places.size(); ++p)
    if (cluster.places[p].host == host) return p;
  CONVOY_CHECK(false && "a host of the cluster");
  return CONVOY_NONE;
}

// Device places of the host address the server's memory as they do the host's own, and host places
// of one host each other's.
void extend_access(plan::Cluster& cluster, std::uint32_t twin) {
  const std::size_t server = cluster.access.size();
  for (std::size_t p = 0; p < server; ++p) {
    const bool addresses = p == twin || cluster.access[p][twin];
    cluster.access[p].push_back(addresses);
  }
  std::vector<bool> row = cluster.access[twin];
  row.back() = true;
  cluster.access.push_back(std::move(row));
}

}  // namespace

void add_parameter_servers(SimulatedCluster& simulated, const std::vector<std::uint32_t>& hosts) {
  plan::Cluster& cluster = simulated.cluster;
  SimulatedMachine& machine = simulated.machine;
  std::vector<std::uint32_t> twins;  // by place: the one whose ways it has
  for (std::uint32_t p = 0; p < cluster.places.size(); ++p) twins.push_back(p);
  for (std::uint32_t s = 0; s < hosts.size(); ++s) {
    const std::uint32_t twin = host_place(cluster, hosts[s]);
    extend_access(cluster, twin);
    cluster.places.push_back(
        {CONVOY_PLACE_HOST, hosts[s], CONVOY_NONE, CONVOY_NONE, fmt::format("ps:{}", s), {}});
    machine.places.push_back(machine.places[twin]);
    twins.push_back(twin);
  }
  cluster.route = [twins, route = cluster.route](std::uint32_t from, std::uint32_t to) {
    return route(twins[from], twins[to]);
  };
  machine.paths = [twins, paths = machine.paths](std::uint32_t from, std::uint32_t to) {
    return twins[from] == twins[to] ? Path{} : paths(twins[from], twins[to]);
  };
}

}  // namespace convoy::simulate
