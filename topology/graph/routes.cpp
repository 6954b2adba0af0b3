#include "topology/graph/routes.hpp"

#include <algorithm>
#include <limits>
#include <queue>
#include <utility>

#include "core/base/error.hpp"

namespace convoy::topology {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

// A link of unknown rate ranks behind all links of known rate, except inside a processor.
double link_width(const Link& link, bool forward) {
  const Fact<double>& rate = forward ? link.a_to_b : link.b_to_a;
  return rate.value_or(link.kind == LinkKind::internal ? kNoLimit : 0);
}

// The first kind of route that may use a link of this kind.
RouteKind least_kind(LinkKind kind) {
  switch (kind) {
    case LinkKind::internal:
      return RouteKind::same_node;
    case LinkKind::nvlink:
    case LinkKind::c2c:
      return RouteKind::nvlink;
    case LinkKind::pcie:
      return RouteKind::pcie_switch;
    case LinkKind::socket:
      return RouteKind::socket;
    default:
      return RouteKind::network;
  }
}

// The first kind of route that may pass through a node of this kind.
RouteKind least_kind(NodeKind kind) {
  switch (kind) {
    case NodeKind::package:
    case NodeKind::numa_node:
    case NodeKind::host:
      return RouteKind::same_node;
    case NodeKind::nvswitch:
      return RouteKind::nvlink;
    case NodeKind::pci_bridge:
      return RouteKind::pcie_switch;
    case NodeKind::host_bridge:
      return RouteKind::host_bridge;
    case NodeKind::nic:
    case NodeKind::network:
      return RouteKind::network;
    default:
      return RouteKind::unconnected;
  }
}

}  // namespace

// Looks for the best route of one kind between two nodes.
class RouteSearch {
 public:
  RouteSearch(const RouteFinder& finder, std::size_t from, std::size_t to)
      : finder_(finder), machine_(finder.machine_), from_(from), to_(to) {}

  Route run() {
    const bool one_host = machine_.nodes[from_].host == machine_.nodes[to_].host;
    static constexpr RouteKind kInHost[] = {RouteKind::same_node, RouteKind::nvlink,
                                            RouteKind::pcie_switch, RouteKind::host_bridge,
                                            RouteKind::socket};
    if (one_host)
      for (const RouteKind kind : kInHost)
        if (Route route = find(kind); route.kind != RouteKind::unconnected) return route;
    return find(RouteKind::network);
  }

 private:
  using Edge = RouteFinder::Edge;

  bool may_use(const Edge& edge, RouteKind kind) const {
    const Node& node = machine_.nodes[edge.to];
    if (least_kind(machine_.links[edge.hop.link].kind) > kind) return false;
    if (node.kind != NodeKind::network && node.host != machine_.nodes[from_].host &&
        node.host != machine_.nodes[to_].host)
      return false;
    return edge.to == to_ || least_kind(node.kind) <= kind;
  }

  Route find(RouteKind kind) const {
    const double least = widest(kind);
    return least < 0 ? Route{} : shortest(kind, least);
  }

  double width_of(const Edge& edge) const {
    return link_width(machine_.links[edge.hop.link], edge.hop.forward);
  }

  // Returns the width of the widest route; negative when there is none.
  double widest(RouteKind kind) const {
    std::vector<double> best(machine_.nodes.size(), -1);
    std::priority_queue<std::pair<double, std::size_t>> open;
    best[from_] = kNoLimit;
    open.push({kNoLimit, from_});
    while (!open.empty()) {
      const auto [so_far, node] = open.top();
      open.pop();
      if (node == to_) return so_far;
      if (so_far < best[node]) continue;
      for (const Edge& edge : finder_.edges_[node]) {
        if (!may_use(edge, kind)) continue;
        const double reached = std::min(so_far, width_of(edge));
        if (reached <= best[edge.to]) continue;
        best[edge.to] = reached;
        open.push({reached, edge.to});
      }
    }
    return -1;
  }

  // Returns the shortest route over links of at least this width, which must exist. Breadth first,
  // nodes in their order.
  Route shortest(RouteKind kind, double least) const {
    std::vector<const Edge*> arrived(machine_.nodes.size(), nullptr);
    std::vector<std::size_t> before(machine_.nodes.size(), 0);
    std::queue<std::size_t> open;
    open.push(from_);
    while (arrived[to_] == nullptr) {
      CONVOY_CHECK(!open.empty());
      const std::size_t node = open.front();
      open.pop();
      for (const Edge& edge : finder_.edges_[node]) {
        if (edge.to == from_ || arrived[edge.to] != nullptr) continue;
        if (!may_use(edge, kind) || width_of(edge) < least) continue;
        arrived[edge.to] = &edge;
        before[edge.to] = node;
        open.push(edge.to);
      }
    }
    Route route;
    route.kind = kind;
    for (std::size_t node = to_; node != from_; node = before[node])
      route.hops.push_back(arrived[node]->hop);
    std::reverse(route.hops.begin(), route.hops.end());
    if (least > 0 && least < kNoLimit) route.bytes_per_second = least;
    return route;
  }

  const RouteFinder& finder_;
  const Machine& machine_;
  std::size_t from_;
  std::size_t to_;
};

RouteFinder::RouteFinder(const Machine& machine) : machine_(machine), edges_(machine.nodes.size()) {
  for (std::size_t i = 0; i < machine.links.size(); ++i) {
    const Link& link = machine.links[i];
    CONVOY_CHECK(link.a < edges_.size() && link.b < edges_.size());
    edges_[link.a].push_back({link.b, {i, true}});
    edges_[link.b].push_back({link.a, {i, false}});
  }
  for (auto& edges : edges_)
    std::stable_sort(edges.begin(), edges.end(),
                     [](const Edge& x, const Edge& y) { return x.to < y.to; });
}

Route RouteFinder::find(std::size_t from, std::size_t to) const {
  CONVOY_CHECK(from < edges_.size() && to < edges_.size());
  if (from == to) {
    Route here;
    here.kind = RouteKind::same_node;
    return here;
  }
  return RouteSearch(*this, from, to).run();
}

Route find_route(const Machine& machine, std::size_t from, std::size_t to) {
  return RouteFinder(machine).find(from, to);
}

std::optional<Hop> slowest_hop(const Machine& machine, const Route& route) {
  std::optional<Hop> slowest;
  double least = kNoLimit;
  for (const Hop& hop : route.hops) {
    const double width = link_width(machine.links[hop.link], hop.forward);
    if (width <= 0) return std::nullopt;
    if (width >= least) continue;
    least = width;
    slowest = hop;
  }
  return slowest;
}

}  // namespace convoy::topology
