#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "topology/graph/machine.hpp"

namespace convoy::topology {

inline constexpr std::uint16_t kNvidia = 0x10de;  // in PCI's list of vendors

// The kind of a PCI device (base class and subclass, 0x0302) and its id.
struct PciType {
  std::uint16_t kind = 0;
  std::optional<PciId> id;
};

// Parses hwloc's "0302 [10de:1db8] [10de:131d] a1 00".
PciType parse_hwloc_pci_type(std::string_view text);

// Display adapters that can compute and processing accelerators are GPUs. Displays of management
// controllers, processors and virtual machines are not. An adapter with a display counts only if it
// is a card of a vendor that makes GPUs.
bool is_gpu(const PciType& type);
bool is_network(const PciType& type);
// Whether this is an NVIDIA bridge device. Some report neither class nor id, and only hwloc's
// subtype identifies them.
bool is_nvswitch_id(const PciType& type);

}  // namespace convoy::topology
