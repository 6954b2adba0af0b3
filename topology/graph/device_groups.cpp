#include "topology/graph/device_groups.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

namespace convoy::topology {
namespace {

// Gives equal keys equal numbers, counted from 0 in order of first appearance.
std::vector<std::uint32_t> numbered(const std::vector<std::size_t>& keys) {
  std::map<std::size_t, std::uint32_t> known;
  std::vector<std::uint32_t> numbers;
  numbers.reserve(keys.size());
  for (const std::size_t key : keys)
    numbers.push_back(
        known.try_emplace(key, static_cast<std::uint32_t>(known.size())).first->second);
  return numbers;
}

std::size_t memory_of(const Machine& machine, std::size_t gpu) {
  std::optional<std::size_t> package;
  for (std::optional<std::size_t> at = gpu; at; at = machine.nodes[*at].parent) {
    if (machine.nodes[*at].kind == NodeKind::numa_node) return *at;
    if (machine.nodes[*at].kind == NodeKind::package && !package) package = at;
  }
  return package.value_or(gpu);
}

// Returns the bridge nearest to the host: all devices below it share its link.
std::size_t switch_of(const Machine& machine, std::size_t gpu) {
  std::size_t highest = gpu;
  for (std::optional<std::size_t> at = gpu; at; at = machine.nodes[*at].parent)
    if (machine.nodes[*at].kind == NodeKind::pci_bridge) highest = *at;
  return highest;
}

// Finds which GPUs reach each other by NVLink: directly, or over NVSwitches and the links between
// these.
class NvlinkReach {
 public:
  explicit NvlinkReach(const Machine& machine) : fabric_(machine.nodes.size()) {
    std::iota(fabric_.begin(), fabric_.end(), std::size_t{0});
    const auto kind = [&](std::size_t node) { return machine.nodes[node].kind; };
    for (const Link& link : machine.links)
      if (kind(link.a) == NodeKind::nvswitch && kind(link.b) == NodeKind::nvswitch)
        fabric_[root(link.a)] = root(link.b);
    std::map<std::size_t, std::set<std::size_t>> members;  // GPUs by fabric
    for (const Link& link : machine.links) {
      if (link.kind != LinkKind::nvlink) continue;
      if (kind(link.a) == NodeKind::gpu && kind(link.b) == NodeKind::gpu) {
        reached_[link.a].insert(link.b);
        reached_[link.b].insert(link.a);
      }
      if (kind(link.a) == NodeKind::gpu && kind(link.b) == NodeKind::nvswitch)
        members[root(link.b)].insert(link.a);
      if (kind(link.b) == NodeKind::gpu && kind(link.a) == NodeKind::nvswitch)
        members[root(link.a)].insert(link.b);
    }
    for (const auto& [fabric, gpus] : members)
      for (const std::size_t gpu : gpus) reached_[gpu].insert(gpus.begin(), gpus.end());
  }

  const std::set<std::size_t>& from(std::size_t gpu) { return reached_[gpu]; }

 private:
  std::size_t root(std::size_t node) {
    while (fabric_[node] != node) node = fabric_[node] = fabric_[fabric_[node]];
    return node;
  }

  // Per node: the next node towards the one that represents its fabric
  std::vector<std::size_t> fabric_;
  std::map<std::size_t, std::set<std::size_t>> reached_;
};

std::vector<std::uint32_t> nvlink_groups(const Machine& machine,
                                         const std::vector<std::size_t>& gpus) {
  NvlinkReach reach(machine);
  std::vector<std::set<std::size_t>> groups;
  std::map<std::size_t, std::uint32_t> group_of;
  std::vector<std::uint32_t> numbers;
  for (const std::size_t gpu : gpus) {
    const std::set<std::size_t>& reached = reach.from(gpu);
    std::set<std::uint32_t> near;
    for (const std::size_t other : reached)
      if (group_of.contains(other)) near.insert(group_of[other]);
    const auto joined = std::ranges::find_if(
        near, [&](std::uint32_t group) { return std::ranges::includes(reached, groups[group]); });
    const auto own = joined == near.end() ? static_cast<std::uint32_t>(groups.size()) : *joined;
    if (own == groups.size()) groups.emplace_back();
    groups[own].insert(gpu);
    numbers.push_back(group_of[gpu] = own);
  }
  return numbers;
}

}  // namespace

DeviceGroups device_groups(const Machine& machine, const std::vector<std::size_t>& gpus) {
  std::vector<std::size_t> memories;
  std::vector<std::size_t> switches;
  for (const std::size_t gpu : gpus) {
    memories.push_back(memory_of(machine, gpu));
    switches.push_back(switch_of(machine, gpu));
  }
  return {numbered(memories), numbered(switches), nvlink_groups(machine, gpus)};
}

}  // namespace convoy::topology
