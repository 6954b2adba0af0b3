#include "topology/graph/uplinks.hpp"

#include <limits>
#include <map>

#include "topology/graph/graph_edit.hpp"

namespace convoy::topology {
namespace {

double rate_of(const Machine& machine, std::size_t link) {
  return machine.links[link].a_to_b.value_or(std::numeric_limits<double>::infinity());
}

// Connections within a chip limit only if their rate is known.
bool may_limit(const Link& link) {
  return link.kind == LinkKind::pcie || (link.kind == LinkKind::internal && link.a_to_b.known());
}

}  // namespace

std::vector<SharedUplink> shared_uplinks(const Machine& machine) {
  const std::vector<std::optional<std::size_t>> up = parent_links(machine);
  std::vector<std::vector<std::size_t>> users(machine.nodes.size());
  for (const std::size_t gpu : nodes_of(machine, NodeKind::gpu))
    for (std::optional<std::size_t> at = gpu; at; at = machine.nodes[*at].parent)
      users[*at].push_back(gpu);
  std::map<std::vector<std::size_t>, SharedUplink> narrowest;
  for (std::size_t node = 0; node < machine.nodes.size(); ++node) {
    if (users[node].size() < 2 || !up[node]) continue;
    if (!may_limit(machine.links[*up[node]])) continue;
    const SharedUplink found{*up[node], node, users[node]};
    const auto [known, is_new] = narrowest.try_emplace(users[node], found);
    if (!is_new && rate_of(machine, found.link) <= rate_of(machine, known->second.link))
      known->second = found;
  }
  std::vector<SharedUplink> result;
  result.reserve(narrowest.size());
  for (const auto& [gpus, uplink] : narrowest) result.push_back(uplink);
  return result;
}

}  // namespace convoy::topology
