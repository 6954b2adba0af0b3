#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "topology/machine.hpp"

namespace convoy::topology {

// What a route passes, ordered from near to far as the names of NCCL and nvidia-smi are.
enum class RouteKind {
  same_node,
  nvlink,       // links between GPUs, or a GPU and a package
  pcie_switch,  // below one host bridge, over switches only
  host_bridge,  // over one package's host bridges
  socket,       // over the link between packages
  network,      // between hosts
  unconnected
};

// One use of a link: from a to b if `forward`.
struct Hop {
  std::size_t link = 0;
  bool forward = true;
};

// The way that data take from one node to another. `bytes_per_second` is the least of its links',
// unknown when one of them is.
struct Route {
  RouteKind kind = RouteKind::unconnected;
  std::vector<Hop> hops;
  std::optional<double> bytes_per_second;
};

// The best route between two nodes (GPUs, NUMA nodes, packages, NICs): direct NVLink first, then
// the least RouteKind, then the widest, then the fewest hops; ties by node order, so that every
// host finds the same. Never passes through a GPU; passes through a NIC only between hosts.
Route find_route(const Machine& machine, std::size_t from, std::size_t to);

const char* name(RouteKind kind);

}  // namespace convoy::topology
