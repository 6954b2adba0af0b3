#include "core/base/numbers/hash_fill.hpp"

namespace convoy {

double hash_uniform(std::uint32_t key, std::uint32_t seed, std::uint32_t index) {
  std::uint32_t hash = index * 2654435761u + key * 2246822519u + seed * 3266489917u;
  hash ^= hash >> 16;
  hash *= 0x45d9f3bu;
  hash ^= hash >> 16;
  return hash * 0x1p-32 - 0.5 + 0x1p-33;
}

float hash_fill(std::uint32_t key, std::uint32_t seed, std::uint32_t index, double scale,
                double offset) {
  const double product = scale * hash_uniform(key, seed, index);
  return static_cast<float>(offset + product);
}

}  // namespace convoy
