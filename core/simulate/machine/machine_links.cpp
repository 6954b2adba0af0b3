#include "core/simulate/machine/machine_links.hpp"

#include <fmt/format.h>

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

// The card of a link to a network. Null for links between parts of the network.
const topology::Node* card_of(const topology::Machine& machine, const topology::Link& link) {
  for (const std::size_t end : {link.a, link.b})
    if (machine.nodes[end].kind == NodeKind::nic) return &machine.nodes[end];
  return nullptr;
}

// The host of a link. A link to a network belongs to the host of its card.
std::uint32_t host_of(const topology::Machine& machine, const topology::Link& link) {
  const topology::Node* card = link.kind == LinkKind::network ? card_of(machine, link) : nullptr;
  return card != nullptr ? card->host : machine.nodes[link.a].host;
}

Reach network_reach(const topology::Machine& machine, const topology::Link& link,
                    const SimulatedHost& host) {
  const topology::Node* card = card_of(machine, link);
  const bool rdma = card == nullptr || card->rdma.value_or(false);
  return {rdma ? host.rdma_efficiency : host.network_efficiency,
          host.unknown_network_bytes_per_second};
}

Reach reach(const topology::Machine& machine, const topology::Link& link,
            const SimulatedHost& host) {
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
      return network_reach(machine, link, host);
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
  for (const topology::Link& link : machine.links) {
    const Reach limits = reach(machine, link, constants_of(host_of(machine, link)));
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
