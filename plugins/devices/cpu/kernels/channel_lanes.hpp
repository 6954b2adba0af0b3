// Included by kernels that are compiled once per instruction set, so everything is local to a file.
#pragma once

#include <cstddef>

#include "plugins/devices/cpu/kernels/ask_ahead.hpp"
#include "plugins/devices/cpu/kernels/bf16_lanes.hpp"
#include "plugins/devices/cpu/kernels/channels_last.hpp"

#ifdef __AVX512BW__
#include <immintrin.h>
#endif

namespace convoy::cpu::CONVOY_KERNEL_SET {
namespace {

inline constexpr std::size_t kLanes = 16;  // channels that are computed together
inline constexpr std::size_t kPairLanes = 2 * kLanes;

using SixteenLanes = Bf16Lanes<kLanes>;
using Vector = SixteenLanes::Vector;
using Words = SixteenLanes::Words;
using Halves = SixteenLanes::Halves;

inline Vector widened(Halves value) {
  return SixteenLanes::widened(value);
}

inline Words rounded(Vector value) {
  return SixteenLanes::rounded(value);
}

inline Halves narrowed(Vector value) {
  return SixteenLanes::narrowed(value);
}

// Up to 16 consecutive channels. Lanes beyond `count` are read as zeros and not written.
struct Lanes {
  explicit Lanes(std::size_t channels) : count(channels < kLanes ? channels : kLanes) {}

#ifdef __AVX512BW__
  __mmask16 mask() const {
    return static_cast<__mmask16>((1u << count) - 1u);
  }
  Vector load(const Bf16* from) const {
    return widened(reinterpret_cast<Halves>(_mm256_maskz_loadu_epi16(mask(), from)));
  }
  Vector load(const float* from) const {
    return _mm512_maskz_loadu_ps(mask(), from);
  }
  void store(Bf16* to, Vector value) const {
    _mm256_mask_storeu_epi16(to, mask(), reinterpret_cast<__m256i>(narrowed(value)));
  }
  void store(float* to, Vector value) const {
    _mm512_mask_storeu_ps(to, mask(), value);
  }
#else
  template <typename Whole, typename Element>
  Whole load_elements(const Element* from) const {
    Whole value = {};
    if (count == kLanes) {
      __builtin_memcpy(&value, from, sizeof value);
    } else {
      for (std::size_t lane = 0; lane < count; ++lane) value[lane] = from[lane];
    }
    return value;
  }
  template <typename Element, typename Whole>
  void store_elements(Element* to, const Whole& value) const {
    if (count == kLanes) {
      __builtin_memcpy(to, &value, sizeof value);
    } else {
      for (std::size_t lane = 0; lane < count; ++lane) to[lane] = value[lane];
    }
  }
  Vector load(const Bf16* from) const {
    return widened(load_elements<Halves>(from));
  }
  Vector load(const float* from) const {
    return load_elements<Vector>(from);
  }
  void store(Bf16* to, Vector value) const {
    store_elements(to, narrowed(value));
  }
  void store(float* to, Vector value) const {
    store_elements(to, value);
  }
#endif

  std::size_t count;
};

inline Vector filled(float value) {
  return value - Vector{};
}

// 32 consecutive channels, one cache line in bf16, with the even and the odd ones separate: as
// words of two channels, they become f32 by a shift and by a mask.
struct Pair {
  Vector even, odd;
};

inline Pair operator+(const Pair& a, const Pair& b) {
  return {a.even + b.even, a.odd + b.odd};
}
inline Pair operator-(const Pair& a, const Pair& b) {
  return {a.even - b.even, a.odd - b.odd};
}
inline Pair operator*(const Pair& a, const Pair& b) {
  return {a.even * b.even, a.odd * b.odd};
}

inline Words joined(const Pair& value) {
  return rounded(value.even) >> 16 | (rounded(value.odd) & 0xffff0000u);
}

inline Pair parted(Words words) {
  return {reinterpret_cast<Vector>(words << 16), reinterpret_cast<Vector>(words & 0xffff0000u)};
}

// Up to 32 consecutive channels. Lanes beyond `count` are read as zeros and not written.
struct PairLanes {
  explicit PairLanes(std::size_t channels) : count(channels < kPairLanes ? channels : kPairLanes) {}

#ifdef __AVX512BW__
  __mmask32 mask() const {
    return count == kPairLanes ? ~0u : (1u << count) - 1u;
  }
  Words load_words(const Bf16* from) const {
    return reinterpret_cast<Words>(_mm512_maskz_loadu_epi16(mask(), from));
  }
  void store_words(Bf16* to, Words words) const {
    _mm512_mask_storeu_epi16(to, mask(), reinterpret_cast<__m512i>(words));
  }
#else
  Words load_words(const Bf16* from) const {
    Words words = {};
    if (count == kPairLanes) {
      __builtin_memcpy(&words, from, sizeof words);
    } else {
      __builtin_memcpy(&words, from, count * sizeof(Bf16));
    }
    return words;
  }
  void store_words(Bf16* to, Words words) const {
    if (count == kPairLanes) {
      __builtin_memcpy(to, &words, sizeof words);
    } else {
      __builtin_memcpy(to, &words, count * sizeof(Bf16));
    }
  }
#endif

  Pair load(const Bf16* from) const {
    return parted(load_words(from));
  }
  void store(Bf16* to, const Pair& value) const {
    store_words(to, joined(value));
  }
  // Constants of the channels, in their order.
  Pair load(const float* from) const {
    const Vector low = Lanes(count).load(from);
    const Vector high = count > kLanes ? Lanes(count - kLanes).load(from + kLanes) : Vector{};
    return {__builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26,
                                    28, 30),
            __builtin_shufflevector(low, high, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27,
                                    29, 31)};
  }

  std::size_t count;
};

// Calls use(first channel, lanes) for all channels.
template <typename Use>
inline void each_pair(std::size_t channels, const Use& use) {
  for (std::size_t channel = 0; channel < channels; channel += kPairLanes) {
    use(channel, PairLanes(channels - channel));
  }
}

}  // namespace
}  // namespace convoy::cpu::CONVOY_KERNEL_SET
