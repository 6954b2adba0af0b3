// Products with tile registers. Compiled for AMX, and called only if bf16_kernels() permits it.
// Uses no library templates, because the linker may take their code from here for all callers.
#include "plugins/devices/cpu/convolutions/bf16_kernels.hpp"

#include <immintrin.h>

namespace convoy::cpu {
namespace {

// Tells the compiler that memory has changed: it does not see the accesses of tile instructions.
inline void memory_is_touched() {
  asm volatile("" ::: "memory");
}

struct alignas(64) TileConfiguration {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
constexpr TileConfiguration kTiles;

void begin() {
  _tile_loadconfig(&kTiles);
}

void end() {
  _tile_release();
}

// Tiles 0 to 3 hold sums, 4 and 5 blocks of the source, 6 and 7 blocks of the result.
constexpr long kRowBytes = 64;

template <int kIn, int kOut>
void load_sums(const Bf16Product& product) {
  const float* const at = product.weights;
  if (product.fresh) {
    _tile_zero(0);
    if constexpr (kOut > 1) _tile_zero(1);
    if constexpr (kIn > 1) _tile_zero(2);
    if constexpr (kIn > 1 && kOut > 1) _tile_zero(3);
    return;
  }
  _tile_loadd(0, at, kRowBytes);
  if constexpr (kOut > 1) _tile_loadd(1, at + product.weights_out, kRowBytes);
  if constexpr (kIn > 1) _tile_loadd(2, at + product.weights_in, kRowBytes);
  if constexpr (kIn > 1 && kOut > 1) {
    _tile_loadd(3, at + product.weights_in + product.weights_out, kRowBytes);
  }
}

template <int kIn, int kOut>
void store_sums(const Bf16Product& product) {
  float* const at = product.weights;
  _tile_stored(0, at, kRowBytes);
  if constexpr (kOut > 1) _tile_stored(1, at + product.weights_out, kRowBytes);
  if constexpr (kIn > 1) _tile_stored(2, at + product.weights_in, kRowBytes);
  if constexpr (kIn > 1 && kOut > 1) {
    _tile_stored(3, at + product.weights_in + product.weights_out, kRowBytes);
  }
}

template <int kIn, int kOut>
void multiply_blocks(const Bf16Product& product) {
  memory_is_touched();
  load_sums<kIn, kOut>(product);
  const Bf16* source = product.source;
  const Bf16* result = product.result;
  const auto distance = static_cast<long>(product.rows.channel * sizeof(Bf16));
  for (std::size_t step = 0; step < product.steps; ++step) {
    _tile_loadd(4, source, distance);
    _tile_loadd(6, result, kRowBytes);
    _tile_dpbf16ps(0, 4, 6);
    if constexpr (kOut > 1) {
      _tile_loadd(7, result + product.result_block, kRowBytes);
      _tile_dpbf16ps(1, 4, 7);
    }
    if constexpr (kIn > 1) {
      _tile_loadd(5, source + product.rows.block, distance);
      _tile_dpbf16ps(2, 5, 6);
    }
    if constexpr (kIn > 1 && kOut > 1) _tile_dpbf16ps(3, 5, 7);
    source += product.rows.step;
    result += kBf16Tile;
  }
  store_sums<kIn, kOut>(product);
  memory_is_touched();
}

void multiply(const Bf16Product& product) {
  if (product.in_blocks > 1) {
    product.out_blocks > 1 ? multiply_blocks<2, 2>(product) : multiply_blocks<2, 1>(product);
  } else {
    product.out_blocks > 1 ? multiply_blocks<1, 2>(product) : multiply_blocks<1, 1>(product);
  }
}

}  // namespace

extern const Bf16Products kAmxProducts;
const Bf16Products kAmxProducts = {begin, end, multiply};

}  // namespace convoy::cpu
