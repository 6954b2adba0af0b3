#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "topology/graph/machine.hpp"

namespace convoy::topology {

// Which of some GPUs share a part of their machine. Each list has one group number per GPU, equal
// for GPUs that share that part. A GPU that shares it with none has a number of its own.
struct DeviceGroups {
  std::vector<std::uint32_t> numa;         // the nearest NUMA node, else package
  std::vector<std::uint32_t> pcie_switch;  // a PCI Express switch, and so the link above it
  std::vector<std::uint32_t> nvlink;  // GPUs that reach each other by NVLink without passing a GPU
};

// If NVLink joins GPUs that do not all reach each other, as on a DGX-1, groups are made in the
// order of `gpus`: each GPU joins the first group of which it reaches all GPUs.
DeviceGroups device_groups(const Machine& machine, const std::vector<std::size_t>& gpus);

}  // namespace convoy::topology
