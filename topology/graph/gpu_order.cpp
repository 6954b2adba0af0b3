#include "topology/graph/gpu_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>

#include "core/base/error.hpp"
#include "topology/graph/graph_edit.hpp"

namespace convoy::topology {
namespace {

// Puts the GPUs behind all other nodes, which keep their order, so parents still come first.
std::vector<std::size_t> new_order(const Machine& machine, std::span<const PciAddress> order) {
  const auto by_address = nodes_by_address(machine);
  std::vector<std::size_t> wanted;
  for (const PciAddress& address : order) {
    const auto found = by_address.find(address);
    if (found == by_address.end() || machine.nodes[found->second].kind != NodeKind::gpu)
      fail(ExitCode::kUnavailable, "{} shows no GPU at {}", machine.source,
           format_pci_address(address));
    if (std::ranges::find(wanted, found->second) != wanted.end())
      fail(ExitCode::kUnavailable,
           "several devices are on the GPU at {}, and how they share it is not simulated",
           format_pci_address(address));
    wanted.push_back(found->second);
  }
  std::vector<std::size_t> nodes(machine.nodes.size());
  std::iota(nodes.begin(), nodes.end(), std::size_t{0});
  const auto rank = [&](std::size_t node) -> std::size_t {
    if (machine.nodes[node].kind != NodeKind::gpu) return 0;
    return 1 + static_cast<std::size_t>(std::ranges::find(wanted, node) - wanted.begin());
  };
  std::ranges::stable_sort(nodes, {}, rank);
  return nodes;
}

}  // namespace

Machine gpus_first(const Machine& machine, std::span<const PciAddress> order) {
  const std::vector<std::size_t> nodes = new_order(machine, order);
  std::vector<std::size_t> number(nodes.size());  // old number to new number
  for (std::size_t i = 0; i < nodes.size(); ++i) number[nodes[i]] = i;
  Machine result = machine;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    result.nodes[i] = machine.nodes[nodes[i]];
    if (auto& parent = result.nodes[i].parent) parent = number[*parent];
  }
  for (Link& link : result.links) {
    link.a = number[link.a];
    link.b = number[link.b];
  }
  for (PeerAccess& access : result.peer_access) {
    access.from = number[access.from];
    access.to = number[access.to];
  }
  return result;
}

bool is_hidden(const Node& gpu) {
  return !gpu.device_number.known() && !gpu.device_number.source.empty();
}

std::vector<std::size_t> usable_gpus(const Machine& machine) {
  std::vector<std::size_t> gpus = nodes_of(machine, NodeKind::gpu);
  std::erase_if(gpus, [&](std::size_t gpu) { return is_hidden(machine.nodes[gpu]); });
  std::ranges::stable_sort(
      gpus, {}, [&](std::size_t gpu) { return machine.nodes[gpu].device_number.value_or(0); });
  return gpus;
}

bool begins_id(std::string_view id, std::string_view text) {
  const auto same = [](unsigned char a, unsigned char b) {
    return std::tolower(a) == std::tolower(b);
  };
  return text.size() <= id.size() && std::ranges::equal(id.substr(0, text.size()), text, same);
}

std::vector<std::uint32_t> gpus_of_id(const Machine& machine, std::string_view text) {
  std::vector<std::uint32_t> found;
  const std::vector<std::size_t> gpus = nodes_of(machine, NodeKind::gpu);
  for (std::uint32_t i = 0; i < gpus.size(); ++i)
    if (begins_id(machine.nodes[gpus[i]].uuid, text)) found.push_back(i);
  return found;
}

std::string hidden_gpus(const Machine& machine) {
  std::string text;
  for (const std::size_t gpu : nodes_of(machine, NodeKind::gpu))
    if (const Node& node = machine.nodes[gpu]; is_hidden(node))
      text +=
          fmt::format("{}{}: {}", text.empty() ? "" : "; ", node.name, node.device_number.source);
  return text;
}

}  // namespace convoy::topology
