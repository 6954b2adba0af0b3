#include "core/data/augment/resize.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"

namespace convoy::data {
namespace {

// Keys' cubic with the parameter of TensorFlow 1.
constexpr double kCubic = -0.75;

double cubic_weight(double distance) {
  const double d = std::abs(distance);
  if (d <= 1) return ((kCubic + 2) * d - (kCubic + 3)) * d * d + 1;
  if (d < 2) return ((kCubic * d - 5 * kCubic) * d + 8 * kCubic) * d - 4 * kCubic;
  return 0;
}

int taps_of(ResizeMethod method, double scale) {
  switch (method) {
    case ResizeMethod::kNearest:
      return 1;
    case ResizeMethod::kBilinear:
      return 2;
    case ResizeMethod::kBicubic:
      return 4;
    case ResizeMethod::kArea:
      return static_cast<int>(std::ceil(scale)) + 1;
    case ResizeMethod::kRoundRobin:
      break;
  }
  CONVOY_CHECK(false && "round_robin is resolved before resizing");
  return 0;
}

// Returns the weight of the input pixel that is `offset` pixels after floor(position). The output
// at `position` covers the input from there to position + scale.
double weight_of(ResizeMethod method, double position, double scale, int offset) {
  const double fraction = position - std::floor(position);
  if (method == ResizeMethod::kNearest) return 1;
  if (method == ResizeMethod::kBilinear) return offset == 0 ? 1 - fraction : fraction;
  if (method == ResizeMethod::kBicubic) return cubic_weight(offset - fraction);
  const double begin = std::max(fraction, double(offset));
  const double end = std::min(fraction + scale, double(offset) + 1);
  return std::max(end - begin, 0.0) / scale;
}

}  // namespace

void Resizer::prepare(ResizeMethod method, int in, int out, int first, int count, Axis& axis) {
  const double scale = double(in) / out;
  const int before = method == ResizeMethod::kBicubic ? 1 : 0;
  axis.taps = taps_of(method, scale);
  axis.indices.clear();
  axis.weights.clear();
  for (int i = first; i < first + count; ++i) {
    // A single division makes integral positions exact.
    const double position = double(i) * in / out;
    const int base = static_cast<int>(position);
    for (int k = -before; k < axis.taps - before; ++k) {
      axis.indices.push_back(std::clamp(base + k, 0, in - 1));
      axis.weights.push_back(static_cast<float>(weight_of(method, position, scale, k)));
    }
  }
}

void Resizer::resize_row(const std::uint8_t* row, int count, float* result) const {
  const int* index = columns_.indices.data();
  const float* weight = columns_.weights.data();
  for (int x = 0; x < count; ++x, result += kRgb) {
    float red = 0, green = 0, blue = 0;
    for (int k = 0; k < columns_.taps; ++k, ++index, ++weight) {
      const std::uint8_t* pixel = row + *index * kRgb;
      red += *weight * pixel[0];
      green += *weight * pixel[1];
      blue += *weight * pixel[2];
    }
    result[0] = red;
    result[1] = green;
    result[2] = blue;
  }
}

void Resizer::resize(const ByteImage& image, ResizeMethod method, ImageSize full,
                     const PixelWindow& window, FloatImage& result) {
  prepare(method, image.width, full.width, window.x, window.width, columns_);
  prepare(method, image.height, full.height, window.y, window.height, rows_);
  result.resize(window.width, window.height);
  const std::size_t row_values = static_cast<std::size_t>(window.width) * kRgb;
  narrowed_.resize(row_values * image.height);
  is_narrowed_.assign(static_cast<std::size_t>(image.height), 0);
  for (int y = 0; y < window.height; ++y) {
    float* out = result.row(y);
    std::fill_n(out, row_values, 0.0f);
    for (int k = 0; k < rows_.taps; ++k) {
      const auto tap = static_cast<std::size_t>(y) * rows_.taps + k;
      const auto source = static_cast<std::size_t>(rows_.indices[tap]);
      const float weight = rows_.weights[tap];
      if (weight == 0) continue;
      float* narrowed = narrowed_.data() + source * row_values;
      if (!is_narrowed_[source]) {
        resize_row(image.row(static_cast<int>(source)), window.width, narrowed);
        is_narrowed_[source] = 1;
      }
      for (std::size_t i = 0; i < row_values; ++i) out[i] += weight * narrowed[i];
    }
  }
}

}  // namespace convoy::data
