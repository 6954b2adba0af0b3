#include "topology/write/print_machine.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>

#include "topology/graph/graph_edit.hpp"
#include "topology/graph/machine_tree.hpp"
#include "topology/graph/uplinks.hpp"
#include "topology/read/nvlink.hpp"

namespace convoy::topology {
namespace {

constexpr std::size_t kMostColumns = 32;  // of the NVLink matrix on a screen

void print_tree(std::ostream& out, const Machine& machine) {
  for (const TreeRow& row : machine_tree(machine)) {
    std::string indent;
    for (std::size_t level = 0; level + 1 < row.branches.size(); ++level)
      indent += row.branches[level] ? "|  " : "   ";
    if (!row.branches.empty()) indent += "+- ";
    out << indent << describe_node(machine, row) << '\n';
  }
}

std::string nvlink_cell(const NvlinkRate& rate) {
  if (!rate.connected) return ".";
  return rate.known ? fmt::format("{:.4g}", rate.bytes_per_second / 1e9) : "?";
}

void print_nvlink(std::ostream& out, const Machine& machine) {
  const bool any = std::any_of(machine.links.begin(), machine.links.end(),
                               [](const Link& link) { return link.kind == LinkKind::nvlink; });
  if (!any) return;
  const std::vector<std::size_t> gpus = nodes_of(machine, NodeKind::gpu);
  out << "\nNVLink, GB/s in each direction from row to column (. none, ? unknown):\n";
  const std::size_t shown = std::min(gpus.size(), kMostColumns);
  const auto rates = nvlink_closure(machine, shown);
  out << fmt::format("{:<8}", "");
  for (std::size_t j = 0; j < shown; ++j) out << fmt::format("{:>7}", machine.nodes[gpus[j]].name);
  out << '\n';
  for (std::size_t i = 0; i < shown; ++i) {
    out << fmt::format("{:<8}", machine.nodes[gpus[i]].name);
    for (std::size_t j = 0; j < shown; ++j)
      out << fmt::format("{:>7}", i == j ? "-" : nvlink_cell(rates[i][j]));
    out << '\n';
  }
  if (shown < gpus.size())
    out << fmt::format("and {} GPUs more: see --json\n", gpus.size() - shown);
  for (const Link& link : machine.links) {
    const NodeKind other = machine.nodes[link.b].kind;
    const bool chips = link.kind == LinkKind::nvlink || link.kind == LinkKind::c2c;
    if (chips && other == NodeKind::package)
      out << fmt::format("{} to {}: {}\n", machine.nodes[link.a].name, machine.nodes[link.b].name,
                         format_rate(link.a_to_b));
  }
}

void print_shared(std::ostream& out, const Machine& machine) {
  const std::vector<SharedUplink> shared = shared_uplinks(machine);
  if (shared.empty()) return;
  out << "\nshared uplinks:\n";
  for (const SharedUplink& uplink : shared) {
    std::vector<std::string> names;
    for (const std::size_t gpu : uplink.gpus) names.push_back(machine.nodes[gpu].name);
    out << fmt::format("  {} share {} above {}\n", fmt::join(names, ", "),
                       format_rate(machine.links[uplink.link].a_to_b),
                       machine.nodes[uplink.below].name);
  }
}

template <typename T>
void print_fact(std::ostream& out, const std::string& what, const Fact<T>& fact) {
  if (fact.source.empty() && !fact.known()) return;
  out << fmt::format("{:<44} {:<16} {}\n", what,
                     fact.known() ? fmt::format("{}", *fact.value) : "unknown", fact.source);
}

}  // namespace

std::string format_rate(const Fact<double>& rate) {
  return rate.known() ? fmt::format("{:.3g} GB/s", *rate.value / 1e9) : "unknown speed";
}

void print_machine(std::ostream& out, const Machine& machine) {
  out << fmt::format("{}{}{}\n", machine.name, machine.name.empty() ? "" : ", from ",
                     machine.source);
  if (machine.virtual_machine.known())
    out << (*machine.virtual_machine.value ? "a virtual machine\n" : "not a virtual machine\n");
  out << '\n';
  print_tree(out, machine);
  print_tables(out, machine);
}

void print_tables(std::ostream& out, const Machine& machine) {
  print_nvlink(out, machine);
  print_shared(out, machine);
  if (!machine.notes.empty()) out << "\nnotes:\n";
  for (const std::string& note : machine.notes) out << "  " << note << '\n';
}

void print_sources(std::ostream& out, const Machine& machine) {
  print_fact(out, "virtual machine", machine.virtual_machine);
  for (const Node& node : machine.nodes) {
    print_fact(out, node.name + " memory bytes", node.memory_bytes);
    print_fact(out, node.name + " memory bytes/s", node.memory_bytes_per_second);
    print_fact(out, node.name + " network bytes/s", node.network_bytes_per_second);
    print_fact(out, node.name + " cores", node.cores);
    print_fact(out, node.name + " peer access over root ports", node.peers_over_root);
    print_fact(out, node.name + " GPUs per process", node.gpus_per_process);
  }
  for (const Link& link : machine.links) {
    const std::string& a = machine.nodes[link.a].name;
    const std::string& b = machine.nodes[link.b].name;
    print_fact(out, fmt::format("{} {} > {} bytes/s", name(link.kind), a, b), link.a_to_b);
    print_fact(out, fmt::format("{} {} > {} bytes/s", name(link.kind), b, a), link.b_to_a);
  }
  for (const PeerAccess& access : machine.peer_access)
    print_fact(out,
               fmt::format("{} may address {}", machine.nodes[access.from].name,
                           machine.nodes[access.to].name),
               access.possible);
}

}  // namespace convoy::topology
