#pragma once

// The arithmetic of F(4x4, 3x3) along one line of values, and its use on squares. Included by the
// kernels only, once per instruction set: everything lies in the set's own namespace.
#include <cstddef>
#include <utility>

#include "plugins/devices/cpu/kernels/winograd.hpp"

namespace convoy::cpu::CONVOY_KERNEL_SET {

template <std::size_t lanes>
struct Lanes {
  typedef float Vector __attribute__((vector_size(lanes * sizeof(float))));
  typedef float Stored __attribute__((vector_size(lanes * sizeof(float)), aligned(4), may_alias));

  static Vector load(const float* from) { return *reinterpret_cast<const Stored*>(from); }
  static void store(float* to, Vector value) { *reinterpret_cast<Stored*>(to) = value; }
};

// The interpolation points are 0, +-a, +-b and infinity. These roots round to results that are
// about 1.7 times as far from the exact ones as the direct algorithm's; with 1 and 2 it is 5 times.
constexpr double kA = 0.70710678118654752;
constexpr double kB = 1.4142135623730951;
constexpr double kA2 = kA * kA;
constexpr double kB2 = kB * kB;
// What divides the weights at +-a and +-b.
constexpr double kDivisorA = 2 * kA2 * (kA2 - kB2);
constexpr double kDivisorB = 2 * kB2 * (kB2 - kA2);

constexpr float rounded(double value) {
  return static_cast<float>(value);
}

constexpr std::size_t kTile = kWinogradTile;
constexpr std::size_t kPatch = kWinogradPatch;

// Of six values to the six points.
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

// Of the six points to four results.
struct ResultLine {
  template <typename Vector>
  static void run(const Vector (&m)[kPatch], Vector (&out)[kTile]) {
    const Vector even_a = m[1] + m[2];
    const Vector odd_a = m[1] - m[2];
    const Vector even_b = m[3] + m[4];
    const Vector odd_b = m[3] - m[4];
    out[0] = m[0] + even_a + even_b;
    out[1] = rounded(kA) * odd_a + rounded(kB) * odd_b;
    out[2] = rounded(kA2) * even_a + rounded(kB2) * even_b;
    out[3] = rounded(kA2 * kA) * odd_a + (rounded(kB2 * kB) * odd_b + m[5]);
  }
};

// Of four gradients to the six points.
struct GradientLine {
  template <typename Vector>
  static void run(const Vector (&g)[kTile], Vector (&out)[kPatch]) {
    const Vector even_a = g[0] + rounded(kA2) * g[2];
    const Vector odd_a = rounded(kA) * g[1] + rounded(kA2 * kA) * g[3];
    const Vector even_b = g[0] + rounded(kB2) * g[2];
    const Vector odd_b = rounded(kB) * g[1] + rounded(kB2 * kB) * g[3];
    out[0] = g[0];
    out[1] = even_a + odd_a;
    out[2] = even_a - odd_a;
    out[3] = even_b + odd_b;
    out[4] = even_b - odd_b;
    out[5] = g[3];
  }
};

// Of three weights to the six points.
struct WeightsLine {
  template <typename Vector>
  static void run(const Vector (&g)[3], Vector (&out)[kPatch]) {
    const Vector even_a = rounded(1 / kDivisorA) * g[0] + rounded(kA2 / kDivisorA) * g[2];
    const Vector odd_a = rounded(kA / kDivisorA) * g[1];
    const Vector even_b = rounded(1 / kDivisorB) * g[0] + rounded(kB2 / kDivisorB) * g[2];
    const Vector odd_b = rounded(kB / kDivisorB) * g[1];
    out[0] = rounded(1 / (kA2 * kB2)) * g[0];
    out[1] = even_a + odd_a;
    out[2] = even_a - odd_a;
    out[3] = even_b + odd_b;
    out[4] = even_b - odd_b;
    out[5] = g[2];
  }
};

// Of the six points to the gradients of three weights.
struct WeightsGradientLine {
  template <typename Vector>
  static void run(const Vector (&u)[kPatch], Vector (&out)[3]) {
    const Vector even_a = u[1] + u[2];
    const Vector odd_a = u[1] - u[2];
    const Vector even_b = u[3] + u[4];
    const Vector odd_b = u[3] - u[4];
    out[0] = rounded(1 / (kA2 * kB2)) * u[0] +
             (rounded(1 / kDivisorA) * even_a + rounded(1 / kDivisorB) * even_b);
    out[1] = rounded(kA / kDivisorA) * odd_a + rounded(kB / kDivisorB) * odd_b;
    out[2] = rounded(kA2 / kDivisorA) * even_a + (rounded(kB2 / kDivisorB) * even_b + u[5]);
  }
};

// Exchanges the halves off the diagonal of two rows of squares of twice the distance.
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

// The transposed square of so many rows and columns as there are lanes.
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
