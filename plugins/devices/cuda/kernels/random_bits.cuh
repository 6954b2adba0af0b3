#pragma once

#include <cstdint>

namespace convoy::cuda {

// Returns the 32 bits that decide about element or image `number`, the same as on CPU devices.
__device__ inline std::uint32_t random_bits(std::uint32_t number, std::uint64_t key) {
  std::uint32_t h = number * 0x9e3779b1u ^ static_cast<std::uint32_t>(key);
  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= static_cast<std::uint32_t>(key >> 32);
  h ^= h >> 13;
  h *= 0xc2b2ae35u;
  h ^= h >> 16;
  return h;
}

}  // namespace convoy::cuda
