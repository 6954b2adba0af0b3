#include "topology/write/lost_facts.hpp"

#include <algorithm>

namespace convoy::topology {
namespace {

template <typename Predicate>
bool any_node(const Machine& machine, NodeKind kind, const Predicate& predicate) {
  return std::ranges::any_of(
      machine.nodes, [&](const Node& node) { return node.kind == kind && predicate(node); });
}

// Whether a memory has another rate than the catalogue states for the processor. Readers take the
// rate from the catalogue, by the processor's name.
bool has_own_memory_rate(const Machine& machine, const Catalogue& catalogue) {
  return any_node(machine, NodeKind::numa_node, [&](const Node& memory) {
    if (!memory.memory_bytes_per_second.known()) return false;
    const std::string model = memory.parent ? machine.nodes[*memory.parent].model : "";
    const HostEntry* host = model.empty() ? nullptr : catalogue.find_host(model);
    return host == nullptr ||
           host->memory_bytes_per_second.value != memory.memory_bytes_per_second.value;
  });
}

void add_lost_in_both(const Machine& machine, const Catalogue& catalogue,
                      std::vector<std::string>& lost) {
  if (has_own_memory_rate(machine, catalogue)) lost.emplace_back("rates of hosts' memory");
  if (!machine.peer_access.empty()) lost.emplace_back("peer access between GPUs");
  const auto any_card = [&](auto field) {
    return any_node(machine, NodeKind::nic,
                    [&](const Node& card) { return (card.*field).known(); });
  };
  if (any_card(&Node::in_order)) lost.emplace_back("delivery order of network cards");
  if (any_card(&Node::network_step_seconds))
    lost.emplace_back("delays of messages over network cards");
  if (machine.virtual_machine.value_or(false)) lost.emplace_back("mark of virtual machines");
  if (std::ranges::any_of(machine.nodes, [](const Node& node) { return node.host != 0; }))
    lost.emplace_back("hosts but the first");
}

}  // namespace

std::vector<std::string> lost_in_hwloc_xml(const Machine& machine, const Catalogue& catalogue) {
  std::vector<std::string> lost;
  if (any_node(machine, NodeKind::nic,
               [](const Node& card) { return card.network_bytes_per_second.known(); }))
    lost.emplace_back("rates of network cards");
  if (std::ranges::any_of(machine.links,
                          [](const Link& link) { return link.kind == LinkKind::c2c; }))
    lost.emplace_back("links between processors and GPUs beside PCI Express");
  add_lost_in_both(machine, catalogue, lost);
  return lost;
}

std::vector<std::string> lost_in_nccl_dump(const Machine& machine, const Catalogue& catalogue) {
  std::vector<std::string> lost;
  if (any_node(machine, NodeKind::numa_node,
               [](const Node& memory) { return memory.memory_bytes.known(); }))
    lost.emplace_back("sizes of hosts' memory");
  if (any_node(machine, NodeKind::package,
               [](const Node& package) { return package.cores.known(); }))
    lost.emplace_back("numbers of cores");
  add_lost_in_both(machine, catalogue, lost);
  return lost;
}

}  // namespace convoy::topology
