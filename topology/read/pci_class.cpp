#include "topology/read/pci_class.hpp"

#include <algorithm>
#include <array>

#include "topology/graph/graph_edit.hpp"

namespace convoy::topology {
namespace {

// Vendors in PCI's list whose display adapters only show pictures: ASPEED, Matrox, QEMU, Cirrus,
// VMware, virtio, Red Hat (QXL), Microsoft (Hyper-V).
constexpr std::array<std::uint16_t, 8> kOnlyDisplay = {0x1a03, 0x102b, 0x1234, 0x1013,
                                                       0x15ad, 0x1af4, 0x1b36, 0x1414};
constexpr std::uint16_t kAmd = 0x1002;
// Of a vendor that makes GPUs, too: the pictures of servers' management boards, ES1000 and Rage XL.
constexpr std::array<PciId, 2> kManagementDisplays = {PciId{kAmd, 0x515e}, PciId{kAmd, 0x4752}};
constexpr std::uint16_t kOtherBridge = 0x0680;

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
  if (type.id &&
      std::find(kOnlyDisplay.begin(), kOnlyDisplay.end(), type.id->vendor) != kOnlyDisplay.end())
    return false;
  if (type.id && std::find(kManagementDisplays.begin(), kManagementDisplays.end(), *type.id) !=
                     kManagementDisplays.end())
    return false;
  if (type.kind >> 8 == 0x03) return true;
  return type.kind >> 8 == 0x12 && type.id && type.id->vendor == kAmd;
}

bool is_network(const PciType& type) {
  return type.kind >> 8 == 0x02;
}

bool is_nvswitch_id(const PciType& type) {
  return type.kind == kOtherBridge && type.id && type.id->vendor == kNvidia;
}

}  // namespace convoy::topology
