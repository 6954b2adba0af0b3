#include "core/data/augment/view_resizer.hpp"

#include <algorithm>

namespace convoy::data {

void ViewResizer::resize(const PixelView& view, const ResizedAxis& columns, const ResizedAxis& rows,
                         const Normalisation& normalisation, float* result) {
  columns_.prepare(columns);
  rows_.prepare(rows);
  const ResizeTaps taps = columns_.taps();
  const auto width = static_cast<std::size_t>(columns.count);
  const std::size_t plane = width * static_cast<std::size_t>(rows.count);
  for (std::size_t y = 0; y < static_cast<std::size_t>(rows.count); ++y) {
    const int upper = rows_.first(y);
    const int lower = std::min(upper + 1, view.height - 1);
    float* write = result + y * width;
    kernels_.resize_row({view.row(upper), view.row(lower), rows_.fraction(y)}, taps,
                        normalisation.factor, normalisation.offset,
                        {write, write + plane, write + 2 * plane, width});
  }
}

}  // namespace convoy::data
