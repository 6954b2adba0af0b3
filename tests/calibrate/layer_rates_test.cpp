#include "core/simulate/layers/layer_rates.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/calibrate/profiles.hpp"

namespace convoy::simulate::layer_rates_test {
namespace {

constexpr std::uint32_t kBatch = 4;

TEST(LayerRatesTest, ALayerThatWasMeasuredTakesWhatItTook) {
  const graph::Graph graph = calibrate::two_convolutions();
  auto samples = calibrate::samples_of(graph, kBatch, 1e-11, 1e-10);
  samples[0].seconds *= 3;
  const LayerRates rates(samples, 200e9, 20e9);
  for (const LayerSample& sample : samples) {
    if (sample.work.flops + sample.work.bytes == 0) continue;
    EXPECT_NEAR(rates.seconds(sample.shape, sample.pass, sample.work), sample.seconds,
                1e-9 * sample.seconds);
  }
}

TEST(LayerRatesTest, TheSameShapeTwiceTakesTheMean) {
  const graph::Graph graph = calibrate::two_convolutions();
  const auto samples = calibrate::samples_of(graph, kBatch, 1e-11, 1e-10);
  LayerSample slow = samples[0];
  slow.seconds *= 3;
  const LayerRates rates({samples[0], slow}, 200e9, 20e9);
  EXPECT_NEAR(rates.seconds(slow.shape, slow.pass, slow.work), 2 * samples[0].seconds,
              1e-9 * samples[0].seconds);
}

TEST(LayerRatesTest, AnotherLayerTakesItsShareOfTheMostSimilarOnes) {
  const graph::Graph graph = calibrate::two_convolutions();
  const auto samples = calibrate::samples_of(graph, kBatch, 1e-11, 1e-10);
  const LayerRates rates(samples, 200e9, 20e9);
  LayerShape shape = samples[0].shape;
  shape.output_channels *= 2;
  graph::LayerWork work = samples[0].work;
  work.flops *= 2;
  work.bytes *= 2;
  const double seconds = rates.seconds(shape, CONVOY_PASS_FORWARD, work);
  EXPECT_NEAR(seconds, 2 * samples[0].seconds, 0.2 * samples[0].seconds);
}

TEST(LayerRatesTest, InAnotherArithmeticTheSlowerOfOperationsAndBytesCounts) {
  const graph::Graph graph = calibrate::two_convolutions();
  const auto samples = calibrate::samples_of(graph, kBatch, 1e-11, 1e-10);
  const LayerRates rates(samples, 200e9, 20e9);
  const LayerSample& it = samples[0];
  const auto seconds = [&](const RateGain& gain) {
    return rates.seconds(it.shape, it.pass, it.work, gain);
  };
  EXPECT_NEAR(seconds({4, 4}), it.seconds / 4, 1e-9 * it.seconds);
  EXPECT_GT(seconds({1e6, 2}), 0);
  EXPECT_LE(seconds({1e6, 2}), seconds({4, 2}));
  EXPECT_NEAR(seconds({1e6, 2}), seconds({1e9, 2}), 1e-9 * it.seconds);  // bytes remain
}

TEST(LayerRatesTest, AKindThatWasNotMeasuredReachesWhatTheOthersDo) {
  const graph::Graph graph = calibrate::two_convolutions();
  std::vector<LayerSample> samples = calibrate::samples_of(graph, kBatch, 2 / 200e9, 2 / 20e9);
  for (LayerSample& sample : samples)
    sample.seconds = sample.shape.kind == CONVOY_LAYER_FULLY_CONNECTED
                         ? 2 * (sample.work.flops / 200e9 + sample.work.bytes / 20e9)
                         : 2 * std::max(sample.work.flops / 200e9, sample.work.bytes / 20e9);
  const LayerRates rates(samples, 200e9, 20e9);
  LayerShape shape;
  shape.kind = CONVOY_LAYER_LOCAL_RESPONSE_NORM;
  EXPECT_NEAR(rates.seconds(shape, CONVOY_PASS_FORWARD, {0, 20e9}), 2, 1e-9);
}

TEST(LayerRatesTest, LayersThatReadMoreThanTheyComputeFollowTheirBytes) {
  const graph::Graph graph = calibrate::two_convolutions();
  const auto samples = calibrate::samples_of(graph, kBatch, 1e-11, 1e-10);
  const LayerRates rates(samples, 200e9, 20e9);
  LayerShape shape = samples[0].shape;
  shape.output_channels *= 2;
  const graph::LayerWork much = {1, 1e9};
  const graph::LayerWork more = {1e3, 1e9};
  EXPECT_DOUBLE_EQ(rates.seconds(shape, CONVOY_PASS_FORWARD, much),
                   rates.seconds(shape, CONVOY_PASS_FORWARD, more));
}

TEST(LayerRatesTest, FullyConnectedLayersTakeTheirProductsAndTheirBytes) {
  LayerSample sample;
  sample.shape.kind = CONVOY_LAYER_FULLY_CONNECTED;
  sample.work = {4e9, 1e9};
  sample.seconds = 3 * (4e9 / 200e9 + 1e9 / 20e9);
  const LayerRates rates({sample}, 200e9, 20e9);
  LayerShape more_images = sample.shape;
  more_images.batch *= 2;
  EXPECT_NEAR(rates.seconds(more_images, CONVOY_PASS_FORWARD, {8e9, 1e9}),
              3 * (8e9 / 200e9 + 1e9 / 20e9), 1e-9);
}

TEST(LayerRatesTest, AFasterDeviceTakesLess) {
  const graph::Graph graph = calibrate::two_convolutions();
  const auto samples = calibrate::samples_of(graph, kBatch, 1e-11, 1e-10);
  const LayerRates rates(samples, 200e9, 20e9, 4);
  EXPECT_NEAR(rates.seconds(samples[0].shape, samples[0].pass, samples[0].work),
              samples[0].seconds / 4, 1e-9 * samples[0].seconds);
}

TEST(LayerShapeTest, DistanceIsZeroForTheSameAndInfiniteForAnotherKind) {
  const auto shapes = layer_shapes(calibrate::two_convolutions(), kBatch);
  EXPECT_EQ(shape_distance(shapes[1], shapes[1]), 0);
  EXPECT_TRUE(std::isinf(shape_distance(shapes[1], shapes[2]))) << "convolution and relu";
  LayerShape larger = shapes[1];
  larger.kernel_height = larger.kernel_width = 5;
  LayerShape wider = shapes[1];
  wider.output_channels *= 2;
  EXPECT_GT(shape_distance(shapes[1], larger), shape_distance(shapes[1], wider));
}

TEST(LayerShapeTest, WhatIsBesideItMattersLessToALayerWithProducts) {
  const auto shapes = layer_shapes(calibrate::two_convolutions(), kBatch);
  const auto beside_another = [](LayerShape shape) {
    shape.producer = CONVOY_LAYER_CONCAT;
    return shape;
  };
  const double convolution = shape_distance(shapes[1], beside_another(shapes[1]));
  const double relu = shape_distance(shapes[2], beside_another(shapes[2]));
  EXPECT_GT(convolution, 0);
  EXPECT_LT(convolution, relu);
}

TEST(LayerShapeTest, KnowsWhatComesBeforeAndBehind) {
  const auto shapes = layer_shapes(calibrate::two_convolutions(), kBatch);
  EXPECT_EQ(shapes[1].producer, std::uint32_t{CONVOY_LAYER_INPUT});
  EXPECT_EQ(shapes[1].consumer, std::uint32_t{CONVOY_LAYER_RELU});
  EXPECT_EQ(shapes[3].producer, std::uint32_t{CONVOY_LAYER_RELU});
}

}  // namespace
}  // namespace convoy::simulate::layer_rates_test
