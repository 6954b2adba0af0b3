#include "core/simulate/collectives/collective_group.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <string_view>

namespace convoy::simulate {
namespace {

// The generations of all devices of a group, each once.
std::vector<std::string_view> generations_of(const SimulatedMachine& machine,
                                             const std::vector<std::uint32_t>& places) {
  std::vector<std::string_view> result;
  for (const std::uint32_t place : places) {
    const std::string& name = machine.devices.at(machine.places[place].device).generation;
    if (std::ranges::find(result, name) == result.end()) result.push_back(name);
  }
  return result;
}

}  // namespace

CollectiveGroup::CollectiveGroup(const SimulatedMachine& machine, const CollectiveLibrary& library,
                                 RouteTable& routes, const std::vector<std::uint32_t>& places)
    : machine_(machine),
      library_(library),
      routes_(routes),
      generation_(&library.generation(generations_of(machine, places))),
      devices_(places.size()) {
  for (const std::uint32_t place : places) by_host_[machine.places[place].host].push_back(place);
  for (const auto& [host, on_it] : by_host_) {
    GroupHost it;
    it.links = links_of(on_it);
    it.is_switched = on_it.size() > 1;
    for (std::size_t i = 0; i < it.links.ways.size(); ++i) {
      const DeviceLinks::Way& way = it.links.ways[i];
      if (way.links.empty()) continue;
      it.is_switched =
          it.is_switched && way.direct && machine.links[way.links.front()].wire == Wire::kNvswitch;
    }
    it.places = on_it;
    hosts_.push_back(std::move(it));
  }
  if (hosts_.size() > 1) find_cards();
}

double CollectiveGroup::limit(std::uint32_t link) const {
  const SimulatedLink& it = machine_.links[link];
  double reach = 0;
  if (it.wire == Wire::kNvlink) reach = generation_->direct_reach;
  if (it.wire == Wire::kNvswitch) reach = generation_->switched_reach;
  return reach > 0 && it.raw_bytes_per_second > 0 ? reach * it.raw_bytes_per_second
                                                  : it.bytes_per_second;
}

DeviceLinks CollectiveGroup::links_of(const std::vector<std::uint32_t>& places) {
  DeviceLinks result;
  result.devices = static_cast<std::uint32_t>(places.size());
  result.ways.resize(places.size() * places.size());
  for (std::size_t from = 0; from < places.size(); ++from)
    for (std::size_t to = 0; to < places.size(); ++to) {
      if (from == to || (result.is_taken_in_order() && to != (from + 1) % places.size())) continue;
      DeviceLinks::Way& way = result.ways[from * places.size() + to];
      way.direct = routes_.path(places[from], places[to]).kind == PathKind::kNvlink;
      for (const Load& load : loads(places[from], places[to])) {
        way.links.push_back(load.link);
        result.limits.try_emplace(load.link, limit(load.link) / load.weight);
      }
    }
  return result;
}

const std::vector<CollectiveGroup::Load>& CollectiveGroup::loads(std::uint32_t from,
                                                                 std::uint32_t to) {
  const auto [known, is_new] = loads_.at(from, to);
  if (!is_new) return known;
  const std::uint32_t host = machine_.places[from].host;
  if (!is_direct(from, to)) return known = staged(from, to, machine_.host_places[host]);
  const Path& path = routes_.path(from, to);
  const double overhead = path.over_root ? machine_.hosts[host].root_overhead : 1;
  for (std::size_t i = 0; i < path.links.size(); ++i)
    known.push_back({path.links[i], overhead * path.share(i), path.share(i)});
  if (host != machine_.places[to].host && machine_.has_near_card)
    stage_at_cards(known, from, to, std::lround(1 / path.share(0)));
  return known;
}

// NCCL 2.30, paths.cc: over root ports, devices exchange data through host memory unless they are
// few or the library is told otherwise.
bool CollectiveGroup::is_direct(std::uint32_t from, std::uint32_t to) {
  const std::uint32_t host = machine_.places[from].host;
  if (!machine_.reaches || host != machine_.places[to].host || machine_.host_places.empty())
    return true;
  if (!machine_.reaches(from, to)) return false;
  const Path& path = routes_.path(from, to);
  const bool crosses_root = path.over_root || std::ranges::any_of(path.links, [&](auto link) {
                              return machine_.links[link].joins_sockets;
                            });
  return path.kind == PathKind::kNvlink || !crosses_root ||
         static_cast<double>(by_host_.at(host).size()) <= machine_.hosts[host].peers_over_root;
}

// A link may stand for all memories of a host. Buffers lie in the memories near the devices that
// use them, so the other memories add nothing to the rate of that link.
double CollectiveGroup::memory_weight(std::uint32_t memory) const {
  if (!machine_.near_memory || machine_.places[memory].memories < 2) return 1;
  std::set<std::uint32_t> near;
  for (const std::uint32_t device : by_host_.at(machine_.places[memory].host))
    near.insert(machine_.near_memory(device));
  return machine_.places[memory].memories / static_cast<double>(near.size());
}

// The memory is written and then read, and the data cross the sockets between the two devices.
std::vector<CollectiveGroup::Load> CollectiveGroup::staged(std::uint32_t from, std::uint32_t to,
                                                           std::uint32_t memory) {
  std::vector<Load> result;
  for (const std::uint32_t link : routes_.path(from, memory).links)
    result.push_back({link, 1, 1, Staging::kOfSender});
  for (const std::uint32_t link : routes_.path(from, to).links)
    if (machine_.links[link].joins_sockets) result.push_back({link, 1});
  add_memory(result, machine_.places[from].host);
  for (const std::uint32_t link : routes_.path(memory, to).links)
    result.push_back({link, 1, 1, Staging::kOfReceiver});
  return result;
}

void CollectiveGroup::add_memory(std::vector<Load>& loads, std::uint32_t host) {
  if (host >= machine_.host_places.size() || machine_.host_places[host] == kNone) return;
  const std::uint32_t memory = machine_.host_places[host];
  if (machine_.places[memory].memory != kNone)
    loads.push_back({machine_.places[memory].memory, 2 * memory_weight(memory), 2});
}

// All links between the network and a device without a near card lead to or from host memory.
void CollectiveGroup::stage_at_cards(std::vector<Load>& loads, std::uint32_t from, std::uint32_t to,
                                     std::size_t ways) {
  const bool at_sender = !machine_.has_near_card(from);
  const bool at_receiver = !machine_.has_near_card(to);
  const std::size_t length = loads.size() / ways;
  bool after_network = false;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    if (i % length == 0) after_network = false;
    if (machine_.links[loads[i].link].wire == Wire::kNetwork)
      after_network = true;
    else if (after_network ? at_receiver : at_sender)
      loads[i].staging = after_network ? Staging::kOfReceiver : Staging::kOfSender;
  }
  if (at_sender) add_memory(loads, machine_.places[from].host);
  if (at_receiver) add_memory(loads, machine_.places[to].host);
}

