#include "core/data/augment/image.hpp"

#include <algorithm>

namespace convoy::data {

void flip_horizontally(ByteImage& image) {
  for (int y = 0; y < image.height; ++y) {
    std::uint8_t* left = image.row(y);
    std::uint8_t* right = left + (image.width - 1) * kRgb;
    for (; left < right; left += kRgb, right -= kRgb) std::swap_ranges(left, left + kRgb, right);
  }
}

}  // namespace convoy::data
