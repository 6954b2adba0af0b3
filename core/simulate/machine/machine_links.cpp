#include "core/simulate/machine/machine_links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace convoy::simulate {
namespace {

using topology::LinkKind;
using topology::NodeKind;

// Unknown connections inside a chip limit nothing.
constexpr double kWide = 1e13;

// The rate of an NVLink of the first generation; no later one is slower.
constexpr double kLeastBrick = 20e9;

struct Reach {
  double efficiency = 1;
  double unknown = kWide;  // bytes per second that they reach if their rate is unknown
};

// The end of a link that is a network card. Nothing for links without one.
std::optional<std::size_t> card_end(const topology::Machine& machine, const topology::Link& link) {
  for (const std::size_t end : {link.a, link.b})
    if (machine.nodes[end].kind == NodeKind::nic) return end;
  return std::nullopt;
}

// The card of a link to a network. Null for links between parts of the network.
const topology::Node* card_of(const topology::Machine& machine, const topology::Link& link) {
  const std::optional<std::size_t> end = card_end(machine, link);
  return end ? &machine.nodes[*end] : nullptr;
}

// The host of a link. A link to a network belongs to the host of its card.
std::uint32_t host_of(const topology::Machine& machine, const topology::Link& link) {
  const topology::Node* card = link.kind == LinkKind::network ? card_of(machine, link) : nullptr;
  return card != nullptr ? card->host : machine.nodes[link.a].host;
}

// Returns the rates of the PCI Express links of network cards, by node; 0 for other nodes and where
// the rate is unknown.
std::vector<double> slot_rates(const topology::Machine& machine) {
  std::vector<double> rates(machine.nodes.size(), 0.0);
  for (const topology::Link& link : machine.links)
    if (const auto card = card_end(machine, link); card && link.kind == LinkKind::pcie)
      rates[*card] = std::max(rates[*card], link.a_to_b.value_or(0));
  return rates;
}

// Returns the rate that stands for the unknown one of a card in a slot of this rate. A card that
// moves bytes itself is about as fast as its slot: 200 Gbit/s in one of 252.
double assumed_card_rate(const topology::Node& card, double slot_rate, const SimulatedHost& host) {
  constexpr double kOfSlot = 0.79;
  return card.rdma.value_or(false) && slot_rate > 0 ? kOfSlot * slot_rate
                                                    : host.unknown_network_bytes_per_second;
}

Reach network_reach(const topology::Machine& machine, const topology::Link& link,
                    const SimulatedHost& host, const std::vector<double>& slots) {
  const std::optional<std::size_t> card = card_end(machine, link);
  if (!card) return {host.rdma_efficiency, host.unknown_network_bytes_per_second};
  const topology::Node& node = machine.nodes[*card];
  return {node.rdma.value_or(false) ? host.rdma_efficiency : host.network_efficiency,
          assumed_card_rate(node, slots[*card], host)};
}

Reach reach(const topology::Machine& machine, const topology::Link& link, const SimulatedHost& host,
            const std::vector<double>& slots) {
  switch (link.kind) {
    case LinkKind::pcie:
      return {host.pcie_efficiency, host.unknown_pcie_bytes_per_second};
    case LinkKind::nvlink:
      return {host.nvlink_efficiency, host.nvlink_efficiency * kLeastBrick * link.count};
    case LinkKind::c2c:
      return {host.nvlink_efficiency, kWide};
    case LinkKind::socket:
      return {host.socket_efficiency, host.unknown_socket_bytes_per_second};
    case LinkKind::network:
      return network_reach(machine, link, host, slots);
    default:
      return {};
  }
}

Wire wire_of(const topology::Machine& machine, const topology::Link& link) {
  if (link.kind == LinkKind::network) return Wire::kNetwork;
  if (link.kind != LinkKind::nvlink) return Wire::kOther;
  const bool switched = machine.nodes[link.a].kind == NodeKind::nvswitch ||
                        machine.nodes[link.b].kind == NodeKind::nvswitch;
  return switched ? Wire::kNvswitch : Wire::kNvlink;
}

// Half of the time that both ends add, because every message passes two cards, and passes each
// switch on two links.
double step_seconds(const topology::Machine& machine, const topology::Link& link) {
  return (machine.nodes[link.a].network_step_seconds.value_or(0) +
          machine.nodes[link.b].network_step_seconds.value_or(0)) /
         2;
}

// Whether a usual rate stands for an unknown one. For links within a chip, none does.
bool has_usual_rate(LinkKind kind) {
  return kind == LinkKind::network || kind == LinkKind::pcie || kind == LinkKind::socket ||
         kind == LinkKind::nvlink;
}

std::string node_name(const topology::Machine& machine, std::size_t index) {
  const topology::Node& node = machine.nodes[index];
  const bool several = machine.nodes.back().host > 0;
  if (!several || node.kind == NodeKind::network) return node.name;
  return fmt::format("host{}/{}", node.host, node.name);
}

}  // namespace

std::vector<SimulatedLink> simulated_links(const topology::Machine& machine,
                                           const HostConstants& constants_of) {
  std::vector<SimulatedLink> links;
  const std::vector<double> slots = slot_rates(machine);
  for (const topology::Link& link : machine.links) {
    const Reach limits = reach(machine, link, constants_of(host_of(machine, link)), slots);
    const auto capacity = [&](const topology::Fact<double>& fact) {
      const bool known = fact.known() && *fact.value > 0;
      return known ? *fact.value * limits.efficiency : limits.unknown;
    };
    const std::string a = node_name(machine, link.a);
    const std::string b = node_name(machine, link.b);
    const auto add = [&](const std::string& from_name, const std::string& to_name, std::size_t from,
                         const topology::Fact<double>& rate) {
      SimulatedLink it{fmt::format("{} -> {}", from_name, to_name), capacity(rate)};
      it.receives = machine.nodes[from].kind == NodeKind::network;
      it.joins_sockets = link.kind == LinkKind::socket;
      it.wire = wire_of(machine, link);
      it.raw_bytes_per_second = rate.value_or(0);
      it.assumed = has_usual_rate(link.kind) && rate.value_or(0) <= 0;
      it.bricks = link.count;
      if (link.kind == LinkKind::network) it.latency_seconds = step_seconds(machine, link);
      const topology::Node* card = card_of(machine, link);
      it.in_order = card == nullptr || card->in_order.value_or(true);
      links.push_back(std::move(it));
    };
    add(a, b, link.a, link.a_to_b);
    add(b, a, link.b, link.b_to_a);
  }
  return links;
}

}  // namespace convoy::simulate
