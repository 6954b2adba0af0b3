#include "core/simulate/layers/tile_side.hpp"

#include <gtest/gtest.h>

#include "core/simulate/layers/layer_rates.hpp"

namespace convoy::simulate {
namespace {

constexpr double kPeak = 100e9;

TileSides of_3x3(std::uint32_t side) {
  return {side, 1};
}
TileSides of_5x5(std::uint32_t side) {
  return {1, side};
}

LayerShape convolution(std::uint32_t side, std::uint32_t filter = 3) {
  LayerShape shape;
  shape.kind = CONVOY_LAYER_CONVOLUTION;
  shape.batch = 8;
  shape.kernel_height = shape.kernel_width = filter;
  shape.input_channels = shape.output_channels = 128;
  shape.input_pixels = shape.output_pixels = side * side;
  return shape;
}

// As a device takes it that computes whole tiles, at a third of its peak; `error` of the larger
// image's time.
std::vector<LayerSample> samples_with(const TileSides& sides, double error,
                                      std::uint32_t filter = 3) {
  std::vector<LayerSample> samples;
  for (const std::uint32_t side : {12u, 13u}) {
    const LayerShape shape = convolution(side, filter);
    const double flops = 2.0 * filter * filter * 128 * 128 * shape.output_pixels * shape.batch;
    const double seconds = 3 * flops / kPeak * tile_excess(shape, CONVOY_PASS_FORWARD, sides);
    samples.push_back(
        {shape, CONVOY_PASS_FORWARD, {flops, 1}, side == 13 ? error * seconds : seconds});
  }
  return samples;
}

TEST(TileSideTest, ExcessIsThatOfWholeTiles) {
  const auto excess = [](std::uint32_t side, std::uint32_t images, std::uint32_t tile_side) {
    LayerShape shape = convolution(side);
    shape.batch = images;
    return tile_excess(shape, CONVOY_PASS_FORWARD, of_3x3(tile_side));
  };
  EXPECT_NEAR(excess(12, 1000000, 4), 1, 1e-5);
  EXPECT_NEAR(excess(13, 1000000, 4), 256.0 / 169, 1e-5);
  EXPECT_EQ(excess(13, 8, 1), 1);
  LayerShape other = convolution(13);
  other.stride = 2;
  EXPECT_EQ(tile_excess(other, CONVOY_PASS_FORWARD, of_3x3(4)), 1);
}

TEST(TileSideTest, WeightsAreWorthTilesHoweverFewImages) {
  for (const convoy_pass pass :
       {CONVOY_PASS_FORWARD, CONVOY_PASS_BACKWARD_DATA, CONVOY_PASS_BACKWARD_WEIGHTS}) {
    LayerShape shape = convolution(7);
    double before = 0;
    double before_per_image = 1e9;
    for (const std::uint32_t images : {1u, 2u, 4u, 64u}) {
      shape.batch = images;
      const double per_image = tile_excess(shape, pass, of_3x3(4));
      EXPECT_GT(per_image * images, before) << images << " images";
      EXPECT_LT(per_image, before_per_image) << images << " images";
      before = per_image * images;
      before_per_image = per_image;
    }
  }
}

TEST(TileSideTest, IsFoundFromTimesThatAreSomewhatOff) {
  for (const std::uint32_t side : {1u, 2u, 4u, 6u})
    for (const double error : {0.98, 1.0, 1.02})
      EXPECT_EQ(find_tile_sides(samples_with(of_3x3(side), error), kPeak).of_3x3, side) << error;
  for (const double error : {0.95, 1.05})
    EXPECT_EQ(find_tile_sides(samples_with(of_3x3(4), error), kPeak).of_3x3, 4u) << error;
}

// Of 5x5 filters they are smaller: what a tile reads is the same.
TEST(TileSideTest, IsFoundOfEitherFilterByItself) {
  EXPECT_NEAR(tile_excess(convolution(12, 5), CONVOY_PASS_FORWARD, of_5x5(2)),
              1 + 25.0 * 4 / (144 * 8), 1e-9);
  EXPECT_EQ(tile_excess(convolution(13, 5), CONVOY_PASS_FORWARD, of_3x3(4)), 1);
  for (const std::uint32_t side : {1u, 2u, 4u})
    for (const double error : {0.98, 1.0, 1.02}) {
      const TileSides found = find_tile_sides(samples_with(of_5x5(side), error, 5), kPeak);
      EXPECT_EQ(found.of_5x5, side) << error;
      EXPECT_EQ(found.of_3x3, 1u) << error;
    }
}

TEST(TileSideTest, IsOneWhereNoTwoSamplesTellIt) {
  std::vector<LayerSample> one = samples_with(of_3x3(4), 1);
  one.pop_back();
  EXPECT_EQ(find_tile_sides(one, kPeak).of_3x3, 1u);
  EXPECT_EQ(find_tile_sides({}, kPeak).of_3x3, 1u);
}

TEST(TileSideTest, AnImageOfAnotherSizeIsForetoldWithIt) {
  const LayerRates rates(samples_with(of_3x3(4), 1), kPeak, 10e9);
  const LayerShape seven = convolution(7);
  const double flops = 1e9;
  EXPECT_NEAR(rates.seconds(seven, CONVOY_PASS_FORWARD, {flops, 1}),
              3 * flops / kPeak * tile_excess(seven, CONVOY_PASS_FORWARD, of_3x3(4)), 1e-9);
}

}  // namespace
}  // namespace convoy::simulate
