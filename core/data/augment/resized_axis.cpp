#include "core/data/augment/resized_axis.hpp"

#include <algorithm>

namespace convoy::data {
namespace {

// Returns the position of value i of the result among the decoded pixels. Pixel j of a reduced
// picture represents the middle of `reduction` pixels.
double position_of(const ResizedAxis& axis, int i) {
  // A single division makes integral positions exact.
  double position = std::min(double(i) * axis.in / axis.out, axis.in - 1.0);
  if (axis.mirrored) position = axis.in - 1.0 - position;
  const double middle = (axis.reduction - 1) / 2.0;
  const double reduced = (axis.origin + position - middle) / axis.reduction - axis.offset;
  return std::clamp(reduced, 0.0, axis.available - 1.0);
}

}  // namespace

void AxisTaps::prepare(const ResizedAxis& axis) {
  const auto count = static_cast<std::size_t>(axis.count);
  first_.resize(count);
  fractions_.resize(count);
  const int last = std::max(axis.available - 2, 0);  // the last pixel with a successor
  for (std::size_t i = 0; i < count; ++i) {
    const int index = axis.first + static_cast<int>(i);
    const double position = position_of(axis, index);
    const int first = std::min(static_cast<int>(position), last);
    first_[i] = first;
    fractions_[i] = static_cast<float>(position - first);
  }
}

}  // namespace convoy::data
