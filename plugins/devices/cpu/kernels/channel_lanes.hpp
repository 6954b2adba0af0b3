// Included by kernels that are compiled once per instruction set: everything is local to a file.
#pragma once

#include <cstddef>
#include <cstdint>

#include "plugins/devices/cpu/kernels/bf16_lanes.hpp"
#include "plugins/devices/cpu/kernels/channels_last.hpp"

#ifdef __AVX512BW__
#include <immintrin.h>
#endif

namespace convoy::cpu::CONVOY_KERNEL_SET {
namespace {

inline constexpr std::size_t kLanes = 16;  // channels that are computed together

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

// Up to 16 neighbouring channels. What lies beyond `count` is read as zeros and not written.
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

// Calls use(first channel, lanes) for all channels.
template <typename Use>
inline void each_vector(std::size_t channels, const Use& use) {
  for (std::size_t channel = 0; channel < channels; channel += kLanes) {
    use(channel, Lanes(channels - channel));
  }
}

}  // namespace
}  // namespace convoy::cpu::CONVOY_KERNEL_SET
