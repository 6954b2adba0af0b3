#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "topology/graph/machine.hpp"

namespace convoy::simulate {

// For each of a host's memories the package that it is of, numbered from 0 on: a package may have
// several NUMA nodes (NPS4, sub-NUMA clustering). One outside all packages counts as one more.
std::vector<std::uint32_t> packages_of(const topology::Machine& machine,
                                       const std::vector<std::size_t>& memories);

// What all these memories of a host reach together, in bytes per second. Where the machine does not
// say it of one, it has its share of what its package reaches.
double memory_rate(const topology::Machine& machine, const std::vector<std::size_t>& memories,
                   double package_bytes_per_second);

}  // namespace convoy::simulate
