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

// A picture in somebody else's memory, four bytes per pixel: red, green, blue and one without
// meaning. One pixel more than the last one is readable.
struct PixelView {
  int width = 0;
  int height = 0;
  const std::uint8_t* pixels = nullptr;
  std::size_t row_bytes = 0;

  const std::uint8_t* row(int y) const { return pixels + row_bytes * static_cast<std::size_t>(y); }
};
inline constexpr int kViewBytes = 4;  // per pixel

// Mirrors left and right in place.
void flip_horizontally(ByteImage& image);

}  // namespace convoy::data
