#include "core/data/augment/crop_sampler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace convoy::data {
namespace {

CounterRandom stream(std::uint32_t sample) {
  return {1, RandomPurpose::kAugmentation, sample, 0};
}

TEST(CropSampler, KeepsAreaAspectAndBounds) {
  const ImageSize size = {500, 375};
  const std::vector<BoundingBox> boxes = {{0.45f, 0.45f, 0.55f, 0.55f}};
  double least = 1, most = 0, sum = 0;
  for (std::uint32_t i = 0; i < 5000; ++i) {
    CounterRandom random = stream(i);
    const PixelWindow window = sample_crop(size, boxes, random);
    ASSERT_GE(window.x, 0);
    ASSERT_GE(window.y, 0);
    ASSERT_LE(window.x + window.width, size.width);
    ASSERT_LE(window.y + window.height, size.height);
    const double area = double(window.width) * window.height / (500.0 * 375);
    ASSERT_GE(area, 0.05);
    const double half_pixel = 0.51 / window.height;
    const double aspect = double(window.width) / window.height;
    ASSERT_GE(aspect, 0.75 - half_pixel);
    ASSERT_LE(aspect, 1.33 + half_pixel);
    least = std::min(least, area);
    most = std::max(most, area);
    sum += area;
  }
  EXPECT_LT(least, 0.06);
  EXPECT_GT(most, 0.9);
  EXPECT_NEAR(sum / 5000, 0.4, 0.1);
}

TEST(CropSampler, PlacesEndBeforeTheFarEdge) {
  int largest_x = 0, largest_y = 0, at_origin = 0;
  for (std::uint32_t i = 0; i < 20000; ++i) {
    CounterRandom random = stream(i);
    const PixelWindow window = sample_crop({20, 16}, {}, random);
    if (window.width < 20) {
      ASSERT_LT(window.x + window.width, 20) << "sample " << i;
      largest_x = std::max(largest_x, window.x + window.width);
    }
    if (window.height < 16) {
      ASSERT_LT(window.y + window.height, 16) << "sample " << i;
      largest_y = std::max(largest_y, window.y + window.height);
    }
    at_origin += window.x == 0 && window.y == 0 ? 1 : 0;
  }
  EXPECT_EQ(largest_x, 19);
  EXPECT_EQ(largest_y, 15);
  EXPECT_GT(at_origin, 0);
}

TEST(CropSampler, WithoutBoxesATenthOfTheImageIsTheLeast) {
  double least = 1;
  for (std::uint32_t i = 0; i < 2000; ++i) {
    CounterRandom random = stream(i);
    const PixelWindow window = sample_crop({100, 100}, {}, random);
    least = std::min(least, window.width * window.height / 1e4);
  }
  EXPECT_GE(least, 0.1);
  EXPECT_LT(least, 0.12);
}

TEST(CropSampler, CoversATenthOfSomeBox) {
  const BoundingBox box = {0.8f, 0.8f, 0.95f, 0.9f};
  const std::vector<BoundingBox> boxes = {box};
  for (std::uint32_t i = 0; i < 2000; ++i) {
    CounterRandom random = stream(i);
    const PixelWindow window = sample_crop({200, 100}, boxes, random);
    const double width = std::min(0.95 * 200, double(window.x + window.width)) -
                         std::max(0.8 * 200, double(window.x));
    const double height = std::min(0.9 * 100, double(window.y + window.height)) -
                          std::max(0.8 * 100, double(window.y));
    ASSERT_GT(width, 0) << "sample " << i;
    ASSERT_GT(height, 0) << "sample " << i;
    ASSERT_GE(width * height, 0.1 * (0.15 * 200) * (0.1 * 100) - 1e-3) << "sample " << i;
  }
}

TEST(CropSampler, UnusableBoxesAreIgnored) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<BoundingBox> boxes = {
      {0.5f, 0.5f, 0.4f, 0.6f}, {nan, 0, 1, 1}, {-1, 0, 1, 1}, {0.2f, 0.2f, 0.2f, 0.9f}};
  for (std::uint32_t i = 0; i < 50; ++i) {
    CounterRandom with = stream(i), without = stream(i);
    EXPECT_EQ(sample_crop({100, 80}, boxes, with), sample_crop({100, 80}, {}, without));
  }
}

TEST(CropSampler, TakesTheWholeImageWhereNoWindowFits) {
  for (const ImageSize size : {ImageSize{1, 1}, ImageSize{1, 5000}, ImageSize{65535, 1}}) {
    CounterRandom random = stream(7);
    EXPECT_EQ(sample_crop(size, {}, random), (PixelWindow{0, 0, size.width, size.height}));
  }
}

}  // namespace
}  // namespace convoy::data
