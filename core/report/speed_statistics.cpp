#include "core/report/speed_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/base/error.hpp"
#include "core/base/numbers/statistics.hpp"

namespace convoy::report {
namespace {

// This factor turns the median absolute deviation of a normal distribution into its standard
// deviation.
constexpr double kNormalConsistency = 1.4826;

// A sequence of values that ascend with their rank.
struct Ascending {
  std::size_t size;
  std::function<double(std::size_t)> at;
};

// Returns the value that `rank` values of both sequences together precede.
double of_rank(std::size_t rank, const Ascending& first, const Ascending& second) {
  // The least and the largest number of values of `first` among the rank + 1 smallest.
  std::size_t least = rank + 1 - std::min(rank + 1, second.size);
  std::size_t most = std::min(rank + 1, first.size);
  while (least < most) {
    const std::size_t taken = (least + most) / 2;
    if (first.at(taken) < second.at(rank - taken))
      least = taken + 1;
    else
      most = taken;
  }
  if (least == 0) return second.at(rank);
  if (least == rank + 1) return first.at(rank);
  return std::max(first.at(least - 1), second.at(rank - least));
}

}  // namespace

SpeedStatistics::SpeedStatistics(double images_per_step, std::optional<double> newest_weight)
    : images_per_step_(images_per_step), newest_weight_(newest_weight.value_or(0)) {
  CONVOY_CHECK_LT(0, images_per_step_);
  CONVOY_CHECK(newest_weight_ >= 0 && newest_weight_ <= 1);
}

void SpeedStatistics::add(double seconds) {
  CONVOY_CHECK_LT(0, seconds);
  seconds_.insert(seconds);
  sum_ += seconds;
  total_ = seconds + (1 - newest_weight_) * total_;
  weights_ = 1 + (1 - newest_weight_) * weights_;
  // Welford's sums.
  const double speed = images_per_step_ / seconds;
  const double before = speed - mean_speed_;
  mean_speed_ += before / static_cast<double>(steps());
  squares_ += before * (speed - mean_speed_);
}

// The fastest step has the highest rank.
double SpeedStatistics::speed_of_rank(std::size_t rank) const {
  return images_per_step_ / seconds_.at(steps() - 1 - rank);
}

// Computed from the steps' speeds.
double SpeedStatistics::jitter() const {
  const std::size_t half = steps() / 2;
  const double centre =
      steps() % 2 == 1 ? speed_of_rank(half) : (speed_of_rank(half) + speed_of_rank(half - 1)) / 2;
  // Deviations ascend from the median in both directions.
  const Ascending slower{half, [&](std::size_t i) { return centre - speed_of_rank(half - 1 - i); }};
  const Ascending faster{steps() - half,
                         [&](std::size_t i) { return speed_of_rank(half + i) - centre; }};
  const double middle = of_rank(half, slower, faster);
  const double deviation =
      steps() % 2 == 1 ? middle : (middle + of_rank(half - 1, slower, faster)) / 2;
  return kNormalConsistency * deviation;
}

Speed SpeedStatistics::speed() const {
  CONVOY_CHECK(!seconds_.empty());
  Speed speed;
  speed.mean = mean();
  speed.standard_error = std::sqrt(squares_) / static_cast<double>(steps());
  speed.jitter = jitter();
  return speed;
}

Speed SpeedStatistics::speed_of_all() const {
  Speed result = speed();
  result.mean = images_per_step_ * static_cast<double>(steps()) / sum_;
  return result;
}

StepTimes SpeedStatistics::step_times() const {
  CONVOY_CHECK(!seconds_.empty());
  return {quantile(seconds_, 0.5), quantile(seconds_, 0.9), quantile(seconds_, 0.99),
          quantile(seconds_, 1)};
}

}  // namespace convoy::report
