// Compiled for AMX and AVX-512 with bf16, and called only where amx_kernels() says so. Uses no
// library templates: the linker may take their code from here for everyone.
#include "plugins/devices/cpu/convolutions/amx_kernels.hpp"

#include <immintrin.h>

namespace convoy::cpu {
namespace {

// Tile instructions touch memory behind the compiler's back.
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

// Eight channels of four pixels, eight pixels apart from each other.
inline __m512i load_four(const Bf16* const* pixels, std::size_t channel) {
  const auto load = [&](int pixel) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(pixels[pixel] + channel));
  };
  __m512i four = _mm512_zextsi128_si512(load(0));
  four = _mm512_mask_broadcast_i32x4(four, 0x00f0, load(8));
  four = _mm512_mask_broadcast_i32x4(four, 0x0f00, load(16));
  return _mm512_mask_broadcast_i32x4(four, 0xf000, load(24));
}

// Transposes eight channels of 32 pixels: every quarter of the registers is a square of 8 x 8.
inline void transpose_eight(const Bf16* const* pixels, std::size_t channel, std::size_t distance,
                            Bf16* to) {
  __m512i a[8], b[8];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) a[i] = load_four(pixels + i, channel);
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    b[2 * i] = _mm512_unpacklo_epi16(a[2 * i], a[2 * i + 1]);
    b[2 * i + 1] = _mm512_unpackhi_epi16(a[2 * i], a[2 * i + 1]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const int from = i / 2 * 4 + i % 2;
    a[2 * i] = _mm512_unpacklo_epi32(b[from], b[from + 2]);
    a[2 * i + 1] = _mm512_unpackhi_epi32(b[from], b[from + 2]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    b[2 * i] = _mm512_unpacklo_epi64(a[i], a[i + 4]);
    b[2 * i + 1] = _mm512_unpackhi_epi64(a[i], a[i + 4]);
  }
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) _mm512_storeu_si512(to + i * distance, b[i]);
}

void pack_source(const AmxPixels& from, const AmxRows& layout, Bf16* to) {
  for (std::size_t step = 0; step < from.steps; ++step) {
    const Bf16* const* pixels = from.pixels + step * kAmxStep;
    for (std::size_t block = 0; block < from.blocks; ++block) {
      const std::size_t channel = from.first_channel + block * kAmxBlock;
      Bf16* rows = to + step * layout.step + block * layout.block;
      transpose_eight(pixels, channel, layout.channel, rows);
      transpose_eight(pixels, channel + 8, layout.channel, rows + 8 * layout.channel);
    }
  }
}

// The order that takes elements of the two halves by turns.
inline __m512i interleaving() {
  alignas(64) Bf16 order[kAmxStep];
  for (std::size_t i = 0; i < kAmxStep; ++i) {
    order[i] = static_cast<Bf16>(i / 2 + i % 2 * kAmxBlock);
  }
  return _mm512_load_si512(order);
}

void pack_result(const AmxPixels& from, Bf16* to) {
  const __m512i interleave = interleaving();
  for (std::size_t step = 0; step < from.steps; ++step) {
    for (std::size_t block = 0; block < from.blocks; ++block) {
      const Bf16* const* pixels = from.pixels + step * kAmxStep;
      const std::size_t channel = from.first_channel + block * kAmxBlock;
      Bf16* pairs = to + (block * from.steps + step) * kAmxTile;
#pragma GCC unroll 16
      for (std::size_t pair = 0; pair < kAmxStep; pair += 2) {
        const auto half = [&](std::size_t pixel) {
          return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(pixels[pixel] + channel));
        };
        const __m512i both =
            _mm512_inserti64x4(_mm512_castsi256_si512(half(pair)), half(pair + 1), 1);
        _mm512_storeu_si512(pairs + pair * kAmxBlock, _mm512_permutexvar_epi16(interleave, both));
      }
    }
  }
}

// Weights are read from front to back: what stands 4 KiB behind a line is asked for. Nothing need
// be there.
inline void ask_ahead_of(const float* line) {
  constexpr std::uintptr_t kAhead = 4096;
  _mm_prefetch(reinterpret_cast<const char*>(reinterpret_cast<std::uintptr_t>(line) + kAhead),
               _MM_HINT_T0);
}

