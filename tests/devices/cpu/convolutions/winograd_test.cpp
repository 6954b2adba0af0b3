#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/devices/cpu/bf16_values.hpp"
#include "tests/devices/cpu/convolutions/winograd_case.hpp"

namespace convoy::test {
namespace {

// The worst of these cases is 1.7e-6 with AVX2; a wrong tile or constant gives 1e-2 and more.
constexpr double kTolerance = 2.5e-6;

// What rounding in f32 adds to a sum of so many products of numbers about 1; it grows with the sum,
// not with what is left of it.
double rounding_of(std::size_t products) {
  return 1e-5 * std::sqrt(static_cast<double>(products));
}

// In bf16 each value is the nearest to a sum that is as right as in f32.
void expect_stored(const std::vector<float>& values, const std::vector<double>& expected,
                   std::size_t products, bool bf16) {
  if (!bf16) {
    EXPECT_LT(relative_error(values, expected), kTolerance);
    return;
  }
  const double rounding = rounding_of(products);
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_NEAR(values[i], expected[i], rounding + half_bf16_ulp(std::abs(expected[i]) + rounding))
        << "element " << i;
  }
}

class Winograd : public testing::TestWithParam<ConvolutionSizes> {};

TEST_P(Winograd, AllPassesMatchDirectFloat64) {
  const ConvolutionReference reference(GetParam());
  const WinogradResults computed = compute_winograd(reference, 2);
  const ConvolutionSizes& s = reference.sizes;
  expect_stored(computed.result, reference.result, s.filter() * s.in, s.bf16);
  expect_stored(computed.source_gradient, reference.source_gradient, s.filter() * s.out, s.bf16);
  EXPECT_LT(relative_error(computed.weights_gradient, reference.weights_gradient), kTolerance);
}

TEST_P(Winograd, GivesTheSameBitsForEveryNumberOfThreads) {
  const ConvolutionReference reference(GetParam());
  const WinogradResults one = compute_winograd(reference, 1);
  for (const std::size_t threads : {2, 3, 5}) {
    const WinogradResults several = compute_winograd(reference, threads);
    EXPECT_EQ(several.result, one.result) << threads;
    EXPECT_EQ(several.source_gradient, one.source_gradient) << threads;
    EXPECT_EQ(several.weights_gradient, one.weights_gradient) << threads;
    EXPECT_EQ(several.bias_gradient, one.bias_gradient) << threads;
  }
}

TEST_P(Winograd, SumsTheGradientOfTheBias) {
  const ConvolutionReference reference(GetParam());
  const ConvolutionSizes& s = reference.sizes;
  const std::size_t pixels = s.out_height() * s.out_width();
  std::vector<double> expected(s.out);
  for (std::size_t i = 0; i < reference.gradient.size(); ++i) {
    expected[i / pixels % s.out] += double{reference.gradient[i]};
  }
  EXPECT_LT(relative_error(compute_winograd(reference, 2).bias_gradient, expected), 1e-6);
}

// Bounds at which a good part of the results is cut off on either side.
TEST_P(Winograd, AddsTheBiasAndCutsAtTheBoundsOfTheRelu) {
  ConvolutionReference reference(GetParam());
  const ConvolutionSizes& s = reference.sizes;
  std::vector<float> bias(s.out);
  for (std::size_t i = 0; i < s.out; ++i) bias[i] = 3.0f * std::sin(static_cast<float>(i) + 1.0f);
  const std::size_t pixels = s.out_height() * s.out_width();
  const float limit = 2.0f;
  for (std::size_t i = 0; i < reference.result.size(); ++i) {
    const double sum = reference.result[i] + double{bias[i / pixels % s.out]};
    reference.result[i] = std::clamp(sum, 0.0, double{limit});
  }
  const WinogradResults computed = compute_winograd(
      reference, 2, {.bias = bias.data(), .bias_count = s.out, .relu = true, .limit = limit});
  for (std::size_t i = 0; i < computed.result.size(); ++i) {
    const double rounding = rounding_of(s.filter() * s.in);
    const double stored = s.bf16 ? half_bf16_ulp(reference.result[i] + rounding) : 0.0;
    ASSERT_NEAR(computed.result[i], reference.result[i], rounding + stored) << "element " << i;
  }
}

class WinogradGradient : public testing::TestWithParam<ConvolutionSizes> {};

TEST_P(WinogradGradient, AddsBatchesOfTilesWithTheSameBitsForEveryNumberOfThreads) {
  const ConvolutionReference reference(GetParam());
  const WinogradResults one = compute_winograd(reference, 1);
  EXPECT_LT(relative_error(one.weights_gradient, reference.weights_gradient), kTolerance);
  EXPECT_EQ(compute_winograd(reference, 3).weights_gradient, one.weights_gradient);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Winograd,
                         testing::Values(ConvolutionSizes{1, 8, 8, 8, 4, 4, 1, 1, 1, 1},
                                         ConvolutionSizes{1, 8, 5, 3, 1, 1, 1, 1, 1, 1},
                                         ConvolutionSizes{3, 8, 24, 40, 13, 9, 1, 1, 1, 1},
                                         ConvolutionSizes{2, 8, 20, 37, 7, 10, 0, 0, 0, 0},
                                         ConvolutionSizes{2, 8, 16, 16, 6, 11, 2, 1, 0, 2},
                                         ConvolutionSizes{1, 8, 12, 64, 17, 5, 0, 2, 1, 1},
                                         ConvolutionSizes{2, 16, 16, 48, 9, 14, 1, 1, 1, 1},
                                         ConvolutionSizes{1, 16, 33, 17, 7, 7, 2, 2, 2, 2},
                                         ConvolutionSizes{2, 16, 9, 50, 8, 12, 0, 1, 1, 0},
                                         ConvolutionSizes{1, 8, 300, 24, 7, 7, 1, 1, 1, 1},
                                         ConvolutionSizes{1, 8, 24, 300, 6, 6, 1, 1, 1, 1},
                                         // More tiles than are multiplied at a time, and slices.
                                         ConvolutionSizes{1, 16, 264, 16, 25, 26, 1, 1, 1, 1},
                                         ConvolutionSizes{2, 16, 17, 16, 47, 46, 1, 1, 1, 1}));

INSTANTIATE_TEST_SUITE_P(Filters5x5, Winograd,
                         testing::Values(ConvolutionSizes{2, 8, 20, 37, 9, 12, 2, 2, 2, 2, 5},
                                         ConvolutionSizes{1, 8, 8, 16, 5, 6, 0, 4, 1, 0, 5},
                                         ConvolutionSizes{2, 16, 48, 33, 7, 10, 2, 2, 2, 2, 5},
                                         ConvolutionSizes{1, 16, 16, 50, 8, 31, 1, 0, 3, 2, 5}));

INSTANTIATE_TEST_SUITE_P(
    Bf16, Winograd,
    testing::Values(ConvolutionSizes{1, 16, 16, 16, 1, 1, 1, 1, 1, 1, 3, true},
                    ConvolutionSizes{2, 16, 16, 48, 9, 14, 1, 1, 1, 1, 3, true},
                    ConvolutionSizes{3, 16, 48, 32, 7, 7, 1, 1, 1, 1, 3, true},
                    ConvolutionSizes{2, 16, 32, 16, 8, 12, 0, 2, 1, 1, 3, true},
                    ConvolutionSizes{1, 16, 272, 16, 25, 26, 1, 1, 1, 1, 3, true},
                    ConvolutionSizes{1, 16, 32, 304, 6, 6, 1, 1, 1, 1, 3, true},
                    ConvolutionSizes{2, 16, 48, 32, 7, 10, 2, 2, 2, 2, 5, true},
                    ConvolutionSizes{1, 16, 16, 64, 8, 31, 1, 0, 3, 2, 5, true}));

// So many columns that sums over tiles do not stay in a cache, and two batches of tiles.
INSTANTIATE_TEST_SUITE_P(ManyChannels, WinogradGradient,
                         testing::Values(ConvolutionSizes{1, 16, 16, 696, 36, 35, 1, 1, 1, 1}));

}  // namespace
}  // namespace convoy::test
