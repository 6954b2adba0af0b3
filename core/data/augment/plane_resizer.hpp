#pragma once

#include <vector>

#include "core/data/augment/resized_axis.hpp"
#include "core/data/jpeg/baseline_decoder.hpp"

namespace convoy::data {

// Resizes a picture in planes bilinearly, mirrors and normalises it, and converts it to red, green
// and blue, in one pass over the result. Chroma is interpolated from its own pixels, not from
// enlarged planes, and colours are converted last. Reuse one resizer for many pictures, from one
// thread.
class PlaneResizer {
 public:
  // The axes are those of the whole picture: offset, available and reduction are not used.
  // `result`: channels (red, green, blue) x rows.count x columns.count.
  void resize(const PlaneViews& planes, const ResizedAxis& columns, const ResizedAxis& rows,
              const PixelNormalisation& normalisation, float* result);

 private:
  const PixelKernels& kernels_ = pixel_kernels();
  AxisTaps columns_[2];  // for luminance and for chroma
  AxisTaps rows_[2];
  std::vector<float> scratch_;
};

}  // namespace convoy::data
