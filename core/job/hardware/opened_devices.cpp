#include "core/job/hardware/opened_devices.hpp"

#include <map>
#include <optional>
#include <vector>

#include "core/simulate/machine/place_nodes.hpp"
#include "topology/detect/detect.hpp"
#include "topology/graph/graph_edit.hpp"

namespace convoy::job {
namespace {

using Descriptions = std::vector<convoy_device_description>;

// Returns the nodes of all devices in this order; empty if one is not a GPU of the machine.
std::optional<std::vector<std::size_t>> nodes_of_devices(const topology::Machine& machine,
                                                         const Descriptions& devices) {
  const std::map<topology::PciAddress, std::size_t> known = topology::nodes_by_address(machine);
  std::vector<std::size_t> nodes;
  for (const convoy_device_description& device : devices) {
    const auto address = topology::parse_pci_address(device.locality);
    const auto node = address ? known.find(*address) : known.end();
    if (node == known.end() || machine.nodes[node->second].kind != topology::NodeKind::gpu)
      return std::nullopt;
    nodes.push_back(node->second);
  }
  return nodes;
}

bool have_pci_addresses(const Descriptions& devices) {
  for (const convoy_device_description& device : devices)
    if (!topology::parse_pci_address(device.locality)) return false;
  return !devices.empty();
}

}  // namespace

std::shared_ptr<runtime::OpenDevices> open_devices(const Setup& setup, std::uint32_t devices) {
  auto open = std::make_shared<runtime::OpenDevices>(*setup.device, devices,
                                                     setup.options.threads_per_device);
  if (!have_pci_addresses(open->descriptions())) return open;
  auto places = std::make_shared<simulate::PlaceNodes>(topology::detect_machine());
  const auto nodes = nodes_of_devices(places->graph, open->descriptions());
  const std::vector<std::size_t> memories = simulate::memory_nodes(places->graph, 0);
  if (!nodes || memories.empty()) return open;
  for (const std::size_t node : *nodes) places->nodes.push_back({node});
  places->nodes.push_back(memories);  // the host is the last place
  open->locate(
      simulate::replica_groups(places->graph, places->nodes, open->cluster().replica_place),
      [places](std::uint32_t from, std::uint32_t to) { return places->route(from, to); });
  return open;
}

}  // namespace convoy::job
