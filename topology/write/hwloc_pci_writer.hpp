#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "topology/graph/machine.hpp"
#include "topology/read/hwloc_numbers.hpp"

namespace convoy::topology {

// Writes PCI trees as hwloc has them. There every switch is a bridge that faces up and one per link
// that faces down; where the machine has one node for a switch, ports are written in between, so
// that every link keeps its speed.
class HwlocPciWriter {
 public:
  HwlocPciWriter(const Machine& machine, HwlocNumbers& numbers);

  // A host bridge with all below it, or a device, which then gets a host bridge of its own.
  void write_tree(pugi::xml_node parent, std::size_t node);
  // NVSwitches are PCI devices in hwloc; below a host bridge of their own.
  void write_nvswitches(pugi::xml_node package);

 private:
  // `bridges`: how many are above, not counting the host bridge.
  void write_below(pugi::xml_node parent, std::size_t node, unsigned bridges);
  pugi::xml_node write_port(pugi::xml_node parent, std::size_t below, unsigned bridges);
  pugi::xml_node write_root(pugi::xml_node parent, std::size_t below);
  void write_range(pugi::xml_node bridge, std::size_t node) const;
  void write_identity(pugi::xml_node pci, const PciAddress& address, const Node& node, double rate);
  void write_function(pugi::xml_node pci, std::size_t node);
  double rate_of(std::size_t node) const;
  PciAddress address_of(std::size_t node) const;
  // Buses below a bridge, which hwloc wants to hold those of its children.
  std::pair<std::uint32_t, std::uint32_t> buses(std::size_t node) const;
  std::uint32_t domain_of(std::size_t node) const;

  const Machine& machine_;
  HwlocNumbers& numbers_;
  std::vector<std::optional<std::size_t>> up_;
  std::vector<std::vector<std::size_t>> children_;
  std::uint32_t made_up_;  // addresses for what has none
  unsigned gpus_ = 0;
};

}  // namespace convoy::topology
