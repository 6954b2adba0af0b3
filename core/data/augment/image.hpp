#pragma once

#include <cstdint>
#include <vector>

namespace convoy::data {

struct ImageSize {
  int width = 0;  // pixels
  int height = 0;
};

// A part of an image, in pixels.
struct PixelWindow {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;

  friend bool operator==(const PixelWindow&, const PixelWindow&) = default;
};

inline constexpr int kRgb = 3;  // values per pixel

// An image with rows from the top, pixels from the left, and red, green and blue interleaved.
template <typename Value>
struct InterleavedImage {
  int width = 0;
  int height = 0;
  std::vector<Value> values;

  void resize(int new_width, int new_height) {
    width = new_width;
    height = new_height;
    values.resize(static_cast<std::size_t>(width) * height * kRgb);
  }
  Value* row(int y) { return values.data() + static_cast<std::size_t>(y) * width * kRgb; }
  const Value* row(int y) const {
    return values.data() + static_cast<std::size_t>(y) * width * kRgb;
  }
};

using ByteImage = InterleavedImage<std::uint8_t>;  // 0 .. 255
using FloatImage = InterleavedImage<float>;

// A picture in memory that belongs to someone else. A pixel has four bytes: red, green, blue and an
// unused one. One pixel after the last one is readable.
struct PixelView {
  int width = 0;
  int height = 0;
  const std::uint8_t* pixels = nullptr;
  std::size_t row_bytes = 0;

  const std::uint8_t* row(int y) const { return pixels + row_bytes * static_cast<std::size_t>(y); }
};
inline constexpr int kViewBytes = 4;  // per pixel

// Mirrors the image left to right, in place.
void flip_horizontally(ByteImage& image);

}  // namespace convoy::data
