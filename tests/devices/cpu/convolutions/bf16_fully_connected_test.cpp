#include "plugins/devices/cpu/convolutions/bf16_fully_connected.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <ostream>
#include <vector>

#include "tests/devices/cpu/bf16_values.hpp"
#include "tests/devices/cpu/convolutions/bf16_operands.hpp"

namespace convoy::test {
namespace {

using cpu::Bf16;
using cpu::Bf16FullyConnected;
using cpu::ExpectedSum;
using Shape = Bf16FullyConnected::Shape;

// Images, inputs, outputs, outputs of a block of weights.
const Shape kFullyConnectedCases[] = {
    {1, 1, 1, 32},        // padding all over
    {16, 32, 32, 32},     // one tile of everything
    {3, 16, 64, 64},      // half a step of inputs
    {17, 33, 65, 32},     // one more than whole tiles
    {8, 300, 100, 64},    // several chunks of inputs, several ranges of them
    {33, 130, 10, 32},    // three blocks of images
    {64, 257, 129, 64},   // as many images as there may be
    {5, 1000, 1001, 32},  //
};

// A layer's operands in the storage that it reads: padding of weights is zero, that of nothing else
// exists.
struct LayerOperands {
  explicit LayerOperands(const Shape& it)
      : shape(it),
        source(random_bf16(it.images * it.inputs, 0.0, 1.0, 1)),
        gradient(random_bf16(it.images * it.outputs, 0.0, 1.0, 2)),
        bias(it.outputs),
        result(it.images * it.outputs, Bf16{0x4242}),
        source_gradient(it.images * it.inputs, Bf16{0x4242}) {
    CheapRandom random(3);
    for (float& value : bias) value = static_cast<float>(random.normal());
    weights.assign(stored(shape.outputs - 1, shape.inputs - 1) / block() * block() + block(), 0.0f);
    for (std::size_t o = 0; o < shape.outputs; ++o) {
      for (std::size_t i = 0; i < shape.inputs; ++i)
        weights[stored(o, i)] = static_cast<float>(random.normal());
    }
  }

  std::size_t block() const { return 16 * shape.width; }
  std::size_t stored(std::size_t o, std::size_t i) const {
    const std::size_t in_blocks = (shape.inputs + 15) / 16;
    return (o / shape.width * in_blocks + i / 16) * block() + i % 16 * shape.width +
           o % shape.width;
  }
  double weight(std::size_t o, std::size_t i) const {
    return value_of(nearest_bf16(static_cast<double>(weights[stored(o, i)])));
  }

  void run(std::size_t threads, bool relu = false, float limit = 0.0f) {
    const Bf16FullyConnected layer(shape);
    std::vector<std::byte> scratch(layer.scratch_bytes(threads), std::byte{0xff});
    layer.forward({.source = source.data(),
                   .weights = weights.data(),
                   .bias = bias.data(),
                   .result = result.data(),
                   .relu = relu,
                   .limit = limit,
                   .scratch = scratch.data()},
                  threads);
    std::fill(scratch.begin(), scratch.end(), std::byte{0xff});
    layer.backward({.gradient = gradient.data(),
                    .weights = weights.data(),
                    .source_gradient = source_gradient.data(),
                    .scratch = scratch.data()},
                   threads);
  }

