// Compiled once per instruction set, like kernels.cpp.
#include "core/data/augment/kernels/table.hpp"
#include "core/data/augment/kernels/vectors.hpp"

namespace convoy::data::CONVOY_KERNEL_SET {

void resize_planes_row(const PlaneRows* rows, const ResizeTaps& luminance, const ResizeTaps& chroma,
                       float* scratch, float factor, float offset, const ColorPlanes& planes);

namespace {

typedef std::uint64_t Pairs4 __attribute__((vector_size(32)));

constexpr int kLanes = 8;

CONVOY_INLINE void store(float* write, const Floats8& value) {
  __builtin_memcpy(write, &value, sizeof value);
}

CONVOY_INLINE void blend_rows(const PlaneRows& rows, float* result) {
  for (int i = 0; i < rows.count; i += kLanes) {
    const Floats8 upper = load_bytes(rows.upper + i);
    store(result + i, upper + (load_bytes(rows.lower + i) - upper) * rows.fraction);
  }
}

// Loads four pairs of neighbouring values.
CONVOY_INLINE Floats8 load_pairs(const float* row, const std::int32_t* first) {
  Pairs4 pairs;
  for (int i = 0; i < 4; ++i) {
    std::uint64_t pair;
    __builtin_memcpy(&pair, row + first[i], sizeof pair);
    pairs[i] = pair;
  }
  Floats8 values;
  __builtin_memcpy(&values, &pairs, sizeof values);
  return values;
}

CONVOY_INLINE Floats8 sample(const float* row, const ResizeTaps& taps, int i) {
  // The order is 0, 1, 4, 5 and 2, 3, 6, 7, so that the halves of each vector stay apart.
  const std::int32_t* f = taps.first + i;
  const std::int32_t a_places[4] = {f[0], f[1], f[4], f[5]};
  const std::int32_t b_places[4] = {f[2], f[3], f[6], f[7]};
  const Floats8 a = load_pairs(row, a_places), b = load_pairs(row, b_places);
  const Floats8 left = __builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14);
  const Floats8 right = __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15);
  Floats8 fractions;
  __builtin_memcpy(&fractions, taps.fractions + i, sizeof fractions);
  return left + (right - left) * fractions;
}

CONVOY_INLINE Floats8 limited(const Floats8& value) {
  const Floats8 zero = {}, highest = zero + 255.0f;
  const Floats8 positive = value > zero ? value : zero;
  return positive < highest ? positive : highest;
}

// Rounds each operation separately, in the same order as sample().
CONVOY_INLINE float sample_one(const float* row, const ResizeTaps& taps, int i) {
  const float left = row[taps.first[i]], right = row[taps.first[i] + 1];
  return left + (right - left) * taps.fractions[i];
}

// Applies JFIF's conversion. `blue` and `red` are the differences.
CONVOY_INLINE void convert(const Floats8& light, const Floats8& blue, const Floats8& red,
                           Floats8* result) {
  const Floats8 b = blue - 128.0f, r = red - 128.0f;
  result[0] = limited(light + r * 1.402f);
  result[1] = limited(light - b * 0.344136f - r * 0.714136f);
  result[2] = limited(light + b * 1.772f);
}

}  // namespace

void resize_planes_row(const PlaneRows* rows, const ResizeTaps& luminance, const ResizeTaps& chroma,
                       float* scratch, float factor, float offset, const ColorPlanes& planes) {
  const float* blended[3];
  for (int plane = 0; plane < 3; ++plane) {
    blend_rows(rows[plane], scratch);
    blended[plane] = scratch;
    scratch += (rows[plane].count + kLanes - 1) / kLanes * kLanes + kLanes;
  }
  Floats8 colours[3];
  int i = 0;
  for (; i + kLanes <= luminance.count; i += kLanes) {
    convert(sample(blended[0], luminance, i), sample(blended[1], chroma, i),
            sample(blended[2], chroma, i), colours);
    store(planes.red + i, colours[0] * factor + offset);
    store(planes.green + i, colours[1] * factor + offset);
    store(planes.blue + i, colours[2] * factor + offset);
  }
  for (; i < luminance.count; ++i) {
    const Floats8 zero = {};
    convert(zero + sample_one(blended[0], luminance, i), zero + sample_one(blended[1], chroma, i),
            zero + sample_one(blended[2], chroma, i), colours);
    planes.red[i] = colours[0][0] * factor + offset;
    planes.green[i] = colours[1][0] * factor + offset;
    planes.blue[i] = colours[2][0] * factor + offset;
  }
}

}  // namespace convoy::data::CONVOY_KERNEL_SET
