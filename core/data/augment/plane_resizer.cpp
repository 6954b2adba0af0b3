#include "core/data/augment/plane_resizer.hpp"

#include <algorithm>

namespace convoy::data {

void PlaneResizer::resize(const PlaneViews& planes, const ResizedAxis& columns,
                          const ResizedAxis& rows, const PixelNormalisation& normalisation,
                          float* result) {
  std::size_t scratch = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const PlaneView& plane = planes[i];
    scratch += plane.row_bytes + 16;
    if (i == 2) continue;  // the same as for plane 1
    ResizedAxis axis = columns;
    axis.reduction = plane.columns;
    axis.offset = plane.x;
    axis.available = plane.width;
    columns_[i].prepare(axis);
    axis = rows;
    axis.reduction = plane.rows;
    axis.offset = plane.y;
    axis.available = plane.height;
    rows_[i].prepare(axis);
  }
  scratch_.resize(std::max(scratch_.size(), scratch));
  const ResizeTaps luminance = columns_[0].taps(), chroma = columns_[1].taps();
  const auto width = static_cast<std::size_t>(columns.count);
  const std::size_t size = width * static_cast<std::size_t>(rows.count);
  for (std::size_t y = 0; y < static_cast<std::size_t>(rows.count); ++y) {
    PlaneRows between[3];
    for (std::size_t i = 0; i < 3; ++i) {
      const AxisTaps& taps = rows_[std::min<std::size_t>(i, 1)];
      const int upper = taps.first(y), lower = std::min(upper + 1, planes[i].height - 1);
      between[i] = {planes[i].row(upper), planes[i].row(lower), taps.fraction(y),
                    static_cast<int>(planes[i].row_bytes)};
    }
    float* write = result + y * width;
    kernels_.resize_planes_row(between, luminance, chroma, scratch_.data(), normalisation.factor,
                               normalisation.offset,
                               {write, write + size, write + 2 * size, width});
  }
}

}  // namespace convoy::data
