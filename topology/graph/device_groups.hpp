#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "topology/graph/machine.hpp"

namespace convoy::topology {

// Which of some GPUs share a part of their machine: per GPU the number of its group of each kind,
// equal for those that share it. A GPU that shares it with none has a number of its own.
struct DeviceGroups {
  std::vector<std::uint32_t> numa;         // the nearest NUMA node, else package
  std::vector<std::uint32_t> pcie_switch;  // a PCI Express switch, and so the link above it
  std::vector<std::uint32_t> nvlink;       // each reaches each other by NVLink, passing no GPU
};

// Where NVLink joins more than reach each other, as on a DGX-1, groups are made in the order of
// `gpus`: each joins the first one of which it reaches all.
DeviceGroups device_groups(const Machine& machine, const std::vector<std::size_t>& gpus);

}  // namespace convoy::topology
