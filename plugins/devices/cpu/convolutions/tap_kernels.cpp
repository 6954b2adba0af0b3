// Compiled once per instruction set. CONVOY_KERNEL_SET names the namespace. Products and sums are
// fused if the set supports it. Uses no library templates: see kernels.cpp.
#include "plugins/devices/cpu/convolutions/tap_kernels.hpp"

namespace convoy::cpu::CONVOY_KERNEL_SET {
namespace {

template <int kBlock>
struct Lanes {
  // A vector in memory of any alignment that other code accesses as floats.
  using Unaligned [[gnu::vector_size(kBlock * sizeof(float)), gnu::aligned(4), gnu::may_alias]] =
      float;
  using Vector [[gnu::vector_size(kBlock * sizeof(float))]] = float;
};

template <int kBlock>
typename Lanes<kBlock>::Vector load(const float* from) {
  return *reinterpret_cast<const typename Lanes<kBlock>::Unaligned*>(from);
}

// kRows x kColumns sums stay in registers: 4 x 3 of 16 registers with AVX2, 8 x 3 of 32 with
// AVX-512. The other registers hold one pixel of the result and one broadcast channel of the
// source.
template <int kBlock, int kRows, int kColumns>
struct Tile {
  using Vector = typename Lanes<kBlock>::Vector;

  [[gnu::always_inline]] void load_sums(const float* weights, std::size_t weights_block) {
#pragma GCC unroll 16
    for (int row = 0; row < kRows; ++row) {
#pragma GCC unroll 4
      for (int column = 0; column < kColumns; ++column) {
        total[row][column] = load<kBlock>(weights + column * weights_block + row * kBlock);
      }
    }
  }
  // source: kRows channels of one pixel; result: kColumns blocks of channels of one pixel.
  [[gnu::always_inline]] void add_products(const float* source, const float* result,
                                           std::size_t result_block) {
    Vector values[kColumns];
#pragma GCC unroll 4
    for (int column = 0; column < kColumns; ++column) {
      values[column] = load<kBlock>(result + column * result_block);
    }
#pragma GCC unroll 16
    for (int row = 0; row < kRows; ++row) {
#pragma GCC unroll 4
      for (int column = 0; column < kColumns; ++column) {
        total[row][column] += source[row] * values[column];
      }
    }
  }
  [[gnu::always_inline]] void store_sums(float* weights, std::size_t weights_block) const {
    using Unaligned = typename Lanes<kBlock>::Unaligned;
#pragma GCC unroll 16
    for (int row = 0; row < kRows; ++row) {
#pragma GCC unroll 4
      for (int column = 0; column < kColumns; ++column) {
        *reinterpret_cast<Unaligned*>(weights + column * weights_block + row * kBlock) =
            total[row][column];
      }
    }
  }

  Vector total[kRows][kColumns] = {};
};

template <int kBlock, int kRows, int kColumns>
void accumulate_tile(const TapBox& box, const TapGradient& gradient, int first_row) {
  Tile<kBlock, kRows, kColumns> tile;
  float* const weights = gradient.weights + first_row * kBlock;
  if (!gradient.fresh) tile.load_sums(weights, gradient.weights_block);
  for (std::size_t image = 0; image < box.images; ++image) {
    for (std::size_t line = 0; line < box.rows; ++line) {
      const float* source =
          gradient.source + image * box.source_image + line * box.source_row + first_row;
      const float* result = gradient.result + image * box.result_image + line * box.result_row;
      for (std::size_t left = box.columns; left > 0; --left) {
        tile.add_products(source, result, gradient.result_block);
        source += box.source_pixel;
        result += kBlock;
      }
    }
  }
  tile.store_sums(weights, gradient.weights_block);
}

template <int kBlock, int kRows>
void accumulate(const TapBox& box, const TapGradient& gradient) {
  for (int row = 0; row < kBlock; row += kRows) {
    switch (gradient.columns) {
      case 1:
        accumulate_tile<kBlock, kRows, 1>(box, gradient, row);
        break;
      case 2:
        accumulate_tile<kBlock, kRows, 2>(box, gradient, row);
        break;
      default:
        accumulate_tile<kBlock, kRows, 3>(box, gradient, row);
    }
  }
}

template <int kBlock>
void sum(const TapBox& box, const float* result, float* total, bool fresh) {
  using Unaligned = typename Lanes<kBlock>::Unaligned;
  typename Lanes<kBlock>::Vector value{};
  if (!fresh) value = load<kBlock>(total);
  for (std::size_t image = 0; image < box.images; ++image) {
    for (std::size_t line = 0; line < box.rows; ++line) {
      const float* from = result + image * box.result_image + line * box.result_row;
      for (std::size_t column = 0; column < box.columns; ++column) {
        value += load<kBlock>(from + column * kBlock);
      }
    }
  }
  *reinterpret_cast<Unaligned*>(total) = value;
}

#ifdef __AVX512F__
constexpr int kRowsOf16 = 8;
#else
constexpr int kRowsOf16 = 2;
#endif

}  // namespace

extern const TapKernels kTapKernelsOf8 = {accumulate<8, 4>, sum<8>};
extern const TapKernels kTapKernelsOf16 = {accumulate<16, kRowsOf16>, sum<16>};

}  // namespace convoy::cpu::CONVOY_KERNEL_SET
