#include "core/data/color_distortions.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace convoy {
namespace {

FloatImage single_row(std::vector<float> values) {
  FloatImage image;
  image.resize(static_cast<int>(values.size()) / kRgb, 1);
  image.values = std::move(values);
  return image;
}

void expect_near(const FloatImage& image, const std::vector<float>& expected) {
  ASSERT_EQ(image.values.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(image.values[i], expected[i], 1e-5) << "value " << i;
  }
}

const std::vector<float> kColors = {0.9f, 0.2f, 0.1f, 0.3f, 0.3f, 0.3f, 0.1f, 0.6f, 0.7f};

TEST(ColorDistortions, BrightnessIsAdded) {
  FloatImage image = single_row({0.25f, 0.5f, 1.0f});
  add_brightness(image, 0.25f);
  expect_near(image, {0.5f, 0.75f, 1.25f});
}

TEST(ColorDistortions, ContrastSpreadsAboutEachChannelsMean) {
  FloatImage image = single_row({0, 0.5f, 0.2f, 1, 0.5f, 0.4f});
  scale_contrast(image, 1.5f);
  expect_near(image, {-0.25f, 0.5f, 0.15f, 1.25f, 0.5f, 0.45f});
}

TEST(ColorDistortions, SaturationKeepsTheLargestChannel) {
  FloatImage image = single_row(kColors);
  scale_saturation(image, 0);
  expect_near(image, {0.9f, 0.9f, 0.9f, 0.3f, 0.3f, 0.3f, 0.7f, 0.7f, 0.7f});
  image = single_row(kColors);
  scale_saturation(image, 0.5f);
  expect_near(image, {0.9f, 0.55f, 0.5f, 0.3f, 0.3f, 0.3f, 0.4f, 0.65f, 0.7f});
  image = single_row({0.8f, 0.2f, 0.5f});
  scale_saturation(image, 10);  // as much as there can be
  expect_near(image, {0.8f, 0, 0.4f});
}

TEST(ColorDistortions, AThirdOfTheCircleRotatesTheChannels) {
  FloatImage image = single_row(kColors);
  rotate_hue(image, 1.0f / 3);
  expect_near(image, {0.1f, 0.9f, 0.2f, 0.3f, 0.3f, 0.3f, 0.7f, 0.1f, 0.6f});
  rotate_hue(image, -1.0f / 3);
  expect_near(image, kColors);
}

TEST(ColorDistortions, NeutralFactorsChangeNothing) {
  FloatImage image = single_row(kColors);
  scale_saturation(image, 1);
  rotate_hue(image, 0);
  scale_contrast(image, 1);
  expect_near(image, kColors);
}

TEST(ColorDistortions, StaysInRangeAndDependsOnTheOrder) {
  int different = 0;
  for (std::uint32_t i = 0; i < 50; ++i) {
    FloatImage last = single_row({250, 10, 30, 90, 180, 60, 5, 5, 200});
    FloatImage second = last;
    CounterRandom random(1, RandomPurpose::kAugmentation, i, 0);
    CounterRandom same(1, RandomPurpose::kAugmentation, i, 0);
    distort_colors(last, true, random);
    distort_colors(second, false, same);
    for (const float value : last.values) {
      ASSERT_GE(value, 0);
      ASSERT_LE(value, 255);
    }
    different += last.values != second.values ? 1 : 0;
  }
  EXPECT_GT(different, 25);
}

}  // namespace
}  // namespace convoy
