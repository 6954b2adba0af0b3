#pragma once

#include <convoy/job_result.hpp>
#include <cstddef>
#include <optional>

#include "core/base/numbers/ordered_values.hpp"

namespace convoy::report {

// Collects the times of timed steps and gives the numbers that tf_cnn_benchmarks prints. After n
// steps, one more takes O(log n) time, and so does every number. A step takes 8 to 16 bytes.
class SpeedStatistics {
 public:
  // newest_weight (--display_perf_ewma): the average step time of `mean` weighs the newest step by
  // 1, the one before by 1 - newest_weight, and so on; unset or 0 weighs all alike.
  explicit SpeedStatistics(double images_per_step, std::optional<double> newest_weight = {});

  // A step took this long; seconds must be above 0 and finite.
  void add(double seconds);

  std::size_t steps() const { return seconds_.size(); }
  // These need at least one step.
  Speed speed() const;
  StepTimes step_times() const;
  double average_seconds() const { return total_ / weights_; }  // of a step, as `mean` has it
  double mean() const { return images_per_step_ / average_seconds(); }

 private:
  double speed_of_rank(std::size_t rank) const;
  double jitter() const;

  double images_per_step_;
  double newest_weight_;
  OrderedValues seconds_;
  double total_ = 0;       // of the steps, weighed
  double weights_ = 0;     // of them all
  double mean_speed_ = 0;  // of the steps' speeds, images/s
  double squares_ = 0;     // sum of the squared differences from it
};

}  // namespace convoy::report
