#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "topology/graph/machine.hpp"
#include "topology/read/hwloc_numbers.hpp"

namespace convoy::topology {

// Writes PCI trees in hwloc's form. There, every switch is a bridge that faces up and one bridge
// per link that faces down. If the machine has one node for a switch, ports are written in between,
// so that every link keeps its speed.
class HwlocPciWriter {
 public:
  HwlocPciWriter(const Machine& machine, HwlocNumbers& numbers);

  // Writes a host bridge with everything below it, or a device, which gets a host bridge of its
  // own.
  void write_tree(pugi::xml_node parent, std::size_t node);
  // Writes NVSwitches, which are PCI devices in hwloc, below a host bridge of their own.
  void write_nvswitches(pugi::xml_node package);

 private:
  // `bridges` is the number of bridges above, without the host bridge.
  void write_below(pugi::xml_node parent, std::size_t node, unsigned bridges);
  pugi::xml_node write_port(pugi::xml_node parent, std::size_t below, unsigned bridges);
  pugi::xml_node write_root(pugi::xml_node parent, std::size_t below);
  void write_range(pugi::xml_node bridge, std::size_t node) const;
  void write_identity(pugi::xml_node pci, const PciAddress& address, const Node& node, double rate);
  void write_function(pugi::xml_node pci, std::size_t node);
  double rate_of(std::size_t node) const;
  PciAddress address_of(std::size_t node) const;
  // Returns the range of buses below a bridge. In hwloc, it must contain those of the bridge's
  // children.
  std::pair<std::uint32_t, std::uint32_t> buses(std::size_t node) const;
  std::uint32_t domain_of(std::size_t node) const;

  const Machine& machine_;
  HwlocNumbers& numbers_;
  std::vector<std::optional<std::size_t>> up_;
  std::vector<std::vector<std::size_t>> children_;
  std::uint32_t made_up_;  // counts addresses for nodes that have none
  unsigned gpus_ = 0;
};

}  // namespace convoy::topology
