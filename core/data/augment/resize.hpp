#pragma once

#include <vector>

#include "core/data/augment/image.hpp"
#include "core/data/pipeline/data_options.hpp"

namespace convoy::data {

// Scales an image to `full` and keeps the part `window` of the result, with values in 0 .. 255
// (bicubic may overshoot). Pixel i of an axis that is scaled from `in` to `out` is taken at i * in
// / out of the input: neither the corners nor the pixel centres are aligned, as in TensorFlow 1.
// `method` must not be kRoundRobin.
class Resizer {
 public:
  void resize(const ByteImage& image, ResizeMethod method, ImageSize full,
              const PixelWindow& window, FloatImage& result);

 private:
  // Every method is a weighted sum along x, then along y. Output i of an axis is the sum over k of
  // weights[i * taps + k] * input[indices[i * taps + k]].
  struct Axis {
    int taps = 0;
    std::vector<int> indices;
    std::vector<float> weights;
  };

  static void prepare(ResizeMethod method, int in, int out, int first, int count, Axis& axis);
  void resize_row(const std::uint8_t* row, int count, float* result) const;

  Axis columns_;
  Axis rows_;
  std::vector<float> narrowed_;  // the input's rows, resized along x
  std::vector<char> is_narrowed_;
};

}  // namespace convoy::data
