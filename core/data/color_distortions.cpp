#include "core/data/color_distortions.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace convoy {
namespace {

// Position of a colour on the circle of hues, 0 (red) to 6, given its extremes.
float hue_of(const float* rgb, float lowest, float highest) {
  const float range = highest - lowest;
  if (range <= 0) return 0;
  if (rgb[0] == highest) return std::fmod((rgb[1] - rgb[2]) / range + 6, 6.0f);
  if (rgb[1] == highest) return (rgb[2] - rgb[0]) / range + 2;
  return (rgb[0] - rgb[1]) / range + 4;
}

// The colour of this hue between `lowest` and `highest`.
void set_hue(float* rgb, float hue, float lowest, float highest) {
  constexpr std::array<float, kRgb> kCentres = {0, 2, 4};  // red, green, blue
  for (std::size_t i = 0; i < kRgb; ++i) {
    const float away = std::abs(hue - kCentres[i]);
    const float distance = std::min(away, 6 - away);
    const float share = std::clamp(2 - distance, 0.0f, 1.0f);
    rgb[i] = lowest + share * (highest - lowest);
  }
}

template <typename Change>
void for_each_pixel(FloatImage& image, Change change) {
  for (std::size_t i = 0; i < image.values.size(); i += kRgb) change(image.values.data() + i);
}

}  // namespace

void add_brightness(FloatImage& image, float delta) {
  for (float& value : image.values) value += delta;
}

void scale_contrast(FloatImage& image, float factor) {
  std::array<double, kRgb> mean = {};
  for_each_pixel(image, [&](const float* rgb) {
    for (std::size_t i = 0; i < kRgb; ++i) mean[i] += rgb[i];
  });
  for (double& sum : mean) sum /= double(image.width) * image.height;
  for_each_pixel(image, [&](float* rgb) {
    for (std::size_t i = 0; i < kRgb; ++i) {
      rgb[i] = static_cast<float>((rgb[i] - mean[i]) * factor + mean[i]);
    }
  });
}

void scale_saturation(FloatImage& image, float factor) {
  for_each_pixel(image, [factor](float* rgb) {
    const auto [low, high] = std::minmax({rgb[0], rgb[1], rgb[2]});
    const float lowest = low, highest = high;
    const float saturation = highest > 0 ? (highest - lowest) / highest : 0;
    const float changed = std::clamp(saturation * factor, 0.0f, 1.0f);
    set_hue(rgb, hue_of(rgb, lowest, highest), highest - changed * highest, highest);
  });
}

void rotate_hue(FloatImage& image, float turn) {
  for_each_pixel(image, [turn](float* rgb) {
    const auto [low, high] = std::minmax({rgb[0], rgb[1], rgb[2]});
    const float lowest = low, highest = high;
    const float hue = hue_of(rgb, lowest, highest) + 6 * turn;
    set_hue(rgb, hue - 6 * std::floor(hue / 6), lowest, highest);
  });
}

void distort_colors(FloatImage& image, bool contrast_last, CounterRandom& random) {
  const auto brightness = static_cast<float>(random.uniform(-32.0 / 255, 32.0 / 255));
  const auto saturation = static_cast<float>(random.uniform(0.5, 1.5));
  const auto hue = static_cast<float>(random.uniform(-0.2, 0.2));
  const auto contrast = static_cast<float>(random.uniform(0.5, 1.5));
  for (float& value : image.values) value /= 255;
  add_brightness(image, brightness);
  if (!contrast_last) scale_contrast(image, contrast);
  scale_saturation(image, saturation);
  rotate_hue(image, hue);
  if (contrast_last) scale_contrast(image, contrast);
  for (float& value : image.values) value = std::clamp(value, 0.0f, 1.0f) * 255;
}

}  // namespace convoy