// The first link of a network on the way out; kNone if the machine has none.
CollectiveGroup::Card CollectiveGroup::card_of(std::uint32_t place, std::uint32_t elsewhere) {
  Card card;
  for (const std::uint32_t link : routes_.path(place, elsewhere).links) {
    if (machine_.links[link].wire == Wire::kNetwork) {
      card.link = link;
      break;
    }
    ++card.distance;
  }
  return card;
}

void CollectiveGroup::note_network(std::uint32_t place, std::uint32_t elsewhere) {
  double seconds = 0;
  const Path& path = routes_.path(place, elsewhere);
  if (!path.shares.empty())
    cards_at_once_ = static_cast<std::uint32_t>(std::lround(1 / path.shares.front()));
  for (std::size_t i = 0; i < path.links.size(); ++i) {
    const SimulatedLink& it = machine_.links[path.links[i]];
    seconds += path.share(i) * it.latency_seconds;
    if (it.wire == Wire::kNetwork) card_rate_ = std::min(card_rate_, it.bytes_per_second);
    in_order_ = in_order_ && it.in_order;
  }
  card_seconds_ = std::max(card_seconds_, seconds);
}

double CollectiveGroup::proxy_seconds() const {
  double slowest = 0;
  for (const GroupHost& host : hosts_)
    slowest =
        std::max(slowest, machine_.hosts[machine_.places[host.places.front()].host].proxy_seconds);
  return slowest;
}

