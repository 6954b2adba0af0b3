#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define CONVOY_ANYWHERE __host__ __device__
#else
#define CONVOY_ANYWHERE
#endif

namespace convoy::cuda {

// A step of splitmix64: a key and a word make another key. Dropout's masks come from seed, replica,
// layer and step by this, in that order.
CONVOY_ANYWHERE inline std::uint64_t mix_key(std::uint64_t key, std::uint64_t word) {
  std::uint64_t z = key + word + 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace convoy::cuda
