#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace convoy::data {

// How one axis of a picture is resized. Value i of the result lies between pixel `first[i]` and the
// next one, at `fractions[i]` of the way.
struct ResizeTaps {
  const std::int32_t* first = nullptr;
  const float* fractions = nullptr;
  int count = 0;
};

// Two rows of pixels of four bytes (red, green, blue, unused), and the position of the wanted row
// between the upper and the lower one. One pixel after the last one that is used must be readable.
struct PixelRows {
  const std::uint8_t* upper = nullptr;
  const std::uint8_t* lower = nullptr;
  float fraction = 0;
};

// Two rows of values of a plane, and the position of the wanted row between the upper and the lower
// one. The rows must be readable up to a multiple of 8 values.
struct PlaneRows {
  const std::uint8_t* upper = nullptr;
  const std::uint8_t* lower = nullptr;
  float fraction = 0;
  int count = 0;
};

// Three arrays of the same length: red, green, blue.
struct ColorPlanes {
  float* red = nullptr;
  float* green = nullptr;
  float* blue = nullptr;
  std::size_t count = 0;
};

// Changes of saturation and hue, after an addition of brightness.
struct HsvChange {
  float brightness = 0;  // added to all channels
  float saturation = 1;  // a factor; the product is limited to 0 .. 1
  float turn = 0;        // rotation of the hue; 6 is the full circle
};

// Maps value to value * factor + offset per channel, limited to 0 .. 1, then to * 2 - 1.
struct ChannelChange {
  float factor = 1;
  float offset[3] = {};
};

// Loops over the pixels of one picture, with one instance per instruction set. All instances round
// every operation separately and add in the same order, so all give the same bits.
struct PixelKernels {
  const char* name;
  // Computes one row of a bilinear resize, value * factor + offset, into that row of each plane.
  void (*resize_row)(const PixelRows& rows, const ResizeTaps& columns, float factor, float offset,
                     const ColorPlanes& planes);
  // Transforms one block of 8 x 8 pixels. The coefficients are stored column by column. Each is
  // multiplied by its factor, which contains the multiplications that the transform leaves out.
  void (*transform_block)(const std::int16_t* coefficients, const float* factors,
                          std::uint8_t* pixels, std::size_t row_bytes);
  // Computes one row of a bilinear resize from rows of luminance and of the two chroma planes
  // (JFIF's blue and red differences), value * factor + offset. `scratch` has room for the longest
  // of the rows plus 16 values.
  void (*resize_planes_row)(const PlaneRows* rows, const ResizeTaps& luminance,
                            const ResizeTaps& chroma, float* scratch, float factor, float offset,
                            const ColorPlanes& planes);
  // Computes the sums of the three planes.
  void (*sum)(const ColorPlanes& planes, double* sums);
  // Changes brightness, then saturation, then hue.
  void (*change_hsv)(const ColorPlanes& planes, const HsvChange& change);
  // Adds `offset` to each pixel and multiplies it by a matrix with rows red, green, blue.
  void (*multiply)(const ColorPlanes& planes, const float* matrix, float offset);
  // Applies factor and offset as above, without limits and without * 2 - 1.
  void (*scale)(const ColorPlanes& planes, const ChannelChange& change);
  // Applies a ChannelChange completely, with limits and the last step to -1 .. 1.
  void (*finish)(const ColorPlanes& planes, const ChannelChange& change);
};

// Returns the best instance for this processor.
const PixelKernels& pixel_kernels();

// Returns all instances that this processor can run, the plainest first.
std::span<const PixelKernels* const> usable_pixel_kernels();

}  // namespace convoy::data
