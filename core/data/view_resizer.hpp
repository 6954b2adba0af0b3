#pragma once

#include <cstdint>
#include <vector>

#include "core/data/image.hpp"
#include "core/data/kernels/table.hpp"

namespace convoy {

// One axis of a picture that is resized, in pixels. Value i of the result is taken at
// i * in / out of the picture: neither the corners nor the pixel centres are aligned, as TensorFlow
// 1 did.
struct ResizedAxis {
  int in = 0;
  int out = 0;
  int first = 0;  // of the values that are wanted
  int count = 0;
  bool mirrored = false;  // before it is resized
  // What is at hand: `available` pixels, from pixel `offset` on, of a picture that was decoded with
  // this reduction; in the whole one the part to resize begins at pixel `origin`.
  int reduction = 1;
  int origin = 0;
  int offset = 0;
  int available = 0;
};

// Resizes a decoded picture bilinearly, mirrors and normalises it and separates its channels, in
// one pass over the result. Reuse one resizer for many pictures; it serves one thread.
class ViewResizer {
 public:
  // What the result is multiplied by and what is added then; pixels are 0 .. 255.
  struct Normalisation {
    float factor = 1;
    float offset = 0;
  };

  // `result`: channels (red, green, blue) x rows.count x columns.count.
  void resize(const PixelView& view, const ResizedAxis& columns, const ResizedAxis& rows,
              const Normalisation& normalisation, float* result);

 private:
  struct Taps {
    std::vector<std::int32_t> first;
    std::vector<float> fractions;
  };
  static void prepare(const ResizedAxis& axis, Taps& taps);

  const PixelKernels& kernels_ = pixel_kernels();
  Taps columns_;
  Taps rows_;
};

}  // namespace convoy
