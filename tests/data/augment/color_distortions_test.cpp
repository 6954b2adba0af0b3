#include "core/data/augment/color_distortions.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace convoy::data {
namespace {

using Planes = std::vector<float>;  // all reds, all greens, all blues

Planes planes_of(const std::vector<float>& interleaved) {
  const std::size_t pixels = interleaved.size() / 3;
  Planes planes(interleaved.size());
  for (std::size_t i = 0; i < interleaved.size(); ++i)
    planes[i % 3 * pixels + i / 3] = interleaved[i];
  return planes;
}

// What the changes make of colours 0 .. 1, interleaved, brought back to that range.
std::vector<float> changed(const std::vector<float>& colors, const ColorChanges& changes,
                           bool in_yiq) {
  Planes planes = planes_of(colors);
  const std::size_t pixels = colors.size() / 3;
  ColorDistorter(in_yiq).apply(changes, planes.data(), pixels);
  std::vector<float> result(colors.size());
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = (planes[i % 3 * pixels + i / 3] + 1) / 2;
  return result;
}

void expect_near(const std::vector<float>& actual, const std::vector<float>& expected,
                 float tolerance = 1e-5f) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(actual[i], expected[i], tolerance) << "value " << i;
}

const std::vector<float> kColors = {0.9f, 0.2f, 0.1f, 0.3f, 0.3f, 0.3f, 0.1f, 0.6f, 0.7f};

TEST(ColorDistortions, BrightnessIsAddedAndLimited) {
  for (const bool in_yiq : {false, true})
    expect_near(changed({0.25f, 0.25f, 0.25f, 0.9f, 0.9f, 0.9f}, {.brightness = 0.25f}, in_yiq),
                {0.5f, 0.5f, 0.5f, 1, 1, 1});
}

TEST(ColorDistortions, ContrastSpreadsAboutEachChannelsMean) {
  for (const bool last : {false, true})
    expect_near(changed({0.2f, 0.5f, 0.3f, 0.6f, 0.5f, 0.5f},
                        {.contrast = 1.5f, .contrast_last = last}, false),
                {0.1f, 0.5f, 0.25f, 0.7f, 0.5f, 0.55f});
}

TEST(ColorDistortions, SaturationKeepsTheLargestChannel) {
  expect_near(changed(kColors, {.saturation = 0}, false),
              {0.9f, 0.9f, 0.9f, 0.3f, 0.3f, 0.3f, 0.7f, 0.7f, 0.7f});
  expect_near(changed(kColors, {.saturation = 0.5f}, false),
              {0.9f, 0.55f, 0.5f, 0.3f, 0.3f, 0.3f, 0.4f, 0.65f, 0.7f});
  // As much as there can be.
  expect_near(changed({0.8f, 0.2f, 0.5f}, {.saturation = 10}, false), {0.8f, 0, 0.4f});
}

TEST(ColorDistortions, AThirdOfTheCircleRotatesTheChannels) {
  expect_near(changed(kColors, {.hue = 1.0f / 3}, false),
              {0.1f, 0.9f, 0.2f, 0.3f, 0.3f, 0.3f, 0.7f, 0.1f, 0.6f});
  expect_near(changed(kColors, {.hue = -1.0f / 3}, false),
              {0.2f, 0.1f, 0.9f, 0.3f, 0.3f, 0.3f, 0.6f, 0.7f, 0.1f});
}

TEST(ColorDistortions, NeutralChangesKeepColoursInBothSpaces) {
  expect_near(changed(kColors, {}, false), kColors);
  expect_near(changed(kColors, {}, true), kColors, 1e-3f);  // the matrices have three digits
}

TEST(ColorDistortions, InYiqGreyStaysGreyAndWithoutSaturationAllIsGrey) {
  expect_near(changed({0.3f, 0.3f, 0.3f}, {.saturation = 1.5f, .hue = 0.6f}, true),
              {0.3f, 0.3f, 0.3f}, 1e-3f);
  const float luma = 0.299f * 0.9f + 0.587f * 0.2f + 0.114f * 0.1f;
  expect_near(changed({0.9f, 0.2f, 0.1f}, {.saturation = 0}, true), {luma, luma, luma}, 1e-3f);
}

TEST(ColorDistortions, InYiqTurnsAddUp) {
  const std::array<float, 9> once = yiq_matrix(1, 0.3f), twice = yiq_matrix(1, 0.6f);
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 3; ++column) {
      float sum = 0;
      for (std::size_t i = 0; i < 3; ++i) sum += once[3 * row + i] * once[3 * i + column];
      EXPECT_NEAR(sum, twice[3 * row + column], 2e-3) << row << ", " << column;
    }
  }
}

TEST(ColorDistortions, StayInRangeAndDependOnTheOrder) {
  const Planes colors = planes_of({0.98f, 0.04f, 0.1f, 0.3f, 0.7f, 0.2f, 0.02f, 0.02f, 0.8f});
  for (const bool in_yiq : {false, true}) {
    int different = 0;
    for (std::uint32_t i = 0; i < 50; ++i) {
      Planes last = colors, second = colors;
      CounterRandom random(1, RandomPurpose::kAugmentation, i, 0);
      CounterRandom same(1, RandomPurpose::kAugmentation, i, 0);
      ColorDistorter(in_yiq).distort(last.data(), 3, true, random);
      ColorDistorter(in_yiq).distort(second.data(), 3, false, same);
      for (const float value : last) {
        ASSERT_GE(value, -1);
        ASSERT_LE(value, 1);
      }
      different += last != second ? 1 : 0;
    }
    EXPECT_GT(different, 25) << "YIQ " << in_yiq;
  }
}

}  // namespace
}  // namespace convoy::data
