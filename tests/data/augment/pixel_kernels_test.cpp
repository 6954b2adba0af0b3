#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/data/augment/kernels/table.hpp"
#include "core/data/augment/view_resizer.hpp"
#include "core/data/pipeline/counter_random.hpp"

namespace convoy::data {
namespace {

std::vector<float> random_values(std::size_t count, double low, double high) {
  CounterRandom random(3, RandomPurpose::kAugmentation, 1, 2);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random.uniform(low, high));
  return values;
}

ColorPlanes planes_of(std::vector<float>& values) {
  const std::size_t count = values.size() / 3;
  return {values.data(), values.data() + count, values.data() + 2 * count, count};
}

// Applies `change` with every usable instance and expects the bits of the first one everywhere.
template <typename Change>
std::vector<float> same_everywhere(const std::vector<float>& values, const Change& change) {
  std::vector<float> first;
  for (const PixelKernels* kernels : usable_pixel_kernels()) {
    std::vector<float> changed = values;
    change(*kernels, planes_of(changed));
    if (first.empty()) first = changed;
    EXPECT_EQ(changed, first) << kernels->name;
  }
  return first;
}

// The change of hue and saturation, as the colour space's definition says it.
void change_slowly(float* rgb, const HsvChange& change) {
  double color[3];
  for (int i = 0; i < 3; ++i) color[i] = double{rgb[i]} + change.brightness;
  const double highest = *std::max_element(color, color + 3);
  const double range = highest - *std::min_element(color, color + 3);
  double hue = 0;
  if (range > 0 && color[0] == highest) hue = (color[1] - color[2]) / range;
  if (range > 0 && color[0] != highest)
    hue =
        color[1] == highest ? (color[2] - color[0]) / range + 2 : (color[0] - color[1]) / range + 4;
  hue += change.turn;
  const double saturation =
      highest > 0 ? std::clamp(range / highest * change.saturation, 0.0, 1.0) : 0;
  for (int i = 0; i < 3; ++i) {
    double away = std::fmod(std::abs(hue - 2 * i), 6.0);
    away = std::min(away, 6 - away);
    const double share = std::clamp(2 - away, 0.0, 1.0);
    rgb[i] = static_cast<float>(highest - saturation * highest * (1 - share));
  }
}

TEST(PixelKernels, HueAndSaturationEqualASlowReference) {
  for (const HsvChange change : {HsvChange{0.1f, 1.4f, 1.1f}, HsvChange{-0.1f, 0.6f, -1.19f}}) {
    const std::vector<float> values = random_values(3 * 101, 0, 1);
    const std::vector<float> actual =
        same_everywhere(values, [&](const PixelKernels& kernels, const ColorPlanes& planes) {
          kernels.change_hsv(planes, change);
        });
    for (std::size_t i = 0; i < 101; ++i) {
      float rgb[3] = {values[i], values[101 + i], values[202 + i]};
      change_slowly(rgb, change);
      for (std::size_t c = 0; c < 3; ++c)
        ASSERT_NEAR(actual[101 * c + i], rgb[c], 1e-5) << "pixel " << i << ", channel " << c;
    }
  }
}

TEST(PixelKernels, PlanesAreMultipliedScaledAndLimitedAlikeEverywhere) {
  const std::vector<float> values = random_values(3 * 77, -0.2, 1.2);
  const float matrix[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  const ChannelChange change = {1.5f, {0.1f, -0.2f, 0.3f}};
  const auto product =
      same_everywhere(values, [&](const PixelKernels& kernels, const ColorPlanes& planes) {
        kernels.multiply(planes, matrix, 0.5f);
      });
  const auto scaled = same_everywhere(
      values, [&](const PixelKernels& kernels, const ColorPlanes& p) { kernels.scale(p, change); });
  const auto finished = same_everywhere(
      values,
      [&](const PixelKernels& kernels, const ColorPlanes& p) { kernels.finish(p, change); });
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t channel = i / 77, pixel = i % 77;
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k)
      sum += matrix[3 * channel + k] * (double{values[77 * k + pixel]} + 0.5);
    ASSERT_NEAR(product[i], sum, 1e-4) << i;
    const double expected = values[i] * 1.5 + change.offset[channel];
    ASSERT_NEAR(scaled[i], expected, 1e-6) << i;
    ASSERT_NEAR(finished[i], std::clamp(expected, 0.0, 1.0) * 2 - 1, 1e-6) << i;
  }
}

TEST(PixelKernels, SumsAreTheSameEverywhereAndExact) {
  std::vector<float> values = random_values(3 * 10007, 0, 1);
  for (const PixelKernels* kernels : usable_pixel_kernels()) {
    double sums[3], reference[3];
    kernels->sum(planes_of(values), sums);
    usable_pixel_kernels().front()->sum(planes_of(values), reference);
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_EQ(sums[c], reference[c]) << kernels->name;
      double exact = 0;
      for (std::size_t i = 0; i < 10007; ++i) exact += values[10007 * c + i];
      EXPECT_NEAR(sums[c], exact, 1e-3) << kernels->name;
    }
  }
}

TEST(PixelKernels, ResizedRowsAreTheSameEverywhereAndEqualAScalarReference) {
  CounterRandom random(4, RandomPurpose::kAugmentation, 1, 2);
  constexpr int kWidth = 50, kCount = 43;
  std::vector<std::uint8_t> bytes(2 * 4 * (kWidth + 1));
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.below(256));
  std::vector<std::int32_t> first(kCount);
  std::vector<float> fractions(kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    first[i] = static_cast<std::int32_t>(random.below(kWidth - 1));
    fractions[i] = static_cast<float>(random.uniform());
  }
  const std::uint8_t* lower = bytes.data() + 4 * kWidth;
  const PixelRows rows = {bytes.data(), lower, 0.3f};
  const auto result = same_everywhere(
      std::vector<float>(3 * kCount), [&](const PixelKernels& kernels, const ColorPlanes& planes) {
        kernels.resize_row(rows, {first.data(), fractions.data(), kCount}, 2, -7, planes);
      });
  for (std::size_t i = 0; i < kCount; ++i) {
    for (std::size_t c = 0; c < 3; ++c) {
      const std::size_t at = 4 * static_cast<std::size_t>(first[i]) + c;
      const double left = bytes[at] * 0.7 + lower[at] * 0.3;
      const double right = bytes[at + 4] * 0.7 + lower[at + 4] * 0.3;
      ASSERT_NEAR(result[kCount * c + i], (left + (right - left) * fractions[i]) * 2 - 7, 2e-4)
          << "pixel " << i << ", channel " << c;
    }
  }
}

TEST(ViewResizer, OnePixelFillsTheResult) {
  const std::uint8_t pixels[8] = {10, 20, 30, 0, 99, 99, 99, 99};
  const PixelView view = {1, 1, pixels, 4};
  const ResizedAxis axis = {.in = 1, .out = 9, .count = 9, .available = 1};
  std::vector<float> result(3 * 81);
  ViewResizer().resize(view, axis, axis, {1, 0}, result.data());
  for (std::size_t i = 0; i < 81; ++i) {
    ASSERT_EQ(result[i], 10);
    ASSERT_EQ(result[81 + i], 20);
    ASSERT_EQ(result[162 + i], 30);
  }
}

}  // namespace
}  // namespace convoy::data
