#include "core/calibrate/vector_size.hpp"

#include <algorithm>

#include "core/base/system/memory_limit.hpp"
#include "core/base/system/system_root.hpp"

namespace convoy::calibrate {
namespace {

constexpr std::uint64_t kVectors = 4;
constexpr std::uint64_t kPartOfMemory = 4;
constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
// Touching the memory of larger vectors takes seconds, and four vectors of this size exceed all
// caches.
constexpr std::uint64_t kMost = std::uint64_t{1} << 30;

}  // namespace

VectorBounds host_vector_bounds(const ProcessorFacts& facts) {
  VectorBounds bounds;
  bounds.cache_bytes = facts.cache_bytes;
  bounds.memory_bytes = available_memory(SystemRoot("/")).value_or(facts.memory_bytes);
  return bounds;
}

std::uint64_t vector_bytes(const VectorBounds& bounds, std::uint32_t devices) {
  std::uint64_t bytes = std::max(bounds.least_bytes, bounds.cache_bytes / devices);
  bytes = std::min(bytes, kMost);
  if (bounds.memory_bytes > 0)
    bytes = std::min(bytes, bounds.memory_bytes / (kPartOfMemory * kVectors * devices));
  return std::max(bytes / kMebibyte, std::uint64_t{1}) * kMebibyte;
}

}  // namespace convoy::calibrate
