// Compiled once per instruction set, as kernels.cpp is.
#include "plugins/devices/cpu/kernels/compression.hpp"

namespace convoy::cpu::CONVOY_KERNEL_SET {
namespace {

constexpr std::size_t kLanes = 32;

inline std::uint32_t magnitude_bits(const float* read, std::size_t i) {
  std::uint32_t bits;
  __builtin_memcpy(&bits, read + i, sizeof bits);
  return bits & 0x7fffffffu;
}

// Rounds numbers below 2^22 in magnitude to nearest even.
inline float rounded(float value) {
  constexpr float kShift = 12582912.0f;  // 1.5 * 2^23
  return (value + kShift) - kShift;
}

std::uint32_t largest_magnitude(const float* read, std::size_t count) {
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t bits = magnitude_bits(read, i);
    largest = bits > largest ? bits : largest;
  }
  return largest;
}

float mean_magnitude(const float* read, std::size_t count) {
  double sums[kLanes] = {};
  std::size_t nonzero = 0;
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const float value = __builtin_fabsf(read[i + lane]);
      sums[lane] += static_cast<double>(value);
      nonzero += value != 0 ? 1 : 0;
    }
  for (; i < count; ++i) {
    sums[i % kLanes] += static_cast<double>(__builtin_fabsf(read[i]));
    nonzero += read[i] != 0 ? 1 : 0;
  }
  for (std::size_t apart = kLanes / 2; apart > 0; apart /= 2)
    for (std::size_t lane = 0; lane < apart; ++lane) sums[lane] += sums[lane + apart];
  return nonzero == 0 ? 0.0f : static_cast<float>(sums[0] / static_cast<double>(nonzero));
}

void signs(std::int8_t* __restrict codes, const float* __restrict read, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    codes[i] = static_cast<std::int8_t>((read[i] > 0 ? 1 : 0) - (read[i] < 0 ? 1 : 0));
}

void round_codes(std::int8_t* __restrict codes, const float* __restrict read, float scale,
                 float most, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const float value = read[i] / scale;
    const float above = value < -most ? -most : value;
    codes[i] = static_cast<std::int8_t>(rounded(above > most ? most : above));
  }
}

void add_codes(float* __restrict write, const std::int8_t* __restrict codes, float scale,
               std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    write[i] = write[i] + scale * static_cast<float>(codes[i]);
}

void leave_rest(float* write, const float* read, const std::int8_t* __restrict codes, float scale,
                std::size_t count) {
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; ++i) {
    const float rest = read[i] - scale * static_cast<float>(codes[i]);
    write[i] = rest - rest == 0 ? rest : 0.0f;
  }
}

void count_digits(std::uint32_t* counts, const float* read, std::size_t count, std::uint32_t prefix,
                  std::uint32_t prefix_shift, std::uint32_t digit_shift, std::uint32_t digit_mask) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t bits = magnitude_bits(read, i);
    if (bits >> prefix_shift == prefix) ++counts[bits >> digit_shift & digit_mask];
  }
}

void count_above(const float* read, std::size_t count, std::uint32_t limit, std::size_t* above,
                 std::size_t* equal) {
  std::size_t more = 0;
  std::size_t same = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t bits = magnitude_bits(read, i);
    more += bits > limit ? 1 : 0;
    same += bits == limit ? 1 : 0;
  }
  *above = more;
  *equal = same;
}

}  // namespace

extern const CompressionKernels kCompression;
const CompressionKernels kCompression = {largest_magnitude, mean_magnitude, signs,
                                         round_codes,       add_codes,      leave_rest,
                                         count_digits,      count_above};

}  // namespace convoy::cpu::CONVOY_KERNEL_SET
