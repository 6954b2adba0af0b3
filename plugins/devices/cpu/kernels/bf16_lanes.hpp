// Included by kernels that are compiled once per instruction set, so everything is local to a file.
#pragma once

#include <cstddef>
#include <cstdint>

namespace convoy::cpu::CONVOY_KERNEL_SET {
namespace {

// Templates cannot convert vectors (GCC 12), so both widths are defined here.
template <typename Number, std::size_t lanes>
struct VectorOf {
  typedef Number Type __attribute__((vector_size(lanes * sizeof(Number))));
};
using Words8 = VectorOf<std::uint32_t, 8>::Type;
using Words16 = VectorOf<std::uint32_t, 16>::Type;
using Halves8 = VectorOf<std::uint16_t, 8>::Type;
using Halves16 = VectorOf<std::uint16_t, 16>::Type;

inline Words8 words_of(Halves8 value) {
  return __builtin_convertvector(value, Words8);
}
inline Words16 words_of(Halves16 value) {
  return __builtin_convertvector(value, Words16);
}
inline Halves8 halves_of(Words8 value) {
  return __builtin_convertvector(value, Halves8);
}
inline Halves16 halves_of(Words16 value) {
  return __builtin_convertvector(value, Halves16);
}

// This many consecutive numbers as f32 and as bf16.
template <std::size_t lanes>
struct Bf16Lanes {
  using Vector = typename VectorOf<float, lanes>::Type;
  using Words = typename VectorOf<std::uint32_t, lanes>::Type;
  using Halves = typename VectorOf<std::uint16_t, lanes>::Type;

  static Vector widened(Halves value) { return reinterpret_cast<Vector>(words_of(value) << 16); }

  // The nearest bf16's bits in the upper half of each word, ties to even; NaN stays NaN.
  static Words rounded(Vector value) {
    const Words bits = reinterpret_cast<Words>(value);
    const Words nearest = bits + 0x7fffu + (bits >> 16 & 1u);
    return value == value ? nearest : bits | 0x400000u;
  }

  static Halves narrowed(Vector value) { return halves_of(rounded(value) >> 16); }
};

}  // namespace
}  // namespace convoy::cpu::CONVOY_KERNEL_SET
