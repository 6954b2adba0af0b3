#pragma once

#include "core/data/augment/image.hpp"
#include "core/data/augment/kernels/table.hpp"
#include "core/data/augment/resized_axis.hpp"

namespace convoy::data {

// Resizes a decoded picture bilinearly, mirrors and normalises it, and separates its channels, in
// one pass over the result. Reuse one resizer for many pictures, from one thread.
class ViewResizer {
 public:
  using Normalisation = PixelNormalisation;

  // `result`: channels (red, green, blue) x rows.count x columns.count.
  void resize(const PixelView& view, const ResizedAxis& columns, const ResizedAxis& rows,
              const Normalisation& normalisation, float* result);

 private:
  const PixelKernels& kernels_ = pixel_kernels();
  AxisTaps columns_;
  AxisTaps rows_;
};

}  // namespace convoy::data
