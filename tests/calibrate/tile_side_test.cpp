#include "core/simulate/tile_side.hpp"

#include <gtest/gtest.h>

#include "core/simulate/layer_rates.hpp"

namespace convoy::simulate {
namespace {

constexpr double kPeak = 100e9;

LayerShape convolution(std::uint32_t side) {
  LayerShape shape;
  shape.kind = CONVOY_LAYER_CONVOLUTION;
  shape.batch = 8;
  shape.kernel_height = shape.kernel_width = 3;
  shape.input_channels = shape.output_channels = 128;
  shape.input_pixels = shape.output_pixels = side * side;
  return shape;
}

// As a device takes it that computes whole tiles, at a third of its peak; `error` of the larger
// image's time.
std::vector<LayerSample> samples_with(std::uint32_t tile_side, double error) {
  std::vector<LayerSample> samples;
  for (const std::uint32_t side : {12u, 13u}) {
    const LayerShape shape = convolution(side);
    const double flops = 2.0 * 9 * 128 * 128 * shape.output_pixels * shape.batch;
    const double seconds = 3 * flops / kPeak * tile_excess(shape, tile_side);
    samples.push_back(
        {shape, CONVOY_PASS_FORWARD, {flops, 1}, side == 13 ? error * seconds : seconds});
  }
  return samples;
}

TEST(TileSideTest, ExcessIsThatOfWholeTiles) {
  EXPECT_DOUBLE_EQ(tile_excess(convolution(12), 4), 1);
  EXPECT_DOUBLE_EQ(tile_excess(convolution(13), 4), 256.0 / 169);
  EXPECT_DOUBLE_EQ(tile_excess(convolution(13), 1), 1);
  LayerShape other = convolution(13);
  other.stride = 2;
  EXPECT_DOUBLE_EQ(tile_excess(other, 4), 1);
}

TEST(TileSideTest, IsFoundFromTimesThatAreSomewhatOff) {
  for (const std::uint32_t side : {1u, 2u, 3u, 4u, 6u})
    for (const double error : {0.95, 1.0, 1.05})
      EXPECT_EQ(find_tile_side(samples_with(side, error), kPeak), side) << error;
}

TEST(TileSideTest, IsOneWhereNoTwoSamplesTellIt) {
  std::vector<LayerSample> one = samples_with(4, 1);
  one.pop_back();
  EXPECT_EQ(find_tile_side(one, kPeak), 1u);
  EXPECT_EQ(find_tile_side({}, kPeak), 1u);
}

TEST(TileSideTest, AnImageOfAnotherSizeIsForetoldWithIt) {
  const LayerRates rates(samples_with(4, 1), kPeak, 10e9);
  const LayerShape seven = convolution(7);
  const double flops = 1e9;
  EXPECT_NEAR(rates.seconds(seven, CONVOY_PASS_FORWARD, {flops, 1}), 3 * flops / kPeak * 64 / 49,
              1e-9);
}

}  // namespace
}  // namespace convoy::simulate
