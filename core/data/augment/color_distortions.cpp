#include "core/data/augment/color_distortions.hpp"

#include <cmath>
#include <numbers>

namespace convoy::data {
namespace {

using Matrix = std::array<double, 9>;

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix result = {};
  for (std::size_t row = 0; row < 3; ++row)
    for (std::size_t column = 0; column < 3; ++column)
      for (std::size_t i = 0; i < 3; ++i)
        result[3 * row + column] += a[3 * row + i] * b[3 * i + column];
  return result;
}

// The conversion to NTSC's colour space (brightness and two colour axes, to three digits), and
// back.
constexpr Matrix kToYiq = {0.299, 0.587, 0.114, 0.596, -0.274, -0.322, 0.211, -0.523, 0.312};
constexpr Matrix kFromYiq = {1,           0.95617069, 0.62143257, 1,         -0.2726886,
                             -0.64681324, 1,          -1.103744,  1.70062309};

}  // namespace

std::array<float, 9> yiq_matrix(float saturation, float hue) {
  const double along = double{saturation} * std::cos(double{hue});
  const double across = double{saturation} * std::sin(double{hue});
  const Matrix turn = {1, 0, 0, 0, along, across, 0, -across, along};
  const Matrix matrix = product(kFromYiq, product(turn, kToYiq));
  std::array<float, 9> result;
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = static_cast<float>(matrix[i]);
  return result;
}

void ColorDistorter::distort(float* planes, std::size_t pixels, bool contrast_last,
                             CounterRandom& random) const {
  const double turn = in_yiq_ ? 0.2 * std::numbers::pi : 0.2;
  ColorChanges changes;
  changes.brightness = static_cast<float>(random.uniform(-32.0 / 255, 32.0 / 255));
  changes.saturation = static_cast<float>(random.uniform(0.5, 1.5));
  changes.hue = static_cast<float>(random.uniform(-turn, turn));
  changes.contrast = static_cast<float>(random.uniform(0.5, 1.5));
  changes.contrast_last = contrast_last;
  apply(changes, planes, pixels);
}

void ColorDistorter::apply(const ColorChanges& changes, float* values, std::size_t pixels) const {
  const ColorPlanes planes = {values, values + pixels, values + 2 * pixels, pixels};
  if (changes.contrast_last) {
    change_hue(changes, changes.brightness, planes);
    kernels_.finish(planes, contrast(changes.contrast, 0, planes));
    return;
  }
  kernels_.scale(planes, contrast(changes.contrast, changes.brightness, planes));
  change_hue(changes, 0, planes);
  kernels_.finish(planes, {});
}

void ColorDistorter::change_hue(const ColorChanges& changes, float brightness,
                                const ColorPlanes& planes) const {
  if (in_yiq_) {
    kernels_.multiply(planes, yiq_matrix(changes.saturation, changes.hue).data(), brightness);
  } else {
    kernels_.change_hsv(planes, {brightness, changes.saturation, 6 * changes.hue});
  }
}

// Returns the change (value + brightness - mean) * factor + mean, where mean is that of the
// brightened values.
ChannelChange ColorDistorter::contrast(float factor, float brightness,
                                       const ColorPlanes& planes) const {
  std::array<double, 3> sums;
  kernels_.sum(planes, sums.data());
  ChannelChange change;
  change.factor = factor;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const double mean = sums[i] / static_cast<double>(planes.count) + brightness;
    change.offset[i] = static_cast<float>(mean * (1 - double{factor}) + brightness * factor);
  }
  return change;
}

}  // namespace convoy::data