// A channel enters at the first device next to a card and leaves from another device next to it. If
// there is no other one, it returns to the first over the host's own links. The devices with the
// fewest links to a card are next to it. Others may also be routed to it, if no card is near them.
void CollectiveGroup::find_cards() {
  for (std::size_t h = 0; h < hosts_.size(); ++h) {
    GroupHost& host = hosts_[h];
    const std::size_t last = hosts_.size() - 1;
    const std::uint32_t elsewhere = hosts_[h == last ? 0 : last].places.front();
    std::map<std::uint32_t, std::size_t> channel_of;
    std::vector<std::size_t> nearest;  // per channel
    for (std::uint32_t device = 0; device < host.places.size(); ++device) {
      const Card card = card_of(host.places[device], elsewhere);
      note_network(host.places[device], elsewhere);
      const std::size_t channel =
          channel_of.try_emplace(card.link, host.channels.size()).first->second;
      if (channel == host.channels.size()) {
        host.channels.push_back({device, std::nullopt});
        nearest.push_back(card.distance);
      } else if (card.distance < nearest[channel]) {
        host.channels[channel] = {device, std::nullopt};
        nearest[channel] = card.distance;
      } else if (card.distance == nearest[channel]) {
        host.channels[channel].last = device;
      }
    }
  }
}

std::size_t CollectiveGroup::most_on_a_host() const {
  std::size_t most = 0;
  for (const GroupHost& host : hosts_) most = std::max(most, host.places.size());
  return most;
}

double CollectiveGroup::most_in_a_process() const {
  double most = 0;
  for (const GroupHost& host : hosts_) {
    const double in_each =
        machine_.hosts[machine_.places[host.places.front()].host].devices_per_process;
    most = std::max(most, std::min(in_each, static_cast<double>(host.places.size())));
  }
  return most;
}

bool CollectiveGroup::is_switched() const {
  return std::all_of(hosts_.begin(), hosts_.end(),
                     [](const GroupHost& host) { return host.is_switched; });
}

std::uint32_t CollectiveGroup::bricks() const {
  const DeviceLinks& links = hosts_.front().links;
  return machine_.links[links.way(0, 1).links.front()].bricks;
}

bool CollectiveGroup::is_over_nvlink() const {
  const auto is_direct = [](const DeviceLinks::Way& way) {
    return way.links.empty() || way.direct;
  };
  // Devices may lack a link to some others and still form a ring: one link each is enough.
  return std::all_of(hosts_.begin(), hosts_.end(), [&](const GroupHost& host) {
    const std::uint32_t n = host.links.devices;
    for (std::uint32_t from = 0; from < n && n > 1; ++from) {
      bool any = false;
      for (std::uint32_t to = 0; to < n; ++to)
        any = any || (from != to && is_direct(host.links.way(from, to)) &&
                      (!host.links.is_taken_in_order() || to == (from + 1) % n));
      if (!any) return false;
    }
    return true;
  });
}

void CollectiveGroup::add_loads(RouteSum& sum, std::span<const PatternEdge> edges) {
  std::set<std::uint32_t> senders;  // through host memory
  std::set<std::uint32_t> receivers;
  for (const PatternEdge& edge : edges)
    for (const Load& load : loads(edge.from, edge.to)) {
      if (load.staging == Staging::kOfSender) senders.insert(edge.from);
      if (load.staging == Staging::kOfReceiver) receivers.insert(edge.to);
    }
  for (const PatternEdge& edge : edges)
    for (const Load& load : loads(edge.from, edge.to)) {
      const bool both_ways =
          (load.staging == Staging::kOfSender && receivers.contains(edge.from)) ||
          (load.staging == Staging::kOfReceiver && senders.contains(edge.to));
      const double reach = limit(load.link) * (both_ways ? library_.staged_reach : 1);
      sum.add(load.link,
              edge.share.weight * load.weight * machine_.links[load.link].bytes_per_second / reach,
              edge.share.bytes * load.bytes);
    }
}

void CollectiveGroup::add_in_switch_load(RouteSum& sum, std::uint32_t from, std::uint32_t to,
                                         ByteShare share) const {
  for (const std::uint32_t link : routes_.path(from, to).links) {
    const SimulatedLink& it = machine_.links[link];
    sum.add(link,
            share.weight * it.bytes_per_second /
                (generation_->in_switch_reach * it.raw_bytes_per_second),
            share.bytes);
  }
}

}  // namespace convoy::simulate
