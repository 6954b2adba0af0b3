#include "core/report/compare/block_bootstrap.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "core/base/statistics.hpp"

namespace convoy::compare {
namespace {

// Draws blocks of the series, which is taken for a ring, until the sample is as long.
void draw(const std::vector<double>& series, std::size_t block, std::mt19937_64& random,
          std::vector<double>& sample) {
  sample.clear();
  while (sample.size() < series.size()) {
    const std::size_t first = random() % series.size();
    const std::size_t count = std::min(block, series.size() - sample.size());
    for (std::size_t i = 0; i < count; ++i) sample.push_back(series[(first + i) % series.size()]);
  }
}

}  // namespace

std::size_t block_length(const std::vector<double>& series) {
  const std::size_t size = series.size();
  const std::size_t most = std::max<std::size_t>(1, size / 4);
  const double centre = mean(series);
  double variance = 0;
  for (const double value : series) variance += (value - centre) * (value - centre);
  const double noise = 2 / std::sqrt(static_cast<double>(size));
  std::size_t lag = 1;
  for (; variance > 0 && lag < most; ++lag) {
    double covariance = 0;
    for (std::size_t i = lag; i < size; ++i)
      covariance += (series[i] - centre) * (series[i - lag] - centre);
    if (covariance / variance < noise) break;
  }
  const auto usual = static_cast<std::size_t>(std::ceil(std::cbrt(static_cast<double>(size))));
  return std::clamp(std::max(usual, 2 * (lag - 1)), std::size_t{1}, most);
}

double log_quantile_deviation(const std::vector<double>& series, double fraction,
                              std::size_t resamples) {
  constexpr std::size_t kFewest = 4;
  if (series.size() < kFewest) return 0;
  const std::size_t block = block_length(series);
  std::mt19937_64 random(series.size());
  std::vector<double> sample;
  std::vector<double> logs;
  for (std::size_t i = 0; i < resamples; ++i) {
    draw(series, block, random, sample);
    logs.push_back(std::log(quantile(sample, fraction)));
  }
  const double centre = mean(logs);
  double squares = 0;
  for (const double value : logs) squares += (value - centre) * (value - centre);
  return std::sqrt(squares / static_cast<double>(resamples - 1));
}

}  // namespace convoy::compare
