#include "core/data/view_resizer.hpp"

#include <algorithm>

namespace convoy {
namespace {

// Where value i of the result lies among the pixels at hand. Pixel j of a reduced picture stands
// for the middle of `reduction` pixels.
double position_of(const ResizedAxis& axis, int i) {
  // One division, so that whole positions come out whole.
  double position = std::min(double(i) * axis.in / axis.out, axis.in - 1.0);
  if (axis.mirrored) position = axis.in - 1.0 - position;
  const double middle = (axis.reduction - 1) / 2.0;
  const double reduced = (axis.origin + position - middle) / axis.reduction - axis.offset;
  return std::clamp(reduced, 0.0, axis.available - 1.0);
}

}  // namespace

void ViewResizer::prepare(const ResizedAxis& axis, Taps& taps) {
  const auto count = static_cast<std::size_t>(axis.count);
  taps.first.resize(count);
  taps.fractions.resize(count);
  const int last = std::max(axis.available - 2, 0);  // the last pixel with one behind it
  for (std::size_t i = 0; i < count; ++i) {
    const int index = axis.first + static_cast<int>(i);
    const double position = position_of(axis, index);
    const int first = std::min(static_cast<int>(position), last);
    taps.first[i] = first;
    taps.fractions[i] = static_cast<float>(position - first);
  }
}

void ViewResizer::resize(const PixelView& view, const ResizedAxis& columns, const ResizedAxis& rows,
                         const Normalisation& normalisation, float* result) {
  prepare(columns, columns_);
  prepare(rows, rows_);
  const ResizeTaps taps = {columns_.first.data(), columns_.fractions.data(), columns.count};
  const auto width = static_cast<std::size_t>(columns.count);
  const std::size_t plane = width * static_cast<std::size_t>(rows.count);
  for (std::size_t y = 0; y < static_cast<std::size_t>(rows.count); ++y) {
    const int upper = rows_.first[y];
    const int lower = std::min(upper + 1, view.height - 1);
    float* write = result + y * width;
    kernels_.resize_row({view.row(upper), view.row(lower), rows_.fractions[y]}, taps,
                        normalisation.factor, normalisation.offset,
                        {write, write + plane, write + 2 * plane, width});
  }
}

}  // namespace convoy
