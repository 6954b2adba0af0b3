// Compiled once per instruction set, like kernels.cpp.
#include "core/data/augment/kernels/table.hpp"

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace convoy::data::CONVOY_KERNEL_SET {

void transform_block(const std::int16_t* coefficients, const float* factors, std::uint8_t* pixels,
                     std::size_t row_bytes);

namespace {

// Functions return vectors. They must always be inlined, because calling conventions for vectors
// differ between instruction sets.
#define CONVOY_INLINE inline __attribute__((always_inline))
#pragma GCC diagnostic ignored "-Wpsabi"

typedef std::int16_t Shorts8 __attribute__((vector_size(16)));
typedef std::int32_t Words8 __attribute__((vector_size(32)));
typedef std::uint8_t Bytes8 __attribute__((vector_size(8)));
typedef float Floats8 __attribute__((vector_size(32)));

CONVOY_INLINE Floats8 load_scaled(const std::int16_t* coefficients, const float* factors) {
  Floats8 scale;
  __builtin_memcpy(&scale, factors, sizeof scale);
#ifdef __AVX2__
  const __m128i packed = _mm_loadu_si128(reinterpret_cast<const __m128i*>(coefficients));
  return _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(packed)) * scale;
#else
  Shorts8 packed;
  __builtin_memcpy(&packed, coefficients, sizeof packed);
  return __builtin_convertvector(__builtin_convertvector(packed, Words8), Floats8) * scale;
#endif
}

// Computes the inverse cosine transform of eight values, in each lane, by the method of Arai, Agui
// and Nakajima. Its last multiplications are part of the factors.
CONVOY_INLINE void transform(Floats8* v) {
  const Floats8 sum04 = v[0] + v[4], difference04 = v[0] - v[4];
  const Floats8 sum26 = v[2] + v[6];
  const Floats8 turned26 = (v[2] - v[6]) * 1.414213562f - sum26;
  const Floats8 even0 = sum04 + sum26, even3 = sum04 - sum26;
  const Floats8 even1 = difference04 + turned26, even2 = difference04 - turned26;

  const Floats8 sum53 = v[5] + v[3], difference53 = v[5] - v[3];
  const Floats8 sum17 = v[1] + v[7], difference17 = v[1] - v[7];
  const Floats8 odd0 = sum17 + sum53;
  const Floats8 turned = (sum17 - sum53) * 1.414213562f;
  const Floats8 shared = (difference53 + difference17) * 1.847759065f;
  const Floats8 odd1 = shared - difference53 * 2.613125930f - odd0;
  const Floats8 odd2 = turned - odd1;
  const Floats8 odd3 = shared - difference17 * 1.082392200f - odd2;

  v[0] = even0 + odd0, v[7] = even0 - odd0;
  v[1] = even1 + odd1, v[6] = even1 - odd1;
  v[2] = even2 + odd2, v[5] = even2 - odd2;
  v[3] = even3 + odd3, v[4] = even3 - odd3;
}

CONVOY_INLINE void transpose(Floats8* v) {
  Floats8 a[8], b[8];
  for (int i = 0; i < 4; ++i) {
    a[2 * i] = __builtin_shufflevector(v[2 * i], v[2 * i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    a[2 * i + 1] = __builtin_shufflevector(v[2 * i], v[2 * i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (int i = 0; i < 8; i += 4) {
    for (int j = 0; j < 2; ++j) {
      b[i + 2 * j] = __builtin_shufflevector(a[i + j], a[i + j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      b[i + 2 * j + 1] =
          __builtin_shufflevector(a[i + j], a[i + j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  for (int i = 0; i < 4; ++i) {
    v[i] = __builtin_shufflevector(b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    v[i + 4] = __builtin_shufflevector(b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

// Rounds and limits values to 0 .. 255.
CONVOY_INLINE void store_pixels(const Floats8& values, std::uint8_t* pixels) {
  const Floats8 zero = {}, highest = zero + 255.5f;
  Floats8 shifted = values + 128.5f;
  shifted = shifted > zero ? shifted : zero;
  shifted = shifted < highest ? shifted : highest;
#ifdef __AVX2__
  const __m256i words = _mm256_cvttps_epi32(shifted);
  const __m128i shorts =
      _mm_packs_epi32(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(pixels), _mm_packus_epi16(shorts, shorts));
#else
  const Bytes8 bytes = __builtin_convertvector(__builtin_convertvector(shifted, Words8), Bytes8);
  __builtin_memcpy(pixels, &bytes, sizeof bytes);
#endif
}

}  // namespace

void transform_block(const std::int16_t* coefficients, const float* factors, std::uint8_t* pixels,
                     std::size_t row_bytes) {
  Floats8 v[8];
  for (int i = 0; i < 8; ++i) v[i] = load_scaled(coefficients + 8 * i, factors + 8 * i);
  transform(v);
  transpose(v);
  transform(v);
  for (int i = 0; i < 8; ++i, pixels += row_bytes) store_pixels(v[i], pixels);
}

}  // namespace convoy::data::CONVOY_KERNEL_SET
