#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "plugins/devices/cpu/kernels/channels_last.hpp"

namespace convoy::test {

inline double value_of(cpu::Bf16 half) {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(half) << 16));
}

// Ties to even, of normal numbers, without a look at bits: bf16 has eight of them.
inline cpu::Bf16 nearest_bf16(double value) {
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  const double whole = std::nearbyint(std::ldexp(mantissa, 8));
  const auto rounded = static_cast<float>(std::ldexp(whole, exponent - 8));
  return static_cast<cpu::Bf16>(std::bit_cast<std::uint32_t>(rounded) >> 16);
}

// The most by which rounding to bf16 moves a number of at most this magnitude: half a unit in the
// last of eight places.
inline double half_bf16_ulp(double magnitude) {
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  return magnitude == 0.0 ? 0.0 : std::ldexp(1.0, std::max(exponent - 9, -134));
}

// Bell-shaped (a sum of four bytes) and cheap without optimisation: test code has none.
class CheapRandom {
 public:
  explicit CheapRandom(std::uint32_t seed) : state_(seed) {}

  std::uint32_t bits() {
    state_ += 0x9e3779b9u;
    std::uint32_t word = state_;
    word = (word ^ word >> 16) * 0x85ebca6bu;
    word = (word ^ word >> 13) * 0xc2b2ae35u;
    return word ^ word >> 16;
  }
  // Of mean 0 and deviation 1, within 3.5.
  double normal() {
    const std::uint32_t word = bits();
    const std::uint32_t sum =
        (word & 255u) + (word >> 8 & 255u) + (word >> 16 & 255u) + (word >> 24);
    return (static_cast<double>(sum) - 510.0) / 147.8;
  }

 private:
  std::uint32_t state_;
};

inline std::vector<cpu::Bf16> random_bf16(std::size_t count, double centre, double deviation,
                                          std::uint32_t seed) {
  CheapRandom random(seed);
  std::vector<cpu::Bf16> values(count);
  for (cpu::Bf16& value : values) value = nearest_bf16(centre + deviation * random.normal());
  return values;
}

}  // namespace convoy::test
