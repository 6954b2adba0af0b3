#include "core/simulate/machine_links.hpp"

#include <fmt/format.h>

namespace convoy::simulate {
namespace {

using topology::LinkKind;
using topology::NodeKind;

// Connections inside a chip of which nothing is known are no limit.
constexpr double kWide = 1e13;

// One NVLink of the first generation: no later one is slower.
constexpr double kLeastBrick = 20e9;

struct Reach {
  double efficiency = 1;
  double unknown = kWide;  // bytes per second, nothing left to take off
};

Reach reach(const topology::Link& link, const SimulatedHost& host) {
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
      return {host.network_efficiency, host.unknown_network_bytes_per_second};
    default:
      return {};
  }
}

std::string node_name(const topology::Machine& machine, std::size_t index) {
  const topology::Node& node = machine.nodes[index];
  const bool several = machine.nodes.back().host > 0;
  if (!several || node.kind == NodeKind::network) return node.name;
  return fmt::format("host{}/{}", node.host, node.name);
}

}  // namespace

std::vector<SimulatedLink> simulated_links(const topology::Machine& machine,
                                           const SimulatedHost& host) {
  std::vector<SimulatedLink> links;
  for (const topology::Link& link : machine.links) {
    const Reach limits = reach(link, host);
    const auto capacity = [&](const topology::Fact<double>& fact) {
      const bool known = fact.known() && *fact.value > 0;
      return known ? *fact.value * limits.efficiency : limits.unknown;
    };
    const std::string a = node_name(machine, link.a);
    const std::string b = node_name(machine, link.b);
    const auto receives = [&](std::size_t from) {
      return machine.nodes[from].kind == NodeKind::network;
    };
    links.push_back({fmt::format("{} -> {}", a, b), capacity(link.a_to_b), receives(link.a)});
    links.push_back({fmt::format("{} -> {}", b, a), capacity(link.b_to_a), receives(link.b)});
  }
  return links;
}

}  // namespace convoy::simulate
