// The matrix products of Winograd convolutions, compiled once per instruction set. The sums of a
// block of rows with one or two panels of columns stay in registers for the whole depth.
#include "plugins/devices/cpu/kernels/winograd.hpp"

namespace convoy::cpu::CONVOY_KERNEL_SET {

void winograd_multiply(const WinogradProduct& product);
void winograd_multiply_transposed(const WinogradProduct& product);

namespace {

#ifdef __AVX512F__
constexpr std::size_t kWidth = 16;
constexpr std::size_t kRows = 12;  // 24 of the 32 registers are sums when there are two panels
constexpr bool kTwoPanels = true;
#else
constexpr std::size_t kWidth = 8;
constexpr std::size_t kRows = 6;  // 12 of the 16 registers are sums
constexpr bool kTwoPanels = false;
#endif
constexpr std::size_t kPanelVectors = kWinogradPanel / kWidth;

typedef float Vector __attribute__((vector_size(kWidth * sizeof(float))));
typedef float Stored __attribute__((vector_size(kWidth * sizeof(float)), aligned(4), may_alias));

inline Vector load(const float* from) {
  return *reinterpret_cast<const Stored*>(from);
}

inline void store(float* to, Vector value) {
  *reinterpret_cast<Stored*>(to) = value;
}

// Strides of the rows and of the depth of a.
struct Steps {
  std::size_t row, depth;
};

// Multiplies `rows` rows from the first on.
template <std::size_t rows, std::size_t vectors>
inline void block(const WinogradProduct& product, const Steps& steps, std::size_t first) {
  constexpr std::size_t kColumns = vectors * kWidth;
  float* const c = product.c + first * kColumns;
  Vector sums[rows][vectors];
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t vector = 0; vector < vectors; ++vector) {
      const float* old = c + row * kColumns + vector * kWidth;
      sums[row][vector] = product.accumulate ? load(old) : Vector{};
    }
  }
  const float* elements = product.a + first * steps.row;
  const float* b = product.b;
  for (std::size_t i = 0; i < product.depth; ++i, elements += steps.depth, b += kColumns) {
    Vector columns[vectors];
    for (std::size_t vector = 0; vector < vectors; ++vector) {
      columns[vector] = load(b + vector * kWidth);
    }
#pragma GCC unroll 12
    for (std::size_t row = 0; row < rows; ++row) {
      const float element = elements[row * steps.row];
#pragma GCC unroll 2
      for (std::size_t vector = 0; vector < vectors; ++vector) {
        sums[row][vector] += element * columns[vector];
      }
    }
  }
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t vector = 0; vector < vectors; ++vector) {
      store(c + row * kColumns + vector * kWidth, sums[row][vector]);
    }
  }
}

// The same for a number of rows that is known only at run time.
template <std::size_t rows, std::size_t vectors>
inline void rows_of_block(const WinogradProduct& product, const Steps& steps, std::size_t first,
                          std::size_t count) {
  if constexpr (rows > 0) {
    if (count == rows) {
      block<rows, vectors>(product, steps, first);
    } else {
      rows_of_block<rows - 1, vectors>(product, steps, first, count);
    }
  }
}

// The last blocks share their rows evenly, because blocks of few rows are slow.
template <std::size_t vectors>
inline void all_rows(const WinogradProduct& product, const Steps& steps) {
  for (std::size_t row = 0; row < product.rows;) {
    const std::size_t left = product.rows - row;
    const std::size_t count = left >= 2 * kRows ? kRows : left > kRows ? (left + 1) / 2 : left;
    rows_of_block<kRows, vectors>(product, steps, row, count);
    row += count;
  }
}

inline void multiply(const WinogradProduct& product, const Steps& steps) {
  if constexpr (kTwoPanels) {
    if (product.columns > kWinogradPanel) return all_rows<2 * kPanelVectors>(product, steps);
  }
  all_rows<kPanelVectors>(product, steps);
}

}  // namespace

void winograd_multiply(const WinogradProduct& product) {
  multiply(product, {product.a_stride, 1});
}

void winograd_multiply_transposed(const WinogradProduct& product) {
  multiply(product, {1, product.a_stride});
}

}  // namespace convoy::cpu::CONVOY_KERNEL_SET
