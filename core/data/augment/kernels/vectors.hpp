#pragma once

// Vectors for the pixel kernels. This file is included once per source and instruction set, so
// everything is local to the source.

#include <cstdint>

#ifdef __AVX2__
#include <immintrin.h>
#endif

// Functions return vectors. They must always be inlined, because calling conventions for vectors
// differ between instruction sets.
#define CONVOY_INLINE inline __attribute__((always_inline))
#pragma GCC diagnostic ignored "-Wpsabi"

namespace convoy::data::CONVOY_KERNEL_SET {
namespace {

typedef std::uint8_t Bytes8 __attribute__((vector_size(8)));
typedef std::int32_t Words8 __attribute__((vector_size(32)));
typedef float Floats8 __attribute__((vector_size(32)));

// GCC 12 converts bytes to words one by one unless it is given the instruction.
CONVOY_INLINE Floats8 load_bytes(const std::uint8_t* bytes) {
#ifdef __AVX2__
  const __m128i packed = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes));
  return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(packed));
#else
  Bytes8 packed;
  __builtin_memcpy(&packed, bytes, sizeof packed);
  return __builtin_convertvector(__builtin_convertvector(packed, Words8), Floats8);
#endif
}

}  // namespace
}  // namespace convoy::data::CONVOY_KERNEL_SET
