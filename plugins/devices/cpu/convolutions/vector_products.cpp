// Products with the vectors of AVX512_BF16. Compiled for them, and called only if bf16_kernels()
// permits it. Uses no library templates, because the linker may take their code from here for all
// callers.
#include "plugins/devices/cpu/convolutions/bf16_kernels.hpp"

#include <immintrin.h>

namespace convoy::cpu {
namespace {

constexpr std::size_t kSums = 16;  // registers: enough to hide the latency of additions
constexpr std::size_t kPair = 2;   // pixels

void nothing() {}

inline __m512bh load(const Bf16* from) {
  return reinterpret_cast<__m512bh>(_mm512_loadu_si512(from));
}

// Returns the pair of pixels in every lane.
inline __m512bh everywhere(const Bf16* pair) {
  typedef int Stored __attribute__((aligned(2), may_alias));
  return reinterpret_cast<__m512bh>(_mm512_set1_epi32(*reinterpret_cast<const Stored*>(pair)));
}

// The lines that one call of multiply_rows prefetches at each step.
struct Asked {
  const Bf16* const* pixels;
  std::size_t channel, count;
};

inline void ask_for(const Asked& asked, std::size_t step) {
  if (asked.count == 0) return;
  const Bf16* const* const pixels = asked.pixels + step * kBf16Step;
  for (std::size_t i = 0; i < asked.count; ++i) {
    _mm_prefetch(reinterpret_cast<const char*>(pixels[i] + asked.channel), _MM_HINT_T1);
  }
}

// Multiplies kRows rows of one block of the source with one or two blocks of the result.
template <std::size_t kRows, std::size_t kOut>
inline void multiply_rows(const Bf16Product& product, const Bf16* source, float* weights,
                          const Asked& asked) {
  __m512 sums[kRows][kOut];
#pragma GCC unroll 16
  for (std::size_t i = 0; i < kRows * kOut; ++i) {
    const float* const at = weights + i / kOut * kBf16Block + i % kOut * product.weights_out;
    sums[i / kOut][i % kOut] = product.fresh ? _mm512_setzero_ps() : _mm512_loadu_ps(at);
  }
  const Bf16* result = product.result;
  for (std::size_t step = 0; step < product.steps; ++step, source += product.rows.step) {
    ask_for(asked, step);
    const Bf16* pairs = source;
    for (std::size_t pixel = 0; pixel < kBf16Step; pixel += kPair) {
      __m512bh columns[kOut];
#pragma GCC unroll 2
      for (std::size_t out = 0; out < kOut; ++out) {
        columns[out] = load(result + out * product.result_block);
      }
#pragma GCC unroll 16
      for (std::size_t row = 0; row < kRows; ++row) {
        const __m512bh element = everywhere(pairs + row * product.rows.channel);
#pragma GCC unroll 2
        for (std::size_t out = 0; out < kOut; ++out) {
          sums[row][out] = _mm512_dpbf16_ps(sums[row][out], element, columns[out]);
        }
      }
      pairs += product.rows.pair;
      result += kBf16Step;
    }
  }
#pragma GCC unroll 16
  for (std::size_t i = 0; i < kRows * kOut; ++i) {
    float* const at = weights + i / kOut * kBf16Block + i % kOut * product.weights_out;
    _mm512_storeu_ps(at, sums[i / kOut][i % kOut]);
  }
}

template <std::size_t kOut>
void multiply_blocks(const Bf16Product& product) {
  constexpr std::size_t kRows = kSums / kOut;
  const std::size_t calls = product.in_blocks * kBf16Block / kRows;
  Asked asked{product.ahead, product.ahead_channel,
              product.ahead == nullptr ? 0 : kBf16Step / calls};
  for (std::size_t in = 0; in < product.in_blocks; ++in) {
    for (std::size_t row = 0; row < kBf16Block; row += kRows, asked.pixels += asked.count) {
      multiply_rows<kRows, kOut>(
          product, product.source + in * product.rows.block + row * product.rows.channel,
          product.weights + in * product.weights_in + row * kBf16Block, asked);
    }
  }
}

void multiply(const Bf16Product& product) {
  product.out_blocks > 1 ? multiply_blocks<2>(product) : multiply_blocks<1>(product);
}

}  // namespace

extern const Bf16Products kVectorProducts;
const Bf16Products kVectorProducts = {nothing, nothing, multiply};

}  // namespace convoy::cpu
