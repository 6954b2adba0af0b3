#include "core/train/initializer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/error.hpp"

namespace convoy::train {
namespace {

constexpr std::uint64_t kSeed = 1234;

std::vector<float> samples(const convoy_initializer& initializer, std::uint64_t fan_in,
                           std::size_t count, std::uint32_t variable = 0, int threads = 1,
                           std::uint64_t seed = kSeed) {
  std::vector<float> values(count, -7);
  initialize(initializer, fan_in, seed, variable, values, threads);
  return values;
}

convoy_initializer normal(double deviation) {
  return {CONVOY_INITIALIZE_TRUNCATED_NORMAL, 0, deviation};
}

struct Moments {
  double mean = 0;
  double variance = 0;
  double kurtosis = 0;
};

Moments moments(const std::vector<float>& values) {
  const double count = static_cast<double>(values.size());
  Moments result;
  for (const float value : values) result.mean += value / count;
  double fourth = 0;
  for (const float value : values) {
    const double square = (value - result.mean) * (value - result.mean);
    result.variance += square / count;
    fourth += square * square / count;
  }
  result.kurtosis = fourth / (result.variance * result.variance);
  return result;
}

TEST(Initializer, ConstantFillsWithItsValue) {
  const convoy_initializer constant = {CONVOY_INITIALIZE_CONSTANT, 0, 0.1};
  EXPECT_EQ(samples(constant, 1, 3), std::vector<float>(3, 0.1f));
}

TEST(Initializer, TruncatedNormalHasTheMomentsOfANormalCutAtTwo) {
  const double deviation = 0.05;
  const std::vector<float> values = samples(normal(deviation), 1, 4'000'000);
  const Moments measured = moments(values);
  // Of the standard normal cut at 2: variance 1 - 4 phi(2) / P, fourth moment 3 variance - 16
  // phi(2) / P, with phi(2) = 0.0539909665 and P = 0.9544997361.
  const double variance = 0.7737413;
  const double kurtosis = (3 * variance - 16 * 0.0539909665 / 0.9544997361) / (variance * variance);
  EXPECT_NEAR(measured.mean, 0, 5 * deviation / std::sqrt(4e6));
  EXPECT_NEAR(measured.variance / (deviation * deviation), variance, 0.002);
  EXPECT_NEAR(measured.kurtosis, kurtosis, 0.005);
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  const float limit = static_cast<float>(2 * deviation);
  EXPECT_GE(*least, -limit);
  EXPECT_LE(*greatest, limit);
  EXPECT_GT(*greatest, 0.999f * limit) << "the tail is missing";
}

// Fraction of a normal distribution cut at 2 that lies below x.
double cut_normal_below(double x) {
  const double below = 0.5 * std::erfc(-x / std::sqrt(2.0));
  const double cut = 0.5 * std::erfc(2 / std::sqrt(2.0));
  return (below - cut) / std::erf(std::sqrt(2.0));
}

TEST(Initializer, TruncatedNormalFollowsTheDistributionEverywhere) {
  std::vector<float> values = samples(normal(1), 1, 1'000'000);
  std::sort(values.begin(), values.end());
  double distance = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double seen = (static_cast<double>(i) + 0.5) / static_cast<double>(values.size());
    distance = std::max(distance, std::abs(seen - cut_normal_below(values[i])));
  }
  // Kolmogorov-Smirnov: exceeded by chance once in 10^4 at 2.225 / sqrt(n); the seed is fixed.
  EXPECT_LT(distance, 2.225e-3);
}

TEST(Initializer, VarianceScalingHasVarianceOneOverFanIn) {
  const convoy_initializer scaling = {CONVOY_INITIALIZE_VARIANCE_SCALING, 0, 0};
  const Moments measured = moments(samples(scaling, 576, 2'000'000));
  EXPECT_NEAR(measured.variance * 576, 1, 0.005);
}

TEST(Initializer, DoesNotDependOnThreads) {
  for (const std::size_t count : {1u, 5u, 1'000'003u}) {
    EXPECT_EQ(samples(normal(1), 1, count, 3, 1), samples(normal(1), 1, count, 3, 5)) << count;
  }
}

TEST(Initializer, AnElementDoesNotDependOnTheSizeOfItsVariable) {
  const std::vector<float> few = samples(normal(1), 1, 10);
  const std::vector<float> many = samples(normal(1), 1, 1000);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
}

TEST(Initializer, VariablesAndSeedsDiffer) {
  const std::vector<float> base = samples(normal(1), 1, 100, 0);
  EXPECT_NE(base, samples(normal(1), 1, 100, 1));
  EXPECT_NE(base, samples(normal(1), 1, 100, 0, 1, kSeed + 1));
  EXPECT_NE(base, samples(normal(1), 1, 100, 0, 1, kSeed + (std::uint64_t{1} << 32)));
}

TEST(Initializer, AcceptsAnEmptyVariable) {
  EXPECT_TRUE(samples(normal(1), 1, 0).empty());
}

TEST(Initializer, RefusesAnUnknownRule) {
  EXPECT_THROW(samples({99, 0, 0}, 1, 4), Error);
}

}  // namespace
}  // namespace convoy::train
