#pragma once

#include <algorithm>
#include <cstdint>

#ifdef __CUDACC__
#define CONVOY_ANYWHERE __host__ __device__
#else
#define CONVOY_ANYWHERE
#endif

namespace convoy {

// Every device drops the same elements, because their masks follow from these keys and thresholds.

// A step of splitmix64: derives a key from another key and a word.
CONVOY_ANYWHERE inline std::uint64_t mix_key(std::uint64_t key, std::uint64_t word) {
  std::uint64_t z = key + word + 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// Returns the key of a layer's masks on a replica. mix_key() with the number of a step derives the
// key of that step's mask.
CONVOY_ANYWHERE inline std::uint64_t dropout_key(std::uint64_t seed, std::uint64_t replica,
                                                 std::uint64_t layer) {
  return mix_key(mix_key(mix_key(0, seed), replica), layer);
}

// An element is kept if its random word of 32 bits is below the threshold.
inline std::uint32_t dropout_threshold(double keep) {
  return static_cast<std::uint32_t>(std::min(keep * 0x1p32, 0x1p32 - 1.0));
}

}  // namespace convoy
