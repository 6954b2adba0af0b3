#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "topology/graph/machine.hpp"

namespace convoy::simulate {

// Returns the package of each of a host's memories, numbered from 0. A package may have several
// NUMA nodes (NPS4, sub-NUMA clustering). A memory outside all packages counts as a package of its
// own.
std::vector<std::uint32_t> packages_of(const topology::Machine& machine,
                                       const std::vector<std::size_t>& memories);

// Returns the rate that these memories of a host reach together, in bytes per second. If the
// machine does not state the rate of a memory, it has its share of its package's rate.
double memory_rate(const topology::Machine& machine, const std::vector<std::size_t>& memories,
                   double package_bytes_per_second);

}  // namespace convoy::simulate
