#include "topology/read/pci_class.hpp"

#include <algorithm>
#include <array>

#include "topology/graph/graph_edit.hpp"

namespace convoy::topology {
namespace {

constexpr std::uint16_t kAmd = 0x1002;
// Base class and subclass of adapters without a display output, such as NVIDIA's for data centres.
constexpr std::uint16_t k3dController = 0x0302;
// Vendors in PCI's list that only virtual machines have, whatever the class of their adapters:
// QEMU, VMware, virtio, Red Hat (QXL), Microsoft (Hyper-V).
constexpr std::array<std::uint16_t, 5> kVirtual = {0x1234, 0x15ad, 0x1af4, 0x1b36, 0x1414};
// AMD also makes GPUs. These ids are displays of servers' management boards (ES1000, Rage XL) and
// graphics in processors, from Raven Ridge to Strix Halo.
constexpr std::array<std::uint16_t, 22> kAmdDisplays = {
    0x515e, 0x4752, 0x15dd, 0x15d8, 0x1636, 0x164c, 0x1638, 0x15e7, 0x163f, 0x164d, 0x1681,
    0x164e, 0x1506, 0x15bf, 0x15c8, 0x1900, 0x1901, 0x13c0, 0x150e, 0x1586, 0x9874, 0x1114};
constexpr std::uint16_t kIntel = 0x8086;
constexpr std::uint16_t kOtherBridge = 0x0680;

bool is_amd_display(std::uint16_t device) {
  return std::ranges::find(kAmdDisplays, device) != kAmdDisplays.end();
}

// Whether this is one of Intel's cards: Ponte Vecchio, DG1, DG2 or Battlemage. Its other adapters
// are parts of processors.
bool is_intel_card(std::uint16_t device) {
  return device >> 4 == 0x0bd || device == 0x4905 || device >> 8 == 0x56 || device >> 8 == 0xe2;
}

}  // namespace

PciType parse_hwloc_pci_type(std::string_view text) {
  PciType type;
  if (text.size() < 4) return type;
  type.kind = static_cast<std::uint16_t>(parse_unsigned(text.substr(0, 4), 16).value_or(0));
  const std::size_t open = text.find('[');
  if (open == std::string_view::npos || text.size() < open + 10) return type;
  const auto vendor = parse_unsigned(text.substr(open + 1, 4), 16);
  const auto device = parse_unsigned(text.substr(open + 6, 4), 16);
  if (vendor && device && *vendor != 0)
    type.id = PciId{static_cast<std::uint16_t>(*vendor), static_cast<std::uint16_t>(*device)};
  return type;
}

bool is_gpu(const PciType& type) {
  const auto [vendor, device] = type.id.value_or(PciId{});
  const bool is_display = type.kind >> 8 == 0x03;
  if (vendor == kAmd) return type.kind >> 8 == 0x12 || (is_display && !is_amd_display(device));
  if (vendor == kNvidia) return is_display;
  if (vendor == kIntel) return is_display && is_intel_card(device);
  return type.kind == k3dController && std::ranges::find(kVirtual, vendor) == kVirtual.end();
}

bool is_network(const PciType& type) {
  return type.kind >> 8 == 0x02;
}

bool is_nvswitch_id(const PciType& type) {
  return type.kind == kOtherBridge && type.id && type.id->vendor == kNvidia;
}

}  // namespace convoy::topology
