#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "topology/graph/machine.hpp"

namespace convoy::topology {

// What a route passes, ordered from near to far as the names of NCCL and nvidia-smi are.
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

// The way that data take from one node to another. `bytes_per_second` is the least of its links',
// unknown when one of them is; connections within a processor whose rate is unknown are no limit.
struct Route {
  RouteKind kind = RouteKind::unconnected;
  std::vector<Hop> hops;
  std::optional<double> bytes_per_second;
};

// The best route between two nodes (GPUs, NUMA nodes, packages, NICs): direct NVLink first, then
// the least RouteKind, then the widest, then the fewest hops; ties by node order, so that every
// host finds the same. Never passes through a GPU; passes through a NIC only between hosts.
Route find_route(const Machine& machine, std::size_t from, std::size_t to);

// The same for callers that ask often: the links of every node are listed once. A search follows
// only the links of the two hosts and of networks. The machine must outlive this and stay as it is.
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
  std::vector<std::vector<Edge>> edges_;  // per node, by the number of the node they lead to
};

// The hop of a route over its slowest link, the first of equally slow ones; nothing where a link's
// rate is not known, except inside a processor.
std::optional<Hop> slowest_hop(const Machine& machine, const Route& route);

}  // namespace convoy::topology
