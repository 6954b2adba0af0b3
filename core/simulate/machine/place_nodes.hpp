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

// A machine's graph with the possible nodes of every place of a cluster. The functions that find
// routes later share it. Any thread may call it.
class PlaceNodes {
 public:
  explicit PlaceNodes(const topology::Machine& machine) : graph(machine), routes_(graph) {}
  PlaceNodes(const PlaceNodes&) = delete;
  PlaceNodes& operator=(const PlaceNodes&) = delete;

  topology::Route find(std::uint32_t from, std::uint32_t to);
  // Finds all routes that carry data at once.
  std::vector<topology::Route> find_all(std::uint32_t from, std::uint32_t to);
  // Returns which of the packages with the nodes of a host place is nearest to a device, numbered
  // from 0.
  std::uint32_t near_memory(std::uint32_t device, std::uint32_t host_place);
  // Returns whether network cards move the data of a device themselves.
  bool has_near_card(std::uint32_t device);
  // Returns a route in the form that strategies see.
  plan::Route route(std::uint32_t from, std::uint32_t to);

  const topology::Machine graph;
  std::vector<std::vector<std::size_t>> nodes;  // per place; set before the first call

 private:
  std::pair<std::size_t, std::size_t> ends(std::uint32_t from, std::uint32_t to);

  HostRoutes routes_;
  std::mutex mutex_;  // guards routes_
};

// Returns the nodes that can hold the memory of a host place: the host's NUMA nodes, else its
// packages, else the host itself.
std::vector<std::size_t> memory_nodes(const topology::Machine& machine, std::uint32_t host);

// Groups the replicas whose GPUs share a NUMA node, a PCIe switch or NVLink.
plan::ReplicaGroups replica_groups(const topology::Machine& machine,
                                   const std::vector<std::vector<std::size_t>>& nodes_of_places,
                                   const std::vector<std::uint32_t>& replica_place);

}  // namespace convoy::simulate
