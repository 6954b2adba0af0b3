// Compiled for AVX-512 with bf16, and called only if bf16_kernels() permits it. Uses no library
// templates, because the linker may take their code from here for all callers.
#include "plugins/devices/cpu/convolutions/bf16_kernels.hpp"

#include <immintrin.h>

namespace convoy::cpu {
namespace {

// Loads eight channels of four pixels, which are eight pixels apart.
inline __m512i load_four(const Bf16* const* pixels, std::size_t channel) {
  const auto load = [&](int pixel) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(pixels[pixel] + channel));
  };
  __m512i four = _mm512_zextsi128_si512(load(0));
  four = _mm512_mask_broadcast_i32x4(four, 0x00f0, load(8));
  four = _mm512_mask_broadcast_i32x4(four, 0x0f00, load(16));
  return _mm512_mask_broadcast_i32x4(four, 0xf000, load(24));
}

// Transposes eight channels of 32 pixels. Every quarter of the registers is a square of 8 x 8.
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

void pack_rows(const Bf16Pixels& from, const Bf16Rows& layout, Bf16* to) {
  for (std::size_t step = 0; step < from.steps; ++step) {
    const Bf16* const* pixels = from.pixels + step * kBf16Step;
    for (std::size_t block = 0; block < from.blocks; ++block) {
      const std::size_t channel = from.first_channel + block * kBf16Block;
      Bf16* rows = to + step * layout.step + block * layout.block;
      transpose_eight(pixels, channel, layout.channel, rows);
      transpose_eight(pixels, channel + 8, layout.channel, rows + 8 * layout.channel);
    }
  }
}

// Returns the order that interleaves the elements of the two halves.
inline __m512i interleaving() {
  alignas(64) Bf16 order[kBf16Step];
  for (std::size_t i = 0; i < kBf16Step; ++i) {
    order[i] = static_cast<Bf16>(i / 2 + i % 2 * kBf16Block);
  }
  return _mm512_load_si512(order);
}

// Returns the order that pairs 16 channels of two pixels, from the first or the 17th channel on. It
// selects from the vectors of the two pixels' channels.
inline __m512i pairing(std::size_t first_channel) {
  alignas(64) Bf16 order[kBf16Step];
  for (std::size_t i = 0; i < kBf16Step; ++i) {
    order[i] = static_cast<Bf16>(first_channel + i / 2 + i % 2 * kBf16Step);
  }
  return _mm512_load_si512(order);
}

inline __m512i load_block(const Bf16* from) {
  return _mm512_zextsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
}

inline void ask_for(const Bf16* line) {
  _mm_prefetch(reinterpret_cast<const char*>(line), _MM_HINT_T0);
}

// Packs two blocks of channels at a time, which are one cache line. It goes through pixels in their
// order and prefetches them, because the processor does not predict accesses to pixels that have
// channels of the next tile between them.
void pack_pairs(const Bf16Pixels& from, std::size_t block, Bf16* to) {
  constexpr std::size_t kAhead = 16;  // pixels
  const __m512i low = pairing(0), high = pairing(kBf16Block);
  const std::size_t count = from.steps * kBf16Step;
  for (std::size_t pixel = 0; pixel < count; pixel += 2, to += kBf16Step) {
    const std::size_t later = pixel + kAhead < count ? pixel + kAhead : pixel;
    const Bf16* first = from.pixels[pixel] + from.first_channel;
    const Bf16* second = from.pixels[pixel + 1] + from.first_channel;
    const Bf16* first_later = from.pixels[later] + from.first_channel;
    const Bf16* second_later = from.pixels[later + 1] + from.first_channel;
    Bf16* pairs = to;
    std::size_t left = from.blocks;
    for (std::size_t at = 0; left > 1; left -= 2, at += kBf16Step, pairs += 2 * block) {
      ask_for(first_later + at);
      ask_for(second_later + at);
      const __m512i a = _mm512_loadu_si512(first + at), b = _mm512_loadu_si512(second + at);
      _mm512_storeu_si512(pairs, _mm512_permutex2var_epi16(a, low, b));
      _mm512_storeu_si512(pairs + block, _mm512_permutex2var_epi16(a, high, b));
    }
    if (left > 0) {
      const std::size_t at = (from.blocks - 1) * kBf16Block;
      const __m512i a = load_block(first + at), b = load_block(second + at);
      _mm512_storeu_si512(pairs, _mm512_permutex2var_epi16(a, low, b));
    }
  }
}

// Weights are read from front to back. Prefetches the line 4 KiB ahead, which need not exist.
inline void ask_ahead_of(const float* line) {
  constexpr std::uintptr_t kAhead = 4096;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the pointer may not go that far.
  _mm_prefetch(reinterpret_cast<const char*>(reinterpret_cast<std::uintptr_t>(line) + kAhead),
               _MM_HINT_T0);
}

// Rounds two vectors into one, side by side.
inline __m512i rounded(__m512 low, __m512 high) {
  return reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(high, low));
}

void round_pairs(const float* from, std::size_t row_step, Bf16* to) {
  const __m512i interleave = interleaving();
#pragma GCC unroll 8
  for (std::size_t line = 0; line < kBf16Block / 2; ++line) {
    const float* const row = from + 2 * line * row_step;
    ask_ahead_of(row);
    ask_ahead_of(row + row_step);
    const __m512i both = rounded(_mm512_loadu_ps(row), _mm512_loadu_ps(row + row_step));
    _mm512_storeu_si512(to + line * kBf16Step, _mm512_permutexvar_epi16(interleave, both));
  }
}

void round(const float* from, std::size_t count, Bf16* to) {
  std::size_t done = 0;
  for (; done + kBf16Step <= count; done += kBf16Step) {
    ask_ahead_of(from + done);
    ask_ahead_of(from + done + kBf16Block);
    const __m512 high = _mm512_loadu_ps(from + done + kBf16Block);
    _mm512_storeu_si512(to + done, rounded(_mm512_loadu_ps(from + done), high));
  }
  for (; done < count; done += kBf16Block) {
    const std::size_t left = count - done < kBf16Block ? count - done : kBf16Block;
    const auto mask = static_cast<__mmask16>((1u << left) - 1u);
    const __m512 values = _mm512_maskz_loadu_ps(mask, from + done);
    _mm512_mask_storeu_epi16(to + done, mask, rounded(values, _mm512_setzero_ps()));
  }
}

// Sums by multiplication with ones. Several sums run side by side, because each addition waits for
// the one before it.
void sum(const Bf16* result, std::size_t steps, float* total, bool fresh) {
  constexpr std::size_t kSums = 4;
  const auto ones = reinterpret_cast<__m512bh>(_mm512_set1_epi16(0x3f80));
  __m512 sums[kSums] = {};
  for (std::size_t row = 0; row < steps * kBf16Block; row += kSums) {
#pragma GCC unroll 4
    for (std::size_t i = 0; i < kSums; ++i) {
      const __m512i pairs = _mm512_loadu_si512(result + (row + i) * kBf16Step);
      sums[i] = _mm512_dpbf16_ps(sums[i], reinterpret_cast<__m512bh>(pairs), ones);
    }
  }
  __m512 all = _mm512_add_ps(_mm512_add_ps(sums[0], sums[1]), _mm512_add_ps(sums[2], sums[3]));
  if (!fresh) all = _mm512_add_ps(_mm512_loadu_ps(total), all);
  _mm512_storeu_ps(total, all);
}

}  // namespace

extern const Bf16Packing kBf16Packing;
const Bf16Packing kBf16Packing = {pack_rows, pack_pairs, round_pairs, round, sum};

}  // namespace convoy::cpu
