#include "core/report/compare/block_bootstrap.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>

#include "core/base/numbers/statistics.hpp"
#include "core/report/compare/autocovariance.hpp"

namespace convoy::compare {
namespace {

// Computes quantiles of samples whose values all come from one series. A sample only says how often
// it has each of them, so the series is sorted only once.
class SampleQuantile {
 public:
  SampleQuantile(const std::vector<double>& series, double fraction)
      : series_(series), ascending_(series.size()) {
    std::iota(ascending_.begin(), ascending_.end(), std::size_t{0});
    std::ranges::stable_sort(ascending_, {}, [&](std::size_t i) { return series[i]; });
    const double position = fraction * static_cast<double>(series.size() - 1);
    below_ = static_cast<std::size_t>(position);
    weight_ = position - static_cast<double>(below_);
  }

  // Returns the same bits as quantile() of a sample as long as the series.
  double of(const std::vector<std::uint32_t>& counts) const {
    std::size_t smaller = 0;  // number of the sample's values up to this rank
    std::size_t rank = 0;
    while ((smaller += counts[ascending_[rank]]) <= below_) ++rank;
    const double low = series_[ascending_[rank]];
    if (below_ + 1 == series_.size()) return low;
    while (smaller <= below_ + 1) smaller += counts[ascending_[++rank]];
    return low * (1 - weight_) + series_[ascending_[rank]] * weight_;
  }

 private:
  const std::vector<double>& series_;
  std::vector<std::size_t> ascending_;  // positions in the series
  std::size_t below_ = 0;
  double weight_ = 0;
};

// Draws blocks of a series, which is treated as a ring, until the sample is as long as the series.
// `counts` is how often the sample has each value.
void draw(std::size_t block, std::mt19937_64& random, std::vector<std::uint32_t>& counts) {
  const std::size_t size = counts.size();
  // The counts, modulo 2^32, first hold the difference of each count from the one before.
  std::ranges::fill(counts, 0);
  for (std::size_t left = size; left > 0;) {
    const std::size_t first = random() % size;
    const std::size_t count = std::min(block, left);
    const std::size_t end = first + count;
    ++counts[first];
    if (end > size) ++counts[0];
    if (end != size) --counts[end % size];
    left -= count;
  }
  std::partial_sum(counts.begin(), counts.end(), counts.begin());
}

}  // namespace

std::size_t block_length(const std::vector<double>& series) {
  const std::size_t size = series.size();
  const std::size_t most = std::max<std::size_t>(1, size / 4);
  const std::vector<double> covariances = autocovariances(series, most);
  const double noise = 2 / std::sqrt(static_cast<double>(size));
  std::size_t lag = 1;
  while (covariances[0] > 0 && lag < most && covariances[lag] / covariances[0] >= noise) ++lag;
  const auto usual = static_cast<std::size_t>(std::ceil(std::cbrt(static_cast<double>(size))));
  return std::clamp(std::max(usual, 2 * (lag - 1)), std::size_t{1}, most);
}

double log_quantile_deviation(const std::vector<double>& series, double fraction,
                              std::size_t resamples) {
  if (series.size() < kFewestResampled) return 0;
  const std::size_t block = block_length(series);
  std::mt19937_64 random(series.size());
  const SampleQuantile sampled(series, fraction);
  std::vector<std::uint32_t> counts(series.size());
  std::vector<double> logs;
  for (std::size_t i = 0; i < resamples; ++i) {
    draw(block, random, counts);
    logs.push_back(std::log(sampled.of(counts)));
  }
  const double centre = mean(logs);
  double squares = 0;
  for (const double value : logs) squares += (value - centre) * (value - centre);
  return std::sqrt(squares / static_cast<double>(resamples - 1));
}

}  // namespace convoy::compare
