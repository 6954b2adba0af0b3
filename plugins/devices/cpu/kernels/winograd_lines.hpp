#pragma once

// The arithmetic of F(4x4, 3x3) and F(2x2, 5x5) along one line of values, and its use on squares.
// Included only by the kernels, once per instruction set, so everything is in the set's own
// namespace.
#include <cstddef>
#include <utility>

#include "plugins/devices/cpu/kernels/bf16.hpp"
#include "plugins/devices/cpu/kernels/bf16_lanes.hpp"
#include "plugins/devices/cpu/kernels/winograd.hpp"

namespace convoy::cpu::CONVOY_KERNEL_SET {

template <std::size_t lanes>
struct Lanes {
  using Vector = typename Bf16Lanes<lanes>::Vector;
  typedef float Stored __attribute__((vector_size(lanes * sizeof(float)), aligned(4), may_alias));

  static Vector load(const float* from) { return *reinterpret_cast<const Stored*>(from); }
  static void store(float* to, Vector value) { *reinterpret_cast<Stored*>(to) = value; }

  static Vector load(const Bf16* from) {
    typename Bf16Lanes<lanes>::Halves halves;
    __builtin_memcpy(&halves, from, sizeof halves);
    return Bf16Lanes<lanes>::widened(halves);
  }
  static void store(Bf16* to, Vector value) {
    const typename Bf16Lanes<lanes>::Halves halves = Bf16Lanes<lanes>::narrowed(value);
    __builtin_memcpy(to, &halves, sizeof halves);
  }
};

// The interpolation points are 0, +-a, +-b and infinity. With these roots, rounding errors of
// results are about 1.7 times those of the direct algorithm; with 1 and 2, they are 5 times.
constexpr double kA = 0.70710678118654752;
constexpr double kB = 1.4142135623730951;
constexpr double kA2 = kA * kA;
constexpr double kB2 = kB * kB;
// The divisors of the weights at +-a and +-b.
constexpr double kDivisorA = 2 * kA2 * (kA2 - kB2);
constexpr double kDivisorB = 2 * kB2 * (kB2 - kA2);

constexpr double power(double base, std::size_t exponent) {
  return exponent == 0 ? 1.0 : base * power(base, exponent - 1);
}

constexpr float rounded(double value) {
  return static_cast<float>(value);
}

constexpr std::size_t kPatch = kWinogradPatch;

// Transforms six values to the six points.
struct SourceLine {
  template <typename Vector>
  static void run(const Vector (&d)[kPatch], Vector (&out)[kPatch]) {
    constexpr float kProduct = rounded(kA2 * kB2);
    constexpr float kSum = rounded(kA2 + kB2);
    const Vector even_a = d[4] - rounded(kB2) * d[2];
    const Vector odd_a = rounded(kA) * (d[3] - rounded(kB2) * d[1]);
    const Vector even_b = d[4] - rounded(kA2) * d[2];
    const Vector odd_b = rounded(kB) * (d[3] - rounded(kA2) * d[1]);
    out[0] = kProduct * d[0] + (d[4] - kSum * d[2]);
    out[1] = even_a + odd_a;
    out[2] = even_a - odd_a;
    out[3] = even_b + odd_b;
    out[4] = even_b - odd_b;
    out[5] = kProduct * d[1] + (d[5] - kSum * d[3]);
  }
};

// The sum of base^i / divisor * values[i] over even i (first = 0) or odd ones (first = 1).
template <std::size_t first, std::size_t count, typename Vector>
inline Vector polynomial(double base, double divisor, const Vector (&values)[count]) {
  Vector sum = rounded(power(base, first) / divisor) * values[first];
#pragma GCC unroll 6
  for (std::size_t i = first + 2; i < count; i += 2) {
    sum += rounded(power(base, i) / divisor) * values[i];
  }
  return sum;
}

// Evaluates polynomials with `count` coefficients at +-a and +-b, and the reverse.
template <std::size_t count>
struct ToPoints {
  // The caller computes the first and the last point.
  template <typename Vector>
  static void run(const Vector (&g)[count], double divisor_a, double divisor_b,
                  Vector (&out)[kPatch]) {
    const Vector even_a = polynomial<0>(kA, divisor_a, g);
    const Vector odd_a = polynomial<1>(kA, divisor_a, g);
    const Vector even_b = polynomial<0>(kB, divisor_b, g);
    const Vector odd_b = polynomial<1>(kB, divisor_b, g);
    out[1] = even_a + odd_a;
    out[2] = even_a - odd_a;
    out[3] = even_b + odd_b;
    out[4] = even_b - odd_b;
  }
};

template <std::size_t count>
struct FromPoints {
  template <typename Vector>
  static void run(const Vector (&m)[kPatch], const Vector& first, double divisor_a,
                  double divisor_b, Vector (&out)[count]) {
    const Vector a[2] = {m[1] + m[2], m[1] - m[2]};
    const Vector b[2] = {m[3] + m[4], m[3] - m[4]};
#pragma GCC unroll 6
    for (std::size_t i = 0; i < count; ++i) {
      Vector sum = rounded(power(kB, i) / divisor_b) * b[i % 2];
      if (i == 0) sum += first;
      if (i + 1 == count) sum += m[5];
      out[i] = rounded(power(kA, i) / divisor_a) * a[i % 2] + sum;
    }
  }
};

// Transforms the six points to a tile's results.
template <std::size_t tile>
struct ResultLine {
  template <typename Vector>
  static void run(const Vector (&m)[kPatch], Vector (&out)[tile]) {
    FromPoints<tile>::run(m, m[0], 1.0, 1.0, out);
  }
};

// Transforms a tile's gradients to the six points.
template <std::size_t tile>
struct GradientLine {
  template <typename Vector>
  static void run(const Vector (&g)[tile], Vector (&out)[kPatch]) {
    ToPoints<tile>::run(g, 1.0, 1.0, out);
    out[0] = g[0];
    out[5] = g[tile - 1];
  }
};

// Transforms a filter's weights to the six points.
template <std::size_t taps>
struct WeightsLine {
  template <typename Vector>
  static void run(const Vector (&g)[taps], Vector (&out)[kPatch]) {
    ToPoints<taps>::run(g, kDivisorA, kDivisorB, out);
    out[0] = rounded(1 / (kA2 * kB2)) * g[0];
    out[5] = g[taps - 1];
  }
};

// Transforms the six points to the gradients of a filter's weights.
template <std::size_t taps>
struct WeightsGradientLine {
  template <typename Vector>
  static void run(const Vector (&u)[kPatch], Vector (&out)[taps]) {
    FromPoints<taps>::run(u, rounded(1 / (kA2 * kB2)) * u[0], kDivisorA, kDivisorB, out);
  }
};

// Exchanges the off-diagonal halves of two rows of squares with twice the distance.
template <std::size_t distance, typename Vector, std::size_t... lane>
inline void exchange_halves(Vector& upper, Vector& lower, std::index_sequence<lane...>) {
  constexpr std::size_t kLanes = sizeof...(lane);
  const Vector old = upper;
  upper = __builtin_shufflevector(old, lower,
                                  ((lane & distance) != 0 ? kLanes + lane - distance : lane)...);
  lower = __builtin_shufflevector(old, lower,
                                  ((lane & distance) != 0 ? kLanes + lane : lane + distance)...);
}

template <std::size_t distance, std::size_t lanes, typename Vector>
inline void exchange_squares(Vector (&rows)[lanes]) {
  if constexpr (distance < lanes) {
#pragma GCC unroll 16
    for (std::size_t i = 0; i < lanes; ++i) {
      if ((i & distance) != 0) continue;
      exchange_halves<distance>(rows[i], rows[i + distance], std::make_index_sequence<lanes>{});
    }
    exchange_squares<2 * distance>(rows);
  }
}

// Transposes a square with as many rows and columns as there are lanes.
template <std::size_t lanes>
inline void transpose(const float* from, std::size_t from_stride, float* to,
                      std::size_t to_stride) {
  typename Lanes<lanes>::Vector rows[lanes];
#pragma GCC unroll 16
  for (std::size_t i = 0; i < lanes; ++i) rows[i] = Lanes<lanes>::load(from + i * from_stride);
  exchange_squares<1>(rows);
#pragma GCC unroll 16
  for (std::size_t i = 0; i < lanes; ++i) Lanes<lanes>::store(to + i * to_stride, rows[i]);
}

// Applies a line transform to the columns and then to the rows of a square: value(row, column)
// gives the input, write(row, column, vector) takes the output.
template <std::size_t lanes, std::size_t from, std::size_t to, typename Line, typename Value,
          typename Write>
inline void transform_square(const Value& value, const Write& write) {
  using Vector = typename Lanes<lanes>::Vector;
  Vector half[to][from];
#pragma GCC unroll 6
  for (std::size_t column = 0; column < from; ++column) {
    Vector in[from];
    Vector out[to];
#pragma GCC unroll 6
    for (std::size_t row = 0; row < from; ++row) in[row] = value(row, column);
    Line::run(in, out);
#pragma GCC unroll 6
    for (std::size_t row = 0; row < to; ++row) half[row][column] = out[row];
  }
#pragma GCC unroll 6
  for (std::size_t row = 0; row < to; ++row) {
    Vector out[to];
    Line::run(half[row], out);
#pragma GCC unroll 6
    for (std::size_t column = 0; column < to; ++column) write(row, column, out[column]);
  }
}

}  // namespace convoy::cpu::CONVOY_KERNEL_SET
