#include "topology/graph/several_hosts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "topology/graph/graph_edit.hpp"

namespace convoy::topology {
namespace {

void check_one_host(const Machine& machine) {
  const auto of_other = [](const Node& node) { return node.host != 0; };
  if (std::any_of(machine.nodes.begin(), machine.nodes.end(), of_other))
    fail(ExitCode::kUsage,
         "{} are described, and one host is wanted; describe one of them, and say how many with "
         "--hosts",
         machine.name.empty() ? "several hosts" : machine.name);
}

void check_network(const Machine& machine, std::uint32_t hosts) {
  if (nodes_of(machine, NodeKind::nic).empty())
    fail(ExitCode::kUsage,
         "{} hosts of {}: no network card is in it; describe the machine with one: --platform=FILE "
         "with network_cards",
         hosts, machine.source);
}

void append_host(Machine& all, const Machine& one, std::uint32_t host, std::size_t network) {
  const std::size_t first = all.nodes.size();
  for (Node node : one.nodes) {
    node.host = host;
    if (node.kind == NodeKind::host) node.name = fmt::format("host{}", host);
    if (node.parent) *node.parent += first;
    all.nodes.push_back(std::move(node));
  }
  for (Link link : one.links) {
    link.a += first;
    link.b += first;
    all.links.push_back(std::move(link));
  }
  for (PeerAccess access : one.peer_access) {
    access.from += first;
    access.to += first;
    all.peer_access.push_back(std::move(access));
  }
  for (const std::size_t card : nodes_of(one, NodeKind::nic)) {
    const Fact<double>& rate = one.nodes[card].network_bytes_per_second;
    all.links.push_back({first + card, network, LinkKind::network, 1, rate, rate});
  }
}

}  // namespace

Machine several_hosts(const Machine& host, std::uint32_t hosts) {
  check_one_host(host);
  if (hosts == 1) return host;
  check_network(host, hosts);
  Machine all;
  all.name = fmt::format("{} hosts of {}", hosts, host.name);
  all.source = host.source;
  all.virtual_machine = host.virtual_machine;
  all.notes = host.notes;
  Node network;
  network.kind = NodeKind::network;
  network.name = "network";
  all.nodes.push_back(std::move(network));
  for (std::uint32_t i = 0; i < hosts; ++i) append_host(all, host, i, 0);
  return all;
}

}  // namespace convoy::topology
