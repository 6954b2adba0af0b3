#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "topology/graph/machine.hpp"

namespace convoy::topology {

inline constexpr std::uint16_t kNvidia = 0x10de;  // in PCI's list of vendors

// What kind of PCI device it is (base class and subclass, 0x0302) and which one.
struct PciType {
  std::uint16_t kind = 0;
  std::optional<PciId> id;
};

// hwloc's "0302 [10de:1db8] [10de:131d] a1 00".
PciType parse_hwloc_pci_type(std::string_view text);

// Display adapters that can compute and processing accelerators; not those of management
// controllers, processors and virtual machines. Adapters with a display count only as cards of
// vendors that make GPUs.
bool is_gpu(const PciType& type);
bool is_network(const PciType& type);
// NVIDIA's bridge devices; some report neither class nor id and are known by hwloc's subtype only.
bool is_nvswitch_id(const PciType& type);

}  // namespace convoy::topology
