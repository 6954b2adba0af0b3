#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "core/conformance/layer_builder.hpp"
#include "core/conformance/training_case.hpp"
#include "tests/devices/device_under_test.hpp"

namespace convoy::test {
namespace {

constexpr std::uint32_t kUnits = 2000;

// images -> 2000 units that are all one -> dropout -> mean. The gradient of a unit's bias is its
// factor in the mask (0 or 1/keep) summed over the images, over the number of outputs.
graph::Graph dropout_graph(double keep) {
  graph::GraphAssembler assembler("dropout", 2, 4);
  const std::uint32_t units = fully_connected(0, kUnits).add_to(assembler);
  LayerCase dropout(CONVOY_LAYER_DROPOUT, {units});
  dropout.layer.keep = keep;
  const std::uint32_t dropped = dropout.add_to(assembler);
  LayerCase(CONVOY_LAYER_MEAN_LOSS, {dropped}).add_to(assembler);
  return assembler.finish();
}

std::vector<float> mask(const TrainingOptions& options, std::uint64_t step, double keep = 0.25,
                        double* loss = nullptr) {
  DeviceUnderTest device;
  TrainingCase training(device, dropout_graph(keep), options);
  std::fill(training.parameters[0].begin(), training.parameters[0].end(), 0.0f);
  std::fill(training.parameters[1].begin(), training.parameters[1].end(), 1.0f);
  training.forward(step);
  training.backward(step);
  if (loss != nullptr) *loss = training.loss;
  return training.gradient(1);
}

constexpr TrainingOptions kDropping = {.batch = 1, .flags = CONVOY_COMPILE_DROPOUT};

TEST(DropoutLayer, KeepsTheRightShareAndScalesIt) {
  double loss = 0.0;
  const std::vector<float> gradient = mask(kDropping, 0, 0.25, &loss);
  const auto zeros = std::count(gradient.begin(), gradient.end(), 0.0f);
  const auto kept = std::count(gradient.begin(), gradient.end(), 4.0f / kUnits);
  EXPECT_EQ(zeros + kept, kUnits);
  EXPECT_NEAR(static_cast<double>(kept) / kUnits, 0.25, 0.04);  // four standard deviations
  // Forward and backward drop the same units.
  EXPECT_NEAR(loss, 4.0 * static_cast<double>(kept) / kUnits, 1e-6);
}

TEST(DropoutLayer, DependsOnSeedStepAndReplicaOnly) {
  const std::vector<float> first = mask(kDropping, 0);
  EXPECT_EQ(mask(kDropping, 0), first);
  TrainingOptions other_seed = kDropping, other_replica = kDropping;
  other_seed.seed = 2;
  other_replica.replica = 1;
  const std::set<std::vector<float>> different = {first, mask(kDropping, 1), mask(other_seed, 0),
                                                  mask(other_replica, 0)};
  EXPECT_EQ(different.size(), 4u);
}

TEST(DropoutLayer, DropsDifferentUnitsOfEveryImage) {
  TrainingOptions two = kDropping;
  two.batch = 2;
  const std::vector<float> gradient = mask(two, 0, 0.5);
  // Kept in both images, one or none: binomial, not all or nothing.
  const float both = 2.0f / kUnits, one = 1.0f / kUnits;
  EXPECT_NEAR(static_cast<double>(std::count(gradient.begin(), gradient.end(), one)), 1000, 100);
  EXPECT_NEAR(static_cast<double>(std::count(gradient.begin(), gradient.end(), both)), 500, 90);
}

TEST(DropoutLayer, KeepsEverythingUnlessTheCompilationSaysSo) {
  double loss = 0.0;
  const std::vector<float> gradient = mask({.batch = 1}, 0, 0.25, &loss);
  EXPECT_EQ(std::count(gradient.begin(), gradient.end(), 1.0f / kUnits), kUnits);
  EXPECT_NEAR(loss, 1.0, 1e-6);
}

class DropoutOfImages : public testing::TestWithParam<std::uint32_t> {};

// Ones from a convolution, dropped, then one weight of one per element: the gradients of those
// weights are the factors of the mask in logical order, whatever the convolution stores. They must
// be those of a fully connected layer in the convolution's place, which stores them in that order.
TEST_P(DropoutOfImages, HaveTheMaskOfTheirLogicalOrder) {
  constexpr std::uint32_t kCells = 36;
  const std::uint32_t channels = GetParam();
  const std::uint32_t elements = channels * kCells;
  const auto factors = [&](const LayerCase& producer, std::vector<float>* sums) {
    graph::GraphAssembler assembler("ones", 6, 4);
    LayerCase dropout(CONVOY_LAYER_DROPOUT, {LayerCase(producer).add_to(assembler)});
    dropout.layer.keep = 0.8;
    const std::uint32_t total = fully_connected(dropout.add_to(assembler), 1).add_to(assembler);
    LayerCase(CONVOY_LAYER_MEAN_LOSS, {total}).add_to(assembler);
    DeviceUnderTest device;
    TrainingCase training(device, assembler.finish(), kDropping);
    std::fill(training.parameters[0].begin(), training.parameters[0].end(), 0.0f);
    for (const std::size_t ones : {1u, 2u})
      std::fill(training.parameters[ones].begin(), training.parameters[ones].end(), 1.0f);
    training.forward(3);
    training.backward(3);
    if (sums != nullptr) *sums = training.gradient(1);
    return training.gradient(2);
  };
  std::vector<float> sums;
  const std::vector<float> stored = factors(convolution(0, channels, 3), &sums);
  EXPECT_EQ(stored, factors(fully_connected(0, elements), nullptr));
  const auto zeros = std::count(stored.begin(), stored.end(), 0.0f);
  EXPECT_EQ(zeros + std::count(stored.begin(), stored.end(), 1.25f), elements);
  EXPECT_NEAR(static_cast<double>(zeros) / elements, 0.2, 4 * 0.4 / std::sqrt(elements));
  for (std::uint32_t channel = 0; channel < channels; ++channel) {
    const auto first = stored.begin() + channel * kCells;
    EXPECT_FLOAT_EQ(sums[channel], std::accumulate(first, first + kCells, 0.0f))
        << "forward and backward differ in channel " << channel;
  }
}

INSTANTIATE_TEST_SUITE_P(Channels, DropoutOfImages, testing::Values(8u, 11u, 16u, 32u));

// Twelve images, each of which has another value that is one; a layer of units of weight one, then
// stochastic depth, then the mean. The gradient of the weight from value n to any unit is image n's
// factor, over the number of outputs.
constexpr std::uint32_t kDepthImages = 12, kDepthUnits = 5;

std::vector<float> image_factors(const TrainingOptions& options, std::uint64_t step,
                                 double* loss = nullptr) {
  graph::GraphAssembler assembler("stochastic depth", 2, 4);
  LayerCase depth(CONVOY_LAYER_STOCHASTIC_DEPTH,
                  {fully_connected(0, kDepthUnits).add_to(assembler)});
  depth.layer.keep = 0.5;
  LayerCase(CONVOY_LAYER_MEAN_LOSS, {depth.add_to(assembler)}).add_to(assembler);
  DeviceUnderTest device;
  TrainingCase training(device, assembler.finish(), options);
  std::fill(training.parameters[0].begin(), training.parameters[0].end(), 1.0f);
  std::fill(training.parameters[1].begin(), training.parameters[1].end(), 0.0f);
  std::fill(training.images.begin(), training.images.end(), 0.0f);
  for (std::size_t n = 0; n < kDepthImages; ++n) training.images[n * kDepthImages + n] = 1.0f;
  training.forward(step);
  training.backward(step);
  if (loss != nullptr) *loss = training.loss;
  std::vector<float> factors = training.gradient(0);
  for (float& factor : factors) factor *= kDepthUnits * kDepthImages;
  return factors;
}

constexpr TrainingOptions kDepth = {.batch = kDepthImages, .flags = CONVOY_COMPILE_DROPOUT};

TEST(StochasticDepthLayer, DropsOrScalesWholeImages) {
  double kept = 0;
  constexpr std::uint64_t kDepthSteps = 20;
  for (std::uint64_t step = 0; step < kDepthSteps; ++step) {
    double loss = 0;
    const std::vector<float> factors = image_factors(kDepth, step, &loss);
    double sum = 0;
    for (std::size_t n = 0; n < kDepthImages; ++n) {
      const float own = factors[n];
      EXPECT_TRUE(std::fabs(own) < 1e-5f || std::fabs(own - 2.0f) < 1e-5f) << own;
      for (std::size_t unit = 1; unit < kDepthUnits; ++unit)
        EXPECT_EQ(factors[unit * kDepthImages + n], own) << "image " << n << " unit " << unit;
      sum += static_cast<double>(own);
    }
    EXPECT_NEAR(loss, sum / kDepthImages, 1e-5) << "forward and backward drop the same images";
    kept += sum / 2;
  }
  // Four standard deviations.
  EXPECT_NEAR(kept / (kDepthSteps * kDepthImages), 0.5, 0.13);
}

TEST(StochasticDepthLayer, DependsOnSeedStepAndReplicaOnly) {
  TrainingOptions other_seed = kDepth, other_replica = kDepth;
  other_seed.seed = 2;
  other_replica.replica = 1;
  const std::vector<float> first = image_factors(kDepth, 0);
  EXPECT_EQ(image_factors(kDepth, 0), first);
  const std::set<std::vector<float>> different = {first, image_factors(kDepth, 1),
                                                  image_factors(other_seed, 0),
                                                  image_factors(other_replica, 0)};
  EXPECT_EQ(different.size(), 4u);
}

TEST(StochasticDepthLayer, DoesNothingWithoutDropout) {
  for (const float factor : image_factors({.batch = kDepthImages}, 0))
    EXPECT_NEAR(factor, 1.0f, 1e-5f);
}

}  // namespace
}  // namespace convoy::test
