#include "core/simulate/machine/host_routes.hpp"

#include <algorithm>
#include <tuple>

#include "core/base/error.hpp"
#include "core/simulate/machine/constants.hpp"

namespace convoy::simulate {

using topology::Hop;
using topology::NodeKind;
using topology::Route;
using topology::RouteKind;

namespace {

bool have_same_routes(const topology::Machine& a, const topology::Machine& b) {
  const auto same_node = [](const topology::Node& x, const topology::Node& y) {
    return x.kind == y.kind && x.parent == y.parent;
  };
  const auto same_link = [](const topology::Link& x, const topology::Link& y) {
    return x.a == y.a && x.b == y.b && x.kind == y.kind && x.a_to_b.value == y.a_to_b.value &&
           x.b_to_a.value == y.b_to_a.value;
  };
  return std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(), same_node) &&
         std::equal(a.links.begin(), a.links.end(), b.links.begin(), b.links.end(), same_link);
}

// A card with less than this part of the fastest card's rate is not for training, but for
// management or storage.
constexpr double kMuchSlower = 0.5;

}  // namespace

HostRoutes::HostRoutes(const topology::Machine& machine)
    : machine_(machine), local_(machine.nodes.size()) {
  for (std::size_t i = 0; i < machine.nodes.size(); ++i) {
    topology::Node node = machine.nodes[i];
    if (node.kind == NodeKind::network) {
      local_[i] = network_.nodes.size();
      network_.nodes.push_back(std::move(node));
      continue;
    }
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
    if (a_outside && b_outside) {
      link.a = local_[link.a];
      link.b = local_[link.b];
      network_links_.push_back(i);
      network_.links.push_back(std::move(link));
      continue;
    }
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
  find_alike();
}

void HostRoutes::find_alike() {
  for (auto& [number, host] : hosts_) {
    const auto first = std::find_if(hosts_.begin(), hosts_.end(), [&host = host](const auto& it) {
      return have_same_routes(it.second.graph, host.graph);
    });
    host.alike = first->first;
  }
}

Route HostRoutes::find_in_host(Host& host, std::size_t from, std::size_t to) {
  Host& alike = hosts_.at(host.alike);
  const auto [known, is_new] = alike.routes.try_emplace({local_[from], local_[to]});
  if (is_new) known->second = topology::find_route(alike.graph, local_[from], local_[to]);
  Route route = known->second;
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

const std::vector<Route>& HostRoutes::ways_out(std::size_t from) {
  const auto known = ways_out_.find(from);
  if (known != ways_out_.end()) return known->second;
  return ways_out_.emplace(from, find_ways_out(from)).first->second;
}

bool HostRoutes::has_near_card(std::size_t gpu) {
  Host& host = hosts_.at(machine_.nodes[gpu].host);
  if (host.uplinks.empty() || machine_.nodes[gpu].kind != NodeKind::gpu) return true;
  const auto joins_memory = [at = local_[gpu]](const topology::Link& link) {
    return link.kind == topology::LinkKind::c2c && (link.a == at || link.b == at);
  };
  const std::size_t card = nearest_cards(host, gpu).front();
  if (!machine_.nodes[card].rdma.value_or(false)) return false;  // TCP sends from host memory only
  if (std::ranges::any_of(host.graph.links, joins_memory)) return true;
  return find_in_host(host, gpu, card).kind <= RouteKind::pcie_switch;
}

double HostRoutes::card_rate(const Hop& uplink) const {
  const topology::Link& link = machine_.links[uplink.link];
  const double rate = (uplink.forward ? link.a_to_b : link.b_to_a).value_or(0);
  return rate > 0 ? rate : SimulatedHost{}.unknown_network_bytes_per_second;
}

const std::vector<std::size_t>& HostRoutes::nearest_cards(Host& host, std::size_t from) {
  const auto [it, is_new] = nearest_cards_.try_emplace(from);
  std::vector<std::size_t>& cards = it->second;
  if (!is_new) return cards;
  double fastest = 0;
  for (const auto& [card, hop] : host.uplinks) fastest = std::max(fastest, card_rate(hop));
  std::tuple<topology::RouteKind, std::size_t> least;
  for (const auto& [card, hop] : host.uplinks) {
    if (card_rate(hop) < kMuchSlower * fastest) continue;
    const Route route = find_in_host(host, from, card);
    const auto distance = std::make_tuple(route.kind, route.hops.size());
    if (cards.empty() || distance < least) cards.clear();
    if (!cards.empty() && distance > least) continue;
    least = distance;
    cards.push_back(card);
  }
  return cards;
}

// The cards that this GPU uses. GPUs with the same nearest cards use them in turns.
std::vector<std::size_t> HostRoutes::cards_of(Host& host, std::size_t from) {
  const std::vector<std::size_t>& cards = nearest_cards(host, from);
  if (cards.size() == 1 || machine_.nodes[from].kind != NodeKind::gpu) return {cards.front()};
  std::size_t turn = 0;
  std::size_t gpus = 0;
  for (const std::size_t node : host.nodes) {
    if (machine_.nodes[node].kind != NodeKind::gpu || nearest_cards(host, node) != cards) continue;
    if (node == from) turn = gpus;
    ++gpus;
  }
  std::vector<std::size_t> own;
  for (std::size_t i = turn % cards.size(); i < cards.size(); i += gpus) own.push_back(cards[i]);
  return own;
}

std::vector<Route> HostRoutes::find_ways_out(std::size_t from) {
  Host& host = hosts_.at(machine_.nodes[from].host);
  std::vector<Route> ways;
  if (host.uplinks.empty()) return ways;
  for (const std::size_t card : cards_of(host, from)) {
    ways.push_back(find_in_host(host, from, card));
    const auto uplink = std::find_if(host.uplinks.begin(), host.uplinks.end(),
                                     [&](const auto& it) { return it.first == card; });
    ways.back().hops.push_back(uplink->second);
  }
  return ways;
}

std::size_t HostRoutes::end_of(const Route& way_out) const {
  const Hop& last = way_out.hops.back();
  const topology::Link& link = machine_.links[last.link];
  return last.forward ? link.b : link.a;
}

const std::vector<Hop>& HostRoutes::between(std::size_t from, std::size_t to) {
  const auto [known, is_new] = between_.try_emplace({from, to});
  if (is_new && from != to) {
    known->second = topology::find_route(network_, local_[from], local_[to]).hops;
    for (Hop& hop : known->second) hop.link = network_links_[hop.link];
  }
  return known->second;
}

Route HostRoutes::join(const Route& out, const Route& back) {
  Route route = out;
  const std::vector<Hop>& across = between(end_of(out), end_of(back));
  route.hops.insert(route.hops.end(), across.begin(), across.end());
  for (std::size_t i = back.hops.size(); i-- > 0;)
    route.hops.push_back({back.hops[i].link, !back.hops[i].forward});
  route.kind = RouteKind::network;
  return route;
}

Route HostRoutes::find(std::size_t from, std::size_t to) {
  const std::uint32_t from_host = machine_.nodes[from].host;
  if (from_host == machine_.nodes[to].host) return find_in_host(hosts_.at(from_host), from, to);
  const std::vector<Route>& out = ways_out(from);
  const std::vector<Route>& back = ways_out(to);
  return out.empty() || back.empty() ? Route{} : join(out.front(), back.front());
}

std::vector<Route> HostRoutes::find_all(std::size_t from, std::size_t to) {
  if (machine_.nodes[from].host == machine_.nodes[to].host) return {find(from, to)};
  const std::vector<Route>& out = ways_out(from);
  const std::vector<Route>& back = ways_out(to);
  std::vector<Route> routes;
  if (out.empty() || back.empty()) return routes;
  for (std::size_t i = 0; i < std::max(out.size(), back.size()); ++i)
    routes.push_back(join(out[i % out.size()], back[i % back.size()]));
  return routes;
}

}  // namespace convoy::simulate
