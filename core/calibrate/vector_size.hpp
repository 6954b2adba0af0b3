#pragma once

#include <cstdint>

#include "core/calibrate/processor_facts.hpp"

namespace convoy::calibrate {

// The bounds on the size of vectors that measure the rate of a memory.
struct VectorBounds {
  std::uint64_t least_bytes = std::uint64_t{16} << 20;
  std::uint64_t cache_bytes = 0;   // all last-level caches together; 0 = unknown
  std::uint64_t memory_bytes = 0;  // the memory that may be used; 0 = unknown
};

// Returns the bounds for the memory of these processors, with the memory that is available now.
VectorBounds host_vector_bounds(const ProcessorFacts& facts);

// Returns the size of a vector if all devices work at the same time on at most four vectors each.
// One vector per device is enough to fill all caches, so that sums of three vectors measure the
// memory and not the caches. All vectors together take at most a quarter of the memory.
std::uint64_t vector_bytes(const VectorBounds& bounds, std::uint32_t devices);

}  // namespace convoy::calibrate
