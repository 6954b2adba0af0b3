#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "core/plan/cluster.hpp"
#include "core/simulate/machine/host_routes.hpp"
#include "topology/graph/machine.hpp"

namespace convoy::simulate {

// A machine's graph, and for every place of a cluster the nodes that it may be: shared by the
// functions that look for routes later. Any thread.
class PlaceNodes {
 public:
  explicit PlaceNodes(const topology::Machine& machine) : graph(machine), routes_(graph) {}
  PlaceNodes(const PlaceNodes&) = delete;
  PlaceNodes& operator=(const PlaceNodes&) = delete;

  topology::Route find(std::uint32_t from, std::uint32_t to);
  // All that carry data at once.
  std::vector<topology::Route> find_all(std::uint32_t from, std::uint32_t to);
  // Which of the packages with the nodes of a host's place lies nearest to a device's, from 0 on.
  std::uint32_t near_memory(std::uint32_t device, std::uint32_t host_place);
  // As strategies see it.
  convoy::Route route(std::uint32_t from, std::uint32_t to);

  const topology::Machine graph;
  std::vector<std::vector<std::size_t>> nodes;  // per place; set before any route is asked for

 private:
  std::pair<std::size_t, std::size_t> ends(std::uint32_t from, std::uint32_t to);

  HostRoutes routes_;
  std::mutex mutex_;  // of what routes_ has found
};

// The NUMA nodes of a host, else its packages, else itself: what its place's memory may be.
std::vector<std::size_t> memory_nodes(const topology::Machine& machine, std::uint32_t host);

// What the replicas on these places' GPUs share.
ReplicaGroups replica_groups(const topology::Machine& machine,
                             const std::vector<std::vector<std::size_t>>& nodes_of_places,
                             const std::vector<std::uint32_t>& replica_place);

}  // namespace convoy::simulate
