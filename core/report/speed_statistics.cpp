#include "core/report/speed_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/error.hpp"

namespace convoy {
namespace {

// Makes the median absolute deviation of a normal distribution equal its standard deviation.
constexpr double kNormalConsistency = 1.4826;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return quantile_of_sorted(values, 0.5);
}

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

double quantile_of_sorted(std::span<const double> sorted, double fraction) {
  CONVOY_CHECK(!sorted.empty());
  const double position = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], position - static_cast<double>(below));
}

SpeedStatistics::SpeedStatistics(double images_per_step, std::optional<double> newest_weight)
    : images_per_step_(images_per_step), newest_weight_(newest_weight) {}

void SpeedStatistics::add(double step_seconds) {
  CONVOY_CHECK_LT(0.0, step_seconds);
  seconds_.push_back(step_seconds);
}

void SpeedStatistics::clear() {
  seconds_.clear();
}

double SpeedStatistics::average_seconds() const {
  if (!newest_weight_) return mean(seconds_);
  double weight = 1;
  double weights = 0;
  double total = 0;
  for (auto newest = seconds_.rbegin(); newest != seconds_.rend(); ++newest) {
    total += weight * *newest;
    weights += weight;
    weight *= 1 - *newest_weight_;
  }
  return total / weights;
}

Speed SpeedStatistics::speed() const {
  CONVOY_CHECK(!seconds_.empty());
  std::vector<double> speeds;
  speeds.reserve(seconds_.size());
  for (double seconds : seconds_) speeds.push_back(images_per_step_ / seconds);

  const double mean_speed = mean(speeds);
  const double middle = median(speeds);
  double squares = 0;
  std::vector<double> deviations;
  deviations.reserve(speeds.size());
  for (double s : speeds) {
    squares += (s - mean_speed) * (s - mean_speed);
    deviations.push_back(std::abs(s - middle));
  }
  const auto count = static_cast<double>(speeds.size());
  return {images_per_step_ / average_seconds(), std::sqrt(squares / count) / std::sqrt(count),
          kNormalConsistency * median(std::move(deviations))};
}

StepTimePercentiles SpeedStatistics::percentiles() const {
  std::vector<double> sorted = seconds_;
  std::sort(sorted.begin(), sorted.end());
  return {quantile_of_sorted(sorted, 0.5), quantile_of_sorted(sorted, 0.9),
          quantile_of_sorted(sorted, 0.99), quantile_of_sorted(sorted, 1.0)};
}

}  // namespace convoy
