#include "core/report/speed_statistics.hpp"

#include <cmath>

#include "core/base/error.hpp"
#include "core/base/statistics.hpp"

namespace convoy {
namespace {

// Makes the median absolute deviation of a normal distribution its standard deviation.
constexpr double kNormalConsistency = 1.4826;

double standard_error(const std::vector<double>& values) {
  const double centre = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  return std::sqrt(squares) / static_cast<double>(values.size());
}

double median_absolute_deviation(std::vector<double> values) {
  const double centre = median(values);
  for (double& value : values) value = std::abs(value - centre);
  return median(std::move(values));
}

}  // namespace

SpeedStatistics::SpeedStatistics(double images_per_step, std::optional<double> newest_weight)
    : images_per_step_(images_per_step), newest_weight_(newest_weight.value_or(0)) {
  CONVOY_CHECK_LT(0, images_per_step_);
  CONVOY_CHECK(newest_weight_ >= 0 && newest_weight_ <= 1);
}

void SpeedStatistics::add(double seconds) {
  CONVOY_CHECK_LT(0, seconds);
  seconds_.push_back(seconds);
  total_ = seconds + (1 - newest_weight_) * total_;
  weights_ = 1 + (1 - newest_weight_) * weights_;
}

Speed SpeedStatistics::speed() const {
  CONVOY_CHECK(!seconds_.empty());
  std::vector<double> speeds;
  speeds.reserve(seconds_.size());
  for (const double seconds : seconds_) speeds.push_back(images_per_step_ / seconds);
  Speed speed;
  speed.mean = mean();
  speed.standard_error = standard_error(speeds);
  speed.jitter = kNormalConsistency * median_absolute_deviation(std::move(speeds));
  return speed;
}

StepTimes SpeedStatistics::step_times() const {
  CONVOY_CHECK(!seconds_.empty());
  return {quantile(seconds_, 0.5), quantile(seconds_, 0.9), quantile(seconds_, 0.99),
          quantile(seconds_, 1)};
}

}  // namespace convoy