  Shape shape;
  std::vector<Bf16> source, gradient;
  std::vector<float> weights, bias;
  std::vector<Bf16> result, source_gradient;
};

// Within the rounding of the f32 sum and of its result.
void expect_rounded(Bf16 measured, const ExpectedSum& expected) {
  const double bound =
      expected.bound() + half_bf16_ulp(std::fabs(expected.value()) + expected.bound());
  ASSERT_NEAR(value_of(measured), expected.value(), bound);
}

class Bf16FullyConnectedLayer : public testing::TestWithParam<Shape> {
 protected:
  void SetUp() override {
    if (cpu::bf16_kernels() == nullptr) {
      GTEST_SKIP() << "no bf16 products, or the system or oneDNN's limit forbids them";
    }
    ASSERT_TRUE(Bf16FullyConnected::suits(GetParam()));
  }
};

TEST_P(Bf16FullyConnectedLayer, GivesTheSumsOfRoundedWeightsInDoublePrecision) {
  LayerOperands layer(GetParam());
  layer.run(2);
  for (std::size_t n = 0; n < layer.shape.images; n += 5) {
    for (std::size_t o = 0; o < layer.shape.outputs; o += 7) {
      ExpectedSum expected;
      for (std::size_t i = 0; i < layer.shape.inputs; ++i)
        expected.add(value_of(layer.source[n * layer.shape.inputs + i]) * layer.weight(o, i));
      expected.add(static_cast<double>(layer.bias[o]));
      SCOPED_TRACE("image " + std::to_string(n) + ", output " + std::to_string(o));
      expect_rounded(layer.result[n * layer.shape.outputs + o], expected);
    }
  }
}

TEST_P(Bf16FullyConnectedLayer, GivesTheGradientOfItsInput) {
  LayerOperands layer(GetParam());
  layer.run(2);
  for (std::size_t n = 0; n < layer.shape.images; n += 5) {
    for (std::size_t i = 0; i < layer.shape.inputs; i += 7) {
      ExpectedSum expected;
      for (std::size_t o = 0; o < layer.shape.outputs; ++o)
        expected.add(value_of(layer.gradient[n * layer.shape.outputs + o]) * layer.weight(o, i));
      SCOPED_TRACE("image " + std::to_string(n) + ", input " + std::to_string(i));
      expect_rounded(layer.source_gradient[n * layer.shape.inputs + i], expected);
    }
  }
}

TEST_P(Bf16FullyConnectedLayer, GivesTheSameForAnyNumberOfThreads) {
  LayerOperands layer(GetParam());
  layer.run(1);
  const std::vector<Bf16> result = layer.result;
  const std::vector<Bf16> gradient = layer.source_gradient;
  for (const std::size_t threads : {2, 3, 5}) {
    layer.run(threads);
    ASSERT_EQ(layer.result, result) << threads;
    ASSERT_EQ(layer.source_gradient, gradient) << threads;
  }
}

TEST_P(Bf16FullyConnectedLayer, CutsItsResultOffLikeARelu) {
  LayerOperands layer(GetParam());
  layer.run(2);
  const std::vector<Bf16> whole = layer.result;
  layer.run(2, true);
  const std::vector<Bf16> positive = layer.result;
  layer.run(2, true, 1.5f);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const double value = std::max(value_of(whole[i]), 0.0);
    ASSERT_EQ(value_of(positive[i]), value) << i;
    ASSERT_EQ(value_of(layer.result[i]), std::min(value, 1.5)) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Bf16FullyConnectedLayer, testing::ValuesIn(kFullyConnectedCases),
                         [](const auto& test) {
                           const Shape& shape = test.param;
                           return std::to_string(shape.images) + "x" +
                                  std::to_string(shape.inputs) + "x" +
                                  std::to_string(shape.outputs) + "by" +
                                  std::to_string(shape.width);
                         });

TEST(Bf16FullyConnectedSuits, FewImagesAndBlocksOfWholeSteps) {
  EXPECT_FALSE(Bf16FullyConnected::suits({65, 64, 64, 32}));
  EXPECT_FALSE(Bf16FullyConnected::suits({8, 64, 64, 16}));
  EXPECT_FALSE(Bf16FullyConnected::suits({8, 64, 64, 128}));
  EXPECT_EQ(Bf16FullyConnected::suits({8, 64, 64, 64}), cpu::bf16_kernels() != nullptr);
}

// Weights that are not numbers reach the results that they belong to and no others.
TEST(Bf16FullyConnectedWeights, KeepWhatIsNotANumberInItsPlace) {
  if (cpu::bf16_kernels() == nullptr) GTEST_SKIP() << "no bf16 products";
  LayerOperands layer({5, 40, 70, 32});
  layer.weights[layer.stored(33, 39)] = std::numeric_limits<float>::quiet_NaN();
  layer.run(2);
  for (std::size_t n = 0; n < 5; ++n) {
    for (std::size_t o = 0; o < 70; ++o)
      EXPECT_EQ(std::isnan(value_of(layer.result[n * 70 + o])), o == 33) << n << ',' << o;
    for (std::size_t i = 0; i < 40; ++i)
      EXPECT_EQ(std::isnan(value_of(layer.source_gradient[n * 40 + i])), i == 39) << n << ',' << i;
  }
}

}  // namespace
}  // namespace convoy::test
