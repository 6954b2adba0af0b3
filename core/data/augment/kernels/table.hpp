#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace convoy::data {

// How one axis of a picture is resized: value i of the result lies `fractions[i]` of the way from
// pixel `first[i]` to the one behind it.
struct ResizeTaps {
  const std::int32_t* first = nullptr;
  const float* fractions = nullptr;
  int count = 0;
};

// Two rows of pixels of four bytes (red, green, blue, anything) and how far the wanted row lies
// from the upper to the lower one. One pixel behind the last one that is used must be readable.
struct PixelRows {
  const std::uint8_t* upper = nullptr;
  const std::uint8_t* lower = nullptr;
  float fraction = 0;
};

// Two rows of values of a plane and how far the wanted row lies from the upper to the lower one.
// Readable up to a multiple of 8 values.
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

// Changes of saturation and hue with a given brightness added before.
struct HsvChange {
  float brightness = 0;  // added to all channels
  float saturation = 1;  // factor; the product is limited to 0 .. 1
  float turn = 0;        // of the hue, 0 .. 6 is the circle
};

// value -> value * factor + offset per channel, limited to 0 .. 1, then * 2 - 1.
struct ChannelChange {
  float factor = 1;
  float offset[3] = {};
};

// Loops over the pixels of one picture, one instance per instruction set. All of them round every
// operation separately and add in the same order, so that all give the same bits.
struct PixelKernels {
  const char* name;
  // Bilinear: one row of the result, value * factor + offset, into the row's part of each plane.
  void (*resize_row)(const PixelRows& rows, const ResizeTaps& columns, float factor, float offset,
                     const ColorPlanes& planes);
  // One block of 8 x 8 pixels from its coefficients, whose columns are stored one after another:
  // each is multiplied by its factor, which contains what the transform leaves out.
  void (*transform_block)(const std::int16_t* coefficients, const float* factors,
                          std::uint8_t* pixels, std::size_t row_bytes);
  // Bilinear: one row of the result from rows of luminance and of the two chroma planes (JFIF's
  // blue and red differences), value * factor + offset. `scratch` has room for the longest of the
  // rows and 16 values more.
  void (*resize_planes_row)(const PlaneRows* rows, const ResizeTaps& luminance,
                            const ResizeTaps& chroma, float* scratch, float factor, float offset,
                            const ColorPlanes& planes);
  // The sums of the three planes.
  void (*sum)(const ColorPlanes& planes, double* sums);
  // Brightness, then saturation, then hue.
  void (*change_hsv)(const ColorPlanes& planes, const HsvChange& change);
  // Each pixel, `offset` added, times a matrix of rows red, green, blue.
  void (*multiply)(const ColorPlanes& planes, const float* matrix, float offset);
  // factor and offset as above, without limits.
  void (*scale)(const ColorPlanes& planes, const ChannelChange& change);
  // With limits and the last step to -1 .. 1.
  void (*finish)(const ColorPlanes& planes, const ChannelChange& change);
};

// The best instance for this processor.
const PixelKernels& pixel_kernels();

// All that this processor can run, the plainest first.
std::span<const PixelKernels* const> usable_pixel_kernels();

}  // namespace convoy::data
