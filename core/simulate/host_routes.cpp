#include "core/simulate/host_routes.hpp"

#include <algorithm>
#include <tuple>

#include "core/base/error.hpp"

namespace convoy::simulate {

using topology::Hop;
using topology::NodeKind;
using topology::Route;
using topology::RouteKind;

HostRoutes::HostRoutes(const topology::Machine& machine)
    : machine_(machine), local_(machine.nodes.size()) {
  for (std::size_t i = 0; i < machine.nodes.size(); ++i) {
    topology::Node node = machine.nodes[i];
    if (node.kind == NodeKind::network) continue;
    Host& host = hosts_[node.host];
    local_[i] = host.nodes.size();
    if (node.parent) node.parent = local_[*node.parent];
    host.nodes.push_back(i);
    host.graph.nodes.push_back(std::move(node));
  }
  for (std::size_t i = 0; i < machine.links.size(); ++i) {
    topology::Link link = machine.links[i];
    const bool a_outside = machine.nodes[link.a].kind == NodeKind::network;
    const bool b_outside = machine.nodes[link.b].kind == NodeKind::network;
    if (a_outside && b_outside) continue;
    if (a_outside || b_outside) {
      const std::size_t card = a_outside ? link.b : link.a;
      hosts_[machine.nodes[card].host].uplinks.push_back({card, {i, b_outside}});
      continue;
    }
    Host& host = hosts_[machine.nodes[link.a].host];
    link.a = local_[link.a];
    link.b = local_[link.b];
    host.links.push_back(i);
    host.graph.links.push_back(std::move(link));
  }
}

Route HostRoutes::find_in_host(Host& host, std::size_t from, std::size_t to) const {
  Route route = topology::find_route(host.graph, local_[from], local_[to]);
  for (Hop& hop : route.hops) hop.link = host.links[hop.link];
  return route;
}

std::size_t HostRoutes::nearest(std::size_t to, const std::vector<std::size_t>& candidates) {
  CONVOY_CHECK(!candidates.empty());
  const auto distance = [&](std::size_t candidate) {
    const Route route = find(candidate, to);
    return std::make_tuple(route.kind, route.hops.size());
  };
  return *std::min_element(candidates.begin(), candidates.end(),
                           [&](std::size_t a, std::size_t b) { return distance(a) < distance(b); });
}

const std::optional<Route>& HostRoutes::way_out(std::size_t from) {
  const auto known = ways_out_.find(from);
  if (known != ways_out_.end()) return known->second;
  return ways_out_.emplace(from, find_way_out(from)).first->second;
}

std::optional<Route> HostRoutes::find_way_out(std::size_t from) {
  Host& host = hosts_.at(machine_.nodes[from].host);
  if (host.uplinks.empty()) return std::nullopt;
  std::vector<std::size_t> cards;
  for (const auto& [card, hop] : host.uplinks) cards.push_back(card);
  const std::size_t card = nearest(from, cards);
  Route route = find_in_host(host, from, card);
  const auto uplink = std::find_if(host.uplinks.begin(), host.uplinks.end(),
                                   [&](const auto& it) { return it.first == card; });
  route.hops.push_back(uplink->second);
  return route;
}

Route HostRoutes::find(std::size_t from, std::size_t to) {
  const std::uint32_t from_host = machine_.nodes[from].host;
  if (from_host == machine_.nodes[to].host) return find_in_host(hosts_.at(from_host), from, to);
  const std::optional<Route>& out = way_out(from);
  const std::optional<Route>& back = way_out(to);
  if (!out || !back) return {};
  Route route = *out;
  for (std::size_t i = back->hops.size(); i-- > 0;)
    route.hops.push_back({back->hops[i].link, !back->hops[i].forward});
  route.kind = RouteKind::network;
  return route;
}

}  // namespace convoy::simulate
