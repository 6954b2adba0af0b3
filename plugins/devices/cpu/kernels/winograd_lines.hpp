#pragma once

// The arithmetic of F(4x4, 3x3) along one line of values, and its use on squares. Included by the
// kernels only, once per instruction set: everything lies in the set's own namespace.
#include <cstddef>

#include "plugins/devices/cpu/kernels/winograd.hpp"

namespace convoy::cpu::CONVOY_KERNEL_SET {

typedef float Vector __attribute__((vector_size(kWinogradLanes * sizeof(float))));
typedef float Stored
    __attribute__((vector_size(kWinogradLanes * sizeof(float)), aligned(4), may_alias));

inline Vector load(const float* from) {
  return *reinterpret_cast<const Stored*>(from);
}

inline void store(float* to, Vector value) {
  *reinterpret_cast<Stored*>(to) = value;
}

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
inline void source_line(const Vector (&d)[kPatch], Vector (&out)[kPatch]) {
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

// Of the six points to four results.
inline void result_line(const Vector (&m)[kPatch], Vector (&out)[kTile]) {
  const Vector even_a = m[1] + m[2];
  const Vector odd_a = m[1] - m[2];
  const Vector even_b = m[3] + m[4];
  const Vector odd_b = m[3] - m[4];
  out[0] = m[0] + even_a + even_b;
  out[1] = rounded(kA) * odd_a + rounded(kB) * odd_b;
  out[2] = rounded(kA2) * even_a + rounded(kB2) * even_b;
  out[3] = rounded(kA2 * kA) * odd_a + (rounded(kB2 * kB) * odd_b + m[5]);
}

// Of four gradients to the six points.
inline void gradient_line(const Vector (&g)[kTile], Vector (&out)[kPatch]) {
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

// Of three weights to the six points.
inline void weights_line(const Vector (&g)[3], Vector (&out)[kPatch]) {
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

// Of the six points to the gradients of three weights.
inline void weights_gradient_line(const Vector (&u)[kPatch], Vector (&out)[3]) {
  const Vector even_a = u[1] + u[2];
  const Vector odd_a = u[1] - u[2];
  const Vector even_b = u[3] + u[4];
  const Vector odd_b = u[3] - u[4];
  out[0] = rounded(1 / (kA2 * kB2)) * u[0] +
           (rounded(1 / kDivisorA) * even_a + rounded(1 / kDivisorB) * even_b);
  out[1] = rounded(kA / kDivisorA) * odd_a + rounded(kB / kDivisorB) * odd_b;
  out[2] = rounded(kA2 / kDivisorA) * even_a + (rounded(kB2 / kDivisorB) * even_b + u[5]);
}

// Applies a line transform to the columns and then to the rows of a square: value(row, column)
// gives the input, write(row, column, vector) takes the output.
template <std::size_t from, std::size_t to, void line(const Vector (&)[from], Vector (&)[to]),
          typename Value, typename Write>
inline void transform_square(const Value& value, const Write& write) {
  Vector half[to][from];
#pragma GCC unroll 6
  for (std::size_t column = 0; column < from; ++column) {
    Vector in[from];
    Vector out[to];
#pragma GCC unroll 6
    for (std::size_t row = 0; row < from; ++row) in[row] = value(row, column);
    line(in, out);
#pragma GCC unroll 6
    for (std::size_t row = 0; row < to; ++row) half[row][column] = out[row];
  }
#pragma GCC unroll 6
  for (std::size_t row = 0; row < to; ++row) {
    Vector out[to];
    line(half[row], out);
#pragma GCC unroll 6
    for (std::size_t column = 0; column < to; ++column) write(row, column, out[column]);
  }
}

}  // namespace convoy::cpu::CONVOY_KERNEL_SET
