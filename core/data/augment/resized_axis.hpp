#pragma once

#include <cstdint>
#include <vector>

#include "core/data/augment/kernels/table.hpp"

namespace convoy::data {

// One axis of a picture that is resized, in pixels. Value i of the result is taken at i * in / out
// of the picture: neither the corners nor the pixel centres are aligned, as in TensorFlow 1.
struct ResizedAxis {
  int in = 0;
  int out = 0;
  int first = 0;  // first of the `count` wanted values
  int count = 0;
  bool mirrored = false;  // the picture is mirrored before it is resized
  // The decoded pixels: `available` pixels from pixel `offset` on, of a picture that was decoded
  // with this reduction. In the unreduced picture, the part to resize begins at pixel `origin`.
  int reduction = 1;
  int origin = 0;
  int offset = 0;
  int available = 0;
};

// The result is multiplied by `factor`, then `offset` is added. Pixels are 0 .. 255.
struct PixelNormalisation {
  float factor = 1;
  float offset = 0;
};

// The decoded pixels between which the values of an axis lie.
class AxisTaps {
 public:
  void prepare(const ResizedAxis& axis);

  int first(std::size_t i) const { return first_[i]; }
  float fraction(std::size_t i) const { return fractions_[i]; }
  ResizeTaps taps() const {
    return {first_.data(), fractions_.data(), static_cast<int>(first_.size())};
  }

 private:
  std::vector<std::int32_t> first_;
  std::vector<float> fractions_;
};

}  // namespace convoy::data