// Two vectors side by side.
inline __m512i rounded(__m512 low, __m512 high) {
  return reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(high, low));
}

void round_pairs(const float* from, std::size_t row_step, Bf16* to) {
  const __m512i interleave = interleaving();
#pragma GCC unroll 8
  for (std::size_t line = 0; line < kAmxBlock / 2; ++line) {
    const float* const row = from + 2 * line * row_step;
    ask_ahead_of(row);
    ask_ahead_of(row + row_step);
    const __m512i both = rounded(_mm512_loadu_ps(row), _mm512_loadu_ps(row + row_step));
    _mm512_storeu_si512(to + line * kAmxStep, _mm512_permutexvar_epi16(interleave, both));
  }
}

void round(const float* from, std::size_t count, Bf16* to) {
  std::size_t done = 0;
  for (; done + kAmxStep <= count; done += kAmxStep) {
    ask_ahead_of(from + done);
    ask_ahead_of(from + done + kAmxBlock);
    const __m512 high = _mm512_loadu_ps(from + done + kAmxBlock);
    _mm512_storeu_si512(to + done, rounded(_mm512_loadu_ps(from + done), high));
  }
  for (; done < count; done += kAmxBlock) {
    const std::size_t left = count - done < kAmxBlock ? count - done : kAmxBlock;
    const auto mask = static_cast<__mmask16>((1u << left) - 1u);
    const __m512 values = _mm512_maskz_loadu_ps(mask, from + done);
    _mm512_mask_storeu_epi16(to + done, mask, rounded(values, _mm512_setzero_ps()));
  }
}

// Tiles 0 to 3 hold sums, 4 and 5 blocks of the source, 6 and 7 blocks of the result.
constexpr long kRowBytes = 64;

template <int kIn, int kOut>
void load_sums(const AmxProduct& product) {
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
void store_sums(const AmxProduct& product) {
  float* const at = product.weights;
  _tile_stored(0, at, kRowBytes);
  if constexpr (kOut > 1) _tile_stored(1, at + product.weights_out, kRowBytes);
  if constexpr (kIn > 1) _tile_stored(2, at + product.weights_in, kRowBytes);
  if constexpr (kIn > 1 && kOut > 1) {
    _tile_stored(3, at + product.weights_in + product.weights_out, kRowBytes);
  }
}

template <int kIn, int kOut>
void multiply_blocks(const AmxProduct& product) {
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
    result += kAmxTile;
  }
  store_sums<kIn, kOut>(product);
  memory_is_touched();
}

void multiply(const AmxProduct& product) {
  if (product.in_blocks > 1) {
    product.out_blocks > 1 ? multiply_blocks<2, 2>(product) : multiply_blocks<2, 1>(product);
  } else {
    product.out_blocks > 1 ? multiply_blocks<1, 2>(product) : multiply_blocks<1, 1>(product);
  }
}

// Products with ones; several sums, because each waits for the one before it.
void sum(const Bf16* result, std::size_t steps, float* total, bool fresh) {
  constexpr std::size_t kSums = 4;
  const auto ones = reinterpret_cast<__m512bh>(_mm512_set1_epi16(0x3f80));
  __m512 sums[kSums] = {};
  for (std::size_t row = 0; row < steps * kAmxBlock; row += kSums) {
#pragma GCC unroll 4
    for (std::size_t i = 0; i < kSums; ++i) {
      const __m512i pairs = _mm512_loadu_si512(result + (row + i) * kAmxStep);
      sums[i] = _mm512_dpbf16_ps(sums[i], reinterpret_cast<__m512bh>(pairs), ones);
    }
  }
  __m512 all = _mm512_add_ps(_mm512_add_ps(sums[0], sums[1]), _mm512_add_ps(sums[2], sums[3]));
  if (!fresh) all = _mm512_add_ps(_mm512_loadu_ps(total), all);
  _mm512_storeu_ps(total, all);
}

}  // namespace

extern const AmxKernels kAmxKernels;
const AmxKernels kAmxKernels = {begin,    end,         pack_source, pack_result,
                                multiply, round_pairs, round,       sum};

}  // namespace convoy::cpu
