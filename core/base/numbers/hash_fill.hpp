#pragma once

#include <cstdint>

namespace convoy {

// A deterministic fill that uses only integers, so that any program on any machine can start from
// the same float32 bits. `key` is the number of the tensor, `index` is the flat row-major element
// index. All integer arithmetic is modulo 2^32.

// The key of input images; trainable variable k has key k + 1.
inline constexpr std::uint32_t kHashImageKey = 1000000;

// Returns a uniform value in the open interval (-1/2, 1/2), exact in double.
double hash_uniform(std::uint32_t key, std::uint32_t seed, std::uint32_t index);

// Returns offset + scale * hash_uniform(...). Product and sum are rounded separately in double, and
// the sum is then rounded to float.
float hash_fill(std::uint32_t key, std::uint32_t seed, std::uint32_t index, double scale,
                double offset);

}  // namespace convoy
