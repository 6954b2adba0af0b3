#pragma once

#include <cstdint>
#include <vector>

namespace convoy {

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

// Rows from the top, pixels from the left, red, green and blue interleaved.
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

// Mirrors left and right in place.
void flip_horizontally(ByteImage& image);

}  // namespace convoy
