#include "core/simulate/machine/place_nodes.hpp"

#include <algorithm>

#include "core/simulate/machine/host_memories.hpp"
#include "core/simulate/machine/machine_links.hpp"
#include "topology/graph/device_groups.hpp"

namespace convoy::simulate {
namespace {

using topology::NodeKind;
using topology::RouteKind;

std::uint32_t abi_route(RouteKind kind) {
  switch (kind) {
    case RouteKind::same_node:
      return CONVOY_ROUTE_SAME_MEMORY;
    case RouteKind::nvlink:
      return CONVOY_ROUTE_NVLINK;
    case RouteKind::pcie_switch:
      return CONVOY_ROUTE_PCIE_SWITCH;
    case RouteKind::host_bridge:
      return CONVOY_ROUTE_PCIE_HOST_BRIDGE;
    case RouteKind::socket:
      return CONVOY_ROUTE_SOCKET;
    case RouteKind::network:
      return CONVOY_ROUTE_NETWORK;
    default:
      return CONVOY_ROUTE_UNKNOWN;
  }
}

}  // namespace

topology::Route PlaceNodes::find(std::uint32_t from, std::uint32_t to) {
  const std::lock_guard lock(mutex_);
  const auto [source, target] = ends(from, to);
  return routes_.find(source, target);
}

std::vector<topology::Route> PlaceNodes::find_all(std::uint32_t from, std::uint32_t to) {
  const std::lock_guard lock(mutex_);
  const auto [source, target] = ends(from, to);
  return routes_.find_all(source, target);
}

std::uint32_t PlaceNodes::near_memory(std::uint32_t device, std::uint32_t host_place) {
  const std::lock_guard lock(mutex_);
  const std::vector<std::size_t>& memories = nodes[host_place];
  const auto found = std::ranges::find(memories, ends(device, host_place).second);
  return packages_of(graph, memories).at(found - memories.begin());
}

bool PlaceNodes::has_near_card(std::uint32_t device) {
  const std::lock_guard lock(mutex_);
  return routes_.has_near_card(nodes[device].front());
}

plan::Route PlaceNodes::route(std::uint32_t from, std::uint32_t to) {
  const topology::Route found = find(from, to);
  plan::Route route;
  route.kind = abi_route(found.kind);
  // HostRoutes knows only the rate of the first part of a route between hosts.
  if (const auto slowest = slowest_hop(graph, found)) {
    const topology::Link& link = graph.links[slowest->link];
    route.bytes_per_second = (slowest->forward ? link.a_to_b : link.b_to_a).value_or(0);
    route.shared_group = simulated_link(*slowest);
  }
  return route;
}

// Between the memories of two hosts, the route leads from the first node of one to the first node
// of the other.
std::pair<std::size_t, std::size_t> PlaceNodes::ends(std::uint32_t from, std::uint32_t to) {
  const auto& sources = nodes[from];
  const auto& targets = nodes[to];
  if (from == to) return {sources.front(), sources.front()};
  const std::size_t target =
      targets.size() == 1 ? targets.front() : routes_.nearest(sources.front(), targets);
  return {sources.size() == 1 ? sources.front() : routes_.nearest(target, sources), target};
}

std::vector<std::size_t> memory_nodes(const topology::Machine& machine, std::uint32_t host) {
  for (const NodeKind kind : {NodeKind::numa_node, NodeKind::package, NodeKind::host}) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < machine.nodes.size(); ++i)
      if (machine.nodes[i].host == host && machine.nodes[i].kind == kind) found.push_back(i);
    if (!found.empty()) return found;
  }
  return {};
}

plan::ReplicaGroups replica_groups(const topology::Machine& machine,
                                   const std::vector<std::vector<std::size_t>>& nodes_of_places,
                                   const std::vector<std::uint32_t>& replica_place) {
  std::vector<std::size_t> gpus;
  gpus.reserve(replica_place.size());
  for (const std::uint32_t place : replica_place) gpus.push_back(nodes_of_places[place].front());
  topology::DeviceGroups groups = topology::device_groups(machine, gpus);
  return {std::move(groups.numa), std::move(groups.pcie_switch), std::move(groups.nvlink)};
}

}  // namespace convoy::simulate
