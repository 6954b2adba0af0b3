#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace convoy::plan {

// Converts 16-bit floats by their definition rather than by bit tricks: rounds to nearest even, and
// keeps infinities and not-a-number.
inline std::uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(bits >> 16 | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

inline float from_bf16(std::uint16_t half) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(half) << 16);
}

inline std::uint16_t to_f16(float value) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000u : 0u;
  if (std::isnan(value)) return sign | 0x7e00u;
  const double magnitude = std::fabs(static_cast<double>(value));
  if (magnitude >= 65520.0) return sign | 0x7c00u;  // rounds above the largest finite, 65504
  const int exponent = magnitude < 0x1p-14 ? -14 : std::ilogb(magnitude);
  // Units of the last place, 10 bits below the exponent; a carry runs into the exponent field.
  const double units = std::nearbyint(std::ldexp(magnitude, 10 - exponent));
  const int field = static_cast<int>(units) + (exponent + 14) * 1024;
  return static_cast<std::uint16_t>(sign | field);
}

inline float from_f16(std::uint16_t half) {
  const int exponent = half >> 10 & 31;
  const int mantissa = half & 1023;
  double magnitude = std::ldexp(mantissa + (exponent > 0 ? 1024 : 0), std::max(exponent, 1) - 25);
  if (exponent == 31) magnitude = mantissa == 0 ? HUGE_VAL : std::nan("");
  return static_cast<float>((half & 0x8000u) != 0 ? -magnitude : magnitude);
}

}  // namespace convoy::plan
