#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "topology/graph/machine.hpp"

namespace convoy::topology {

// What a route passes, ordered from near to far, like the names of NCCL and nvidia-smi.
enum class RouteKind {
  same_node,    // within one processor: its package, its memory
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

// The way of data from one node to another. `bytes_per_second` is the lowest rate of its links, or
// unknown if one of them is unknown. Connections of unknown rate within a processor are no limit.
struct Route {
  RouteKind kind = RouteKind::unconnected;
  std::vector<Hop> hops;
  std::optional<double> bytes_per_second;
};

// Returns the best route between two nodes (GPUs, NUMA nodes, packages, NICs): direct NVLink first,
// then the least RouteKind, then the widest, then the fewest hops. Node order breaks ties, so that
// every host finds the same route. It never passes through a GPU, and passes through a NIC only
// between hosts.
Route find_route(const Machine& machine, std::size_t from, std::size_t to);

// The same for callers that ask often: the links of every node are listed once. A search follows
// only the links of the two hosts and of networks. The machine must outlive this object and not
// change.
class RouteFinder {
 public:
  explicit RouteFinder(const Machine& machine);

  Route find(std::size_t from, std::size_t to) const;

 private:
  friend class RouteSearch;
  struct Edge {
    std::size_t to = 0;
    Hop hop;
  };
  const Machine& machine_;
  std::vector<std::vector<Edge>> edges_;  // per node: its links, ordered by the node they lead to
};

// Returns the hop of a route over its slowest link, the first one of equal rates. Returns nothing
// if a link's rate is unknown, except inside a processor.
std::optional<Hop> slowest_hop(const Machine& machine, const Route& route);

}  // namespace convoy::topology
