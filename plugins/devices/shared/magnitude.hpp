#pragma once

#include <cstdint>

// Magnitudes of f32 values as unsigned numbers: without the sign, the bits of larger values are
// larger numbers. Messages of selected and of quantised elements are made of them.
namespace convoy {

inline constexpr std::uint32_t kMagnitudeBits = 31;
inline constexpr std::uint32_t kInfinite = 0x7f800000u;  // not-a-number is above it

// The largest magnitudes are found digit by digit, from the highest one on.
inline constexpr std::uint32_t kDigitBits[] = {11, 10, 10};
inline constexpr std::uint32_t kMostDigits = 1u << 11;  // different values of a digit

}  // namespace convoy
