#include "core/train/initializer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace convoy {
namespace {

struct Moments {
  double mean = 0;
  double variance = 0;
  double kurtosis = 0;
};

Moments moments_of(const std::vector<float>& values) {
  Moments result;
  double second = 0;
  double fourth = 0;
  for (float v : values) result.mean += v;
  result.mean /= static_cast<double>(values.size());
  for (float v : values) {
    const double square = (v - result.mean) * (v - result.mean);
    second += square;
    fourth += square * square;
  }
  result.variance = second / static_cast<double>(values.size());
  result.kurtosis = fourth / static_cast<double>(values.size()) / result.variance / result.variance;
  return result;
}

std::vector<float> sample(const InitializerSpec& spec, std::size_t count, std::uint64_t seed = 1234,
                          std::uint32_t variable = 0, int threads = 1) {
  std::vector<float> values(count, -99.0f);
  initialize(spec, seed, variable, values, threads);
  return values;
}

constexpr std::size_t kMany = 2'000'000;

TEST(Initializer, FillsConstants) {
  EXPECT_EQ(sample(InitializerSpec::zeros(), 3), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(sample(InitializerSpec::ones(), 2), (std::vector<float>{1, 1}));
  EXPECT_EQ(sample(InitializerSpec::constant(0.1), 1), (std::vector<float>{0.1f}));
}

TEST(Initializer, TruncatedNormalHasTheMomentsOfItsDistribution) {
  const auto values = sample(InitializerSpec::truncated_normal(0.5), kMany);
  const auto moments = moments_of(values);
  // Variance 1 - 4 phi(2) / (2 Phi(2) - 1) = 0.773741 of the nominal one. Fourth moment:
  // 3 * variance - 16 phi(2) / (2 Phi(2) - 1) = 1.416186..., so the kurtosis is 2.365530...
  EXPECT_NEAR(moments.mean, 0, 0.0015);
  EXPECT_NEAR(moments.variance, 0.25 * 0.773741, 0.001);
  EXPECT_NEAR(moments.kurtosis, 2.3655, 0.01);
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  EXPECT_GE(*low, -1.0f);
  EXPECT_LE(*high, 1.0f);
  EXPECT_LT(*low, -0.99f);
  EXPECT_GT(*high, 0.99f);
}

// The largest distance between the sample's distribution function and the exact one: Kolmogorov's
// test, which would see a bad approximation of the quantile anywhere.
TEST(Initializer, TruncatedNormalFollowsItsDistributionFunction) {
  auto values = sample(InitializerSpec::truncated_normal(1), kMany);
  std::sort(values.begin(), values.end());
  double worst = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double exact =
        0.5 + 0.5 * std::erf(values[i] / std::sqrt(2.0)) / std::erf(std::sqrt(2.0));
    const double seen = (static_cast<double>(i) + 0.5) / static_cast<double>(values.size());
    worst = std::max(worst, std::abs(exact - seen));
  }
  EXPECT_LT(worst, 1.95 / std::sqrt(static_cast<double>(kMany))) << "significance level 0.001";
}

TEST(Initializer, VarianceScalingRestoresTheVarianceAfterTheCut) {
  const double fan_in = 576;
  const auto values = sample(InitializerSpec::variance_scaling(fan_in), kMany);
  EXPECT_NEAR(moments_of(values).variance * fan_in, 1.0, 0.005);
  const double cut = 2 / std::sqrt(fan_in) / 0.87962566;
  for (float v : values) ASSERT_LE(std::abs(v), cut * (1 + 1e-6));
}

TEST(Initializer, ThreadsDoNotChangeTheBits) {
  const auto spec = InitializerSpec::truncated_normal(1);
  for (std::size_t count : {1, 5, 4096, 300'001}) {
    const auto one = sample(spec, count);
    for (int threads : {2, 3, 8}) {
      EXPECT_EQ(one, sample(spec, count, 1234, 0, threads)) << count << " on " << threads;
    }
  }
}

TEST(Initializer, AnElementDoesNotDependOnTheSizeOfItsVariable) {
  const auto spec = InitializerSpec::truncated_normal(1);
  const auto large = sample(spec, 10'000);
  const auto small = sample(spec, 4'321);
  EXPECT_TRUE(std::equal(small.begin(), small.end(), large.begin()));
}

TEST(Initializer, VariablesAndSeedsDrawIndependentNumbers) {
  const auto spec = InitializerSpec::truncated_normal(1);
  const auto base = sample(spec, 100'000);
  for (const auto& other : {sample(spec, 100'000, 1235), sample(spec, 100'000, 1234, 1),
                            sample(spec, 100'000, 1234 + (std::uint64_t{1} << 32))}) {
    double product = 0;
    for (std::size_t i = 0; i < base.size(); ++i) product += base[i] * other[i];
    EXPECT_NEAR(product / static_cast<double>(base.size()), 0, 0.012);
  }
}

TEST(Initializer, HashMatchesItsPublishedVectors) {
  EXPECT_EQ(hash_uniform(0, 1, 1), -0.3608238660963252);
  EXPECT_EQ(hash_uniform(1, 1, 1), 0.30819478386547416);
  EXPECT_EQ(hash_uniform(23231, 1, 1), -0.03920019289944321);
  EXPECT_EQ(hash_uniform(5, 1000000, 7), -0.33895143668632954);
}

TEST(Initializer, HashScalesForTheFirstConvolutionOfAlexnet) {
  // fan_in 11 * 11 * 3, followed by a ReLU.
  const auto values = sample(InitializerSpec::hash(std::sqrt(24.0 / 363), 0), 2, 1, 0);
  EXPECT_FLOAT_EQ(values[1], 0.07924604415893555f);
}

}  // namespace
}  // namespace convoy
