// This file is compiled once per instruction set, with CONVOY_KERNEL_SET naming the namespace. It
// uses no library templates, because the linker would share their out-of-line copies between the
// instruction sets.
#include "core/data/augment/kernels/table.hpp"
#include "core/data/augment/kernels/vectors.hpp"

namespace convoy::data::CONVOY_KERNEL_SET {

void transform_block(const std::int16_t* coefficients, const float* factors, std::uint8_t* pixels,
                     std::size_t row_bytes);
void resize_planes_row(const PlaneRows* rows, const ResizeTaps& luminance, const ResizeTaps& chroma,
                       float* scratch, float factor, float offset, const ColorPlanes& planes);
void sum(const ColorPlanes& planes, double* sums);
void change_hsv(const ColorPlanes& planes, const HsvChange& change);
void multiply(const ColorPlanes& planes, const float* matrix, float offset);
void scale(const ColorPlanes& planes, const ChannelChange& change);
void finish(const ColorPlanes& planes, const ChannelChange& change);

namespace {

constexpr int kLanes = 8;  // pixels of the result that are computed together

// Interpolates two neighbouring pixels, as eight values, between the two rows.
CONVOY_INLINE Floats8 blend(const PixelRows& rows, std::int32_t pixel) {
  const Floats8 a = load_bytes(rows.upper + std::ptrdiff_t{4} * pixel);
  const Floats8 b = load_bytes(rows.lower + std::ptrdiff_t{4} * pixel);
  return a + (b - a) * rows.fraction;
}

// Returns two pixels of the result: red, green, blue and an unused value, twice.
CONVOY_INLINE Floats8 blend_two(const PixelRows& rows, const std::int32_t* first,
                                const float* fractions) {
  const Floats8 a = blend(rows, first[0]);
  const Floats8 b = blend(rows, first[1]);
  const Floats8 left = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11);
  const Floats8 right = __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
  const float f = fractions[0], g = fractions[1];
  return left + (right - left) * Floats8{f, f, f, f, g, g, g, g};
}

CONVOY_INLINE void store(float* write, const Floats8& value) {
  __builtin_memcpy(write, &value, sizeof value);
}

// Computes eight pixels of the result, from pixel `i` on.
CONVOY_INLINE void resize_eight(const PixelRows& rows, const ResizeTaps& columns, int i,
                                float factor, float offset, const ColorPlanes& planes) {
  // The pairs are pixels 0 and 4, 1 and 5 and so on, so that the halves of each vector stay apart.
  Floats8 pairs[4];
  for (int pair = 0; pair < 4; ++pair) {
    const std::int32_t first[2] = {columns.first[i + pair], columns.first[i + pair + 4]};
    const float fractions[2] = {columns.fractions[i + pair], columns.fractions[i + pair + 4]};
    pairs[pair] = blend_two(rows, first, fractions) * factor + offset;
  }
  const Floats8 red_green_a = __builtin_shufflevector(pairs[0], pairs[1], 0, 8, 1, 9, 4, 12, 5, 13);
  const Floats8 red_green_b = __builtin_shufflevector(pairs[2], pairs[3], 0, 8, 1, 9, 4, 12, 5, 13);
  const Floats8 blue_a = __builtin_shufflevector(pairs[0], pairs[1], 2, 10, 3, 11, 6, 14, 7, 15);
  const Floats8 blue_b = __builtin_shufflevector(pairs[2], pairs[3], 2, 10, 3, 11, 6, 14, 7, 15);
  store(planes.red + i,
        __builtin_shufflevector(red_green_a, red_green_b, 0, 1, 8, 9, 4, 5, 12, 13));
  store(planes.green + i,
        __builtin_shufflevector(red_green_a, red_green_b, 2, 3, 10, 11, 6, 7, 14, 15));
  store(planes.blue + i, __builtin_shufflevector(blue_a, blue_b, 0, 1, 8, 9, 4, 5, 12, 13));
}

void resize_row(const PixelRows& rows, const ResizeTaps& columns, float factor, float offset,
                const ColorPlanes& planes) {
  int i = 0;
  for (; i + kLanes <= columns.count; i += kLanes) {
    resize_eight(rows, columns, i, factor, offset, planes);
  }
  for (; i < columns.count; ++i) {
    const Floats8 pixels = blend(rows, columns.first[i]);
    const auto value = [&](int channel) {
      const float left = pixels[channel], right = pixels[channel + 4];
      return (left + (right - left) * columns.fractions[i]) * factor + offset;
    };
    planes.red[i] = value(0);
    planes.green[i] = value(1);
    planes.blue[i] = value(2);
  }
}

}  // namespace

extern const PixelKernels kTable;
const PixelKernels kTable = {CONVOY_KERNEL_NAME, resize_row, transform_block,
                             resize_planes_row,  sum,        change_hsv,
                             multiply,           scale,      finish};

}  // namespace convoy::data::CONVOY_KERNEL_SET
