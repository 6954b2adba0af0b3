#pragma once

#include <cstdint>

#include "core/calibrate/processor_facts.hpp"

namespace convoy::calibrate {

// What decides how large vectors are with which the rate of a memory is measured.
struct VectorBounds {
  std::uint64_t least_bytes = std::uint64_t{16} << 20;
  std::uint64_t cache_bytes = 0;   // of all last-level caches together; 0 = unknown
  std::uint64_t memory_bytes = 0;  // that may be taken; 0 = unknown
};

// For the memory of these processors. Takes what is available now.
VectorBounds host_vector_bounds(const ProcessorFacts& facts);

// Of each of the four vectors, at most, that each of so many devices works on at the same time. One
// vector of all devices together is as large as all caches: sums of three are the memory's rate,
// not the caches'. All vectors together are at most a quarter of the memory.
std::uint64_t vector_bytes(const VectorBounds& bounds, std::uint32_t devices);

}  // namespace convoy::calibrate
