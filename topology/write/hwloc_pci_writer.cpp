#include "topology/write/hwloc_pci_writer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "topology/graph/graph_edit.hpp"

namespace convoy::topology {
namespace {

constexpr std::uint32_t kMadeUpDomain = 0x1000;  // no real machine uses it

PciAddress made_up_address(std::uint32_t number) {
  return {kMadeUpDomain + (number >> 13), number >> 5 & 0xffU, number & 0x1fU, 0};
}

bool is_pci_bridge(const Node& node) {
  return node.kind == NodeKind::pci_bridge;
}

bool is_pci_device(const Node& node) {
  return node.kind == NodeKind::gpu || node.kind == NodeKind::nic;
}

const char* class_of(const Node& node) {
  if (node.kind == NodeKind::gpu) return "0302";
  if (node.kind == NodeKind::nic) return "0200";
  return node.kind == NodeKind::nvswitch ? "0680" : "0604";
}

}  // namespace

HwlocPciWriter::HwlocPciWriter(const Machine& machine, HwlocNumbers& numbers)
    : machine_(machine),
      numbers_(numbers),
      up_(parent_links(machine)),
      children_(machine.nodes.size()),
      made_up_(static_cast<std::uint32_t>(machine.nodes.size())) {
  for (std::size_t i = 0; i < machine.nodes.size(); ++i)
    if (machine.nodes[i].parent) children_[*machine.nodes[i].parent].push_back(i);
}

void HwlocPciWriter::write_tree(pugi::xml_node parent, std::size_t node) {
  const Node& top = machine_.nodes[node];
  if (top.kind != NodeKind::host_bridge) {
    if (is_pci_bridge(top) || is_pci_device(top)) write_below(write_root(parent, node), node, 0);
    return;
  }
  pugi::xml_node root = write_root(parent, node);
  for (const std::size_t child : children_[node]) write_below(root, child, 0);
}

void HwlocPciWriter::write_below(pugi::xml_node parent, std::size_t index, unsigned bridges) {
  const Node& node = machine_.nodes[index];
  const bool is_bridge = is_pci_bridge(node);
  if (!is_bridge && !is_pci_device(node)) return;
  const bool is_link = !up_[index] || machine_.links[*up_[index]].kind == LinkKind::pcie;
  if (is_link && bridges % 2 == 0 && (is_bridge || bridges > 0))
    parent = write_port(parent, index, bridges++);
  pugi::xml_node pci = numbers_.append(parent, is_bridge ? "Bridge" : "PCIDev", index);
  if (is_bridge) {
    pci.append_attribute("bridge_type") = "1-1";
    pci.append_attribute("depth") = bridges + 1;
    write_range(pci, index);
  }
  write_identity(pci, address_of(index), node, rate_of(index));
  append_hwloc_info(pci, "PCIDevice", node.model);
  if (!is_bridge) write_function(pci, index);
  for (const std::size_t child : children_[index]) write_below(pci, child, bridges + 1);
}

pugi::xml_node HwlocPciWriter::write_port(pugi::xml_node parent, std::size_t below,
                                          unsigned bridges) {
  pugi::xml_node port = numbers_.append(parent, "Bridge");
  port.append_attribute("bridge_type") = "1-1";
  port.append_attribute("depth") = bridges + 1;
  write_range(port, below);
  Node node;
  node.kind = NodeKind::pci_bridge;
  write_identity(port, made_up_address(made_up_++), node, rate_of(below));
  return port;
}

pugi::xml_node HwlocPciWriter::write_root(pugi::xml_node parent, std::size_t below) {
  pugi::xml_node root = numbers_.append(parent, "Bridge", below);
  root.append_attribute("bridge_type") = "0-1";
  root.append_attribute("depth") = 0;
  write_range(root, below);
  return root;
}

void HwlocPciWriter::write_nvswitches(pugi::xml_node package) {
  pugi::xml_node root;
  for (const std::size_t index : nodes_of(machine_, NodeKind::nvswitch)) {
    if (machine_.nodes[index].host != 0) continue;
    if (!root) root = write_root(package, index);
    pugi::xml_node pci = numbers_.append(root, "PCIDev", index);
    pci.append_attribute("subtype") = "NVSwitch";
    Node node = machine_.nodes[index];
    if (!node.id)
      node.id = PciId{0x10de, 0x1ac2};  // NVIDIA's first NVSwitch stands for all of them
    write_identity(pci, address_of(index), node, 0);
  }
}

void HwlocPciWriter::write_range(pugi::xml_node bridge, std::size_t node) const {
  const auto [first, last] = buses(node);
  bridge.append_attribute("bridge_pci") =
      fmt::format("{:04x}:[{:02x}-{:02x}]", domain_of(node), first, last).c_str();
}

void HwlocPciWriter::write_identity(pugi::xml_node pci, const PciAddress& address, const Node& node,
                                    double rate) {
  const PciId id = node.id.value_or(PciId{});
  pci.append_attribute("pci_busid") = format_pci_address(address).c_str();
  pci.append_attribute("pci_type") =
      fmt::format("{} [{:04x}:{:04x}] [0000:0000] 00", class_of(node), id.vendor, id.device)
          .c_str();
  pci.append_attribute("pci_link_speed") = fmt::format("{:.6f}", rate / 1e9).c_str();
}

// Writes what drivers report to hwloc about a device.
void HwlocPciWriter::write_function(pugi::xml_node pci, std::size_t index) {
  const Node& node = machine_.nodes[index];
  const bool is_gpu = node.kind == NodeKind::gpu;
  pugi::xml_node function = numbers_.append(pci, "OSDev");
  const std::string name = is_gpu ? fmt::format("cuda{}", gpus_++) : node.name;
  function.append_attribute("name") = name.c_str();
  if (is_gpu) function.append_attribute("subtype") = "CUDA";
  function.append_attribute("osdev_type") = is_gpu ? "5" : "2";  // co-processor, network
  if (!is_gpu) return;
  append_hwloc_info(function, "GPUModel", node.model);
  if (node.memory_bytes.value_or(0) > 0)
    append_hwloc_info(function, "CUDAGlobalMemorySize",
                      std::to_string(*node.memory_bytes.value / 1024));
}

// Returns the rate of the link above; for a port within a chip, the rate of the link below it.
double HwlocPciWriter::rate_of(std::size_t node) const {
  double rate = up_[node] ? machine_.links[*up_[node]].a_to_b.value_or(0) : 0;
  for (const std::size_t child : children_[node])
    if (rate <= 0 && up_[child]) rate = machine_.links[*up_[child]].a_to_b.value_or(0);
  return std::min(rate, 1e15);
}

PciAddress HwlocPciWriter::address_of(std::size_t node) const {
  return machine_.nodes[node].address.value_or(made_up_address(static_cast<std::uint32_t>(node)));
}

std::pair<std::uint32_t, std::uint32_t> HwlocPciWriter::buses(std::size_t index) const {
  const std::uint32_t own = address_of(index).bus;
  const bool is_root = machine_.nodes[index].kind == NodeKind::host_bridge;
  std::pair<std::uint32_t, std::uint32_t> range{is_root ? 255 : own, is_root ? 0 : own};
  for (const std::size_t child : children_[index]) {
    const auto [first, last] = buses(child);
    range.first = std::min(range.first, first);
    range.second = std::max(range.second, last);
  }
  return range.first > range.second ? std::pair{0U, 0U} : range;
}

std::uint32_t HwlocPciWriter::domain_of(std::size_t index) const {
  std::size_t at = index;
  while (!machine_.nodes[at].address && !children_[at].empty()) at = children_[at].front();
  return address_of(at).domain;
}

}  // namespace convoy::topology
