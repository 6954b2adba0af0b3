#include "core/report/compare/block_bootstrap.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/base/numbers/statistics.hpp"
#include "core/report/compare/autocovariance.hpp"
#include "tests/report/noisy_machine.hpp"

namespace convoy::compare {
namespace {

// The mean over several series, because one of them knows its own deviation only roughly.
double mean_deviation(double correlation) {
  constexpr int kSeries = 10;
  double sum = 0;
  for (std::uint64_t seed = 0; seed < kSeries; ++seed) {
    Machine machine(seed, {.between_runs = 0, .correlation = correlation, .disturbed = 0});
    sum += log_quantile_deviation(machine.run(0.1, 1000), 0.5);
  }
  return sum / kSeries;
}

TEST(BlockBootstrap, CorrelatedStepsTellLessThanIndependentOnes) {
  // The median of n independent normal values has the deviation 1.25 s / sqrt(n); a correlation of
  // 0.9 makes that of their mean sqrt(19) times as large.
  const double alone = 1.2533 * 0.03 / std::sqrt(1000);
  EXPECT_NEAR(mean_deviation(0) / alone, 1, 0.2);
  EXPECT_GT(mean_deviation(0.9) / alone, 2.5);
}

TEST(BlockBootstrap, BlocksAreAsLongAsStepsDependOnEachOther) {
  Machine independent(3, {.correlation = 0, .disturbed = 0});
  Machine correlated(3, {.correlation = 0.9, .disturbed = 0});
  const std::vector<double> series = correlated.run(0.1, 2000);
  EXPECT_GT(block_length(series), 2 * block_length(independent.run(0.1, 2000)));
  EXPECT_EQ(log_quantile_deviation(series, 0.5), log_quantile_deviation(series, 0.5));
  EXPECT_EQ(log_quantile_deviation({1, 2, 3}, 0.5), 0);
}

// As it is defined: every sample is drawn value by value, and sorted.
double deviation_of_sorted_samples(const std::vector<double>& series, double fraction,
                                   std::size_t resamples) {
  const std::size_t block = block_length(series);
  std::mt19937_64 random(series.size());
  std::vector<double> logs;
  for (std::size_t i = 0; i < resamples; ++i) {
    std::vector<double> sample;
    while (sample.size() < series.size()) {
      const std::size_t first = random() % series.size();
      for (std::size_t j = 0; j < block && sample.size() < series.size(); ++j)
        sample.push_back(series[(first + j) % series.size()]);
    }
    logs.push_back(std::log(quantile(sample, fraction)));
  }
  double squares = 0;
  for (const double value : logs) squares += std::pow(value - mean(logs), 2);
  return std::sqrt(squares / static_cast<double>(resamples - 1));
}

TEST(BlockBootstrap, CountsValuesInsteadOfSortingEverySample) {
  Machine machine(5, {.correlation = 0.95});
  std::vector<double> alike = machine.run(0.1, 300);
  for (double& seconds : alike) seconds = std::round(seconds * 200) / 200;
  for (const std::vector<double>& series :
       {machine.run(0.1, 4), machine.run(0.1, 37), machine.run(0.1, 500), alike})
    for (const double fraction : {0.0, 0.2, 0.5, 0.99, 1.0})
      EXPECT_DOUBLE_EQ(log_quantile_deviation(series, fraction, 50),
                       deviation_of_sorted_samples(series, fraction, 50))
          << series.size() << " values, " << fraction;
}

TEST(Autocovariance, IsTheSumOfTheProductsAtEveryLag) {
  Machine machine(6, {.correlation = 0.8});
  for (const std::size_t size : {1u, 2u, 7u, 64u, 300u}) {
    const std::vector<double> series = machine.run(0.1, size);
    const std::vector<double> covariances = autocovariances(series, size);
    const double centre = mean(series);
    ASSERT_EQ(covariances.size(), size);
    for (std::size_t lag = 0; lag < size; ++lag) {
      double direct = 0;
      for (std::size_t i = lag; i < size; ++i)
        direct += (series[i] - centre) * (series[i - lag] - centre);
      EXPECT_NEAR(covariances[lag], direct, 1e-12 * covariances[0] + 1e-30) << size << ", " << lag;
    }
  }
}

}  // namespace
}  // namespace convoy::compare
