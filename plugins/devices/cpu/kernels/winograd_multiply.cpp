// The matrix products of Winograd convolutions, compiled once per instruction set. A block of rows
// times sixteen columns stays in registers for the whole depth.
#include "plugins/devices/cpu/kernels/winograd.hpp"

namespace convoy::cpu::CONVOY_KERNEL_SET {

void winograd_multiply(const float* a, std::size_t row_stride, const float* b, float* c,
                       std::size_t rows, std::size_t depth, bool accumulate);
void winograd_multiply_transposed(const float* a, std::size_t depth_stride, const float* b,
                                  float* c, std::size_t rows, std::size_t depth, bool accumulate);

namespace {

#ifdef __AVX512F__
constexpr std::size_t kWidth = 16;
constexpr std::size_t kRows = 12;
#else
constexpr std::size_t kWidth = 8;
constexpr std::size_t kRows = 6;  // 12 of the 16 registers are sums
#endif
constexpr std::size_t kVectors = kWinogradPanel / kWidth;

typedef float Vector __attribute__((vector_size(kWidth * sizeof(float))));
typedef float Stored __attribute__((vector_size(kWidth * sizeof(float)), aligned(4), may_alias));

inline Vector load(const float* from) {
  return *reinterpret_cast<const Stored*>(from);
}

inline void store(float* to, Vector value) {
  *reinterpret_cast<Stored*>(to) = value;
}

// element(row, depth) lies at a[row * row_stride + depth * depth_stride].
template <std::size_t rows>
inline void block(const float* a, std::size_t row_stride, std::size_t depth_stride, const float* b,
                  float* c, std::size_t depth, bool accumulate) {
  Vector sums[rows][kVectors];
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t vector = 0; vector < kVectors; ++vector) {
      const float* old = c + row * kWinogradPanel + vector * kWidth;
      sums[row][vector] = accumulate ? load(old) : Vector{};
    }
  }
  for (std::size_t i = 0; i < depth; ++i) {
    Vector columns[kVectors];
    for (std::size_t vector = 0; vector < kVectors; ++vector) {
      columns[vector] = load(b + i * kWinogradPanel + vector * kWidth);
    }
    const float* elements = a + i * depth_stride;
#pragma GCC unroll 12
    for (std::size_t row = 0; row < rows; ++row) {
      const float element = elements[row * row_stride];
#pragma GCC unroll 2
      for (std::size_t vector = 0; vector < kVectors; ++vector) {
        sums[row][vector] += element * columns[vector];
      }
    }
  }
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t vector = 0; vector < kVectors; ++vector) {
      store(c + row * kWinogradPanel + vector * kWidth, sums[row][vector]);
    }
  }
}

// The last rows, fewer than a block.
template <std::size_t rows>
inline void remainder(const float* a, std::size_t row_stride, std::size_t depth_stride,
                      const float* b, float* c, std::size_t count, std::size_t depth,
                      bool accumulate) {
  if constexpr (rows > 0) {
    if (count == rows) {
      block<rows>(a, row_stride, depth_stride, b, c, depth, accumulate);
    } else {
      remainder<rows - 1>(a, row_stride, depth_stride, b, c, count, depth, accumulate);
    }
  }
}

}  // namespace

void winograd_multiply(const float* a, std::size_t row_stride, const float* b, float* c,
                       std::size_t rows, std::size_t depth, bool accumulate) {
  std::size_t row = 0;
  for (; row + kRows <= rows; row += kRows) {
    block<kRows>(a + row * row_stride, row_stride, 1, b, c + row * kWinogradPanel, depth,
                 accumulate);
  }
  remainder<kRows - 1>(a + row * row_stride, row_stride, 1, b, c + row * kWinogradPanel, rows - row,
                       depth, accumulate);
}

void winograd_multiply_transposed(const float* a, std::size_t depth_stride, const float* b,
                                  float* c, std::size_t rows, std::size_t depth, bool accumulate) {
  std::size_t row = 0;
  for (; row + kRows <= rows; row += kRows) {
    block<kRows>(a + row, 1, depth_stride, b, c + row * kWinogradPanel, depth, accumulate);
  }
  remainder<kRows - 1>(a + row, 1, depth_stride, b, c + row * kWinogradPanel, rows - row, depth,
                       accumulate);
}

}  // namespace convoy::cpu::CONVOY_KERNEL_SET
