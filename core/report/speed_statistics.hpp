#pragma once

#include <convoy/job_result.hpp>
#include <cstddef>
#include <optional>

#include "core/base/numbers/ordered_values.hpp"

namespace convoy::report {

// Collects the times of timed steps and computes the numbers that tf_cnn_benchmarks prints. After n
// steps, adding one takes O(log n) time, and so does every number. A step takes 8 to 16 bytes.
class SpeedStatistics {
 public:
  // newest_weight (--display_perf_ewma): in the average step time of `mean`, the newest step has
  // weight 1, the one before 1 - newest_weight, and so on. If it is unset or 0, all steps have the
  // same weight.
  explicit SpeedStatistics(double images_per_step, std::optional<double> newest_weight = {});

  // Adds the time of a step, which must be above 0 and finite.
  void add(double seconds);

  std::size_t steps() const { return seconds_.size(); }
  // The functions below need at least one step. speed() is for a line of output, and speed_of_all()
  // weighs all steps alike.
  Speed speed() const;
  Speed speed_of_all() const;
  StepTimes step_times() const;
  double seconds() const { return sum_; }                       // total time of the steps
  double average_seconds() const { return total_ / weights_; }  // average step time, as in `mean`
  double mean() const { return images_per_step_ / average_seconds(); }

 private:
  double speed_of_rank(std::size_t rank) const;
  double jitter() const;

  double images_per_step_;
  double newest_weight_;
  OrderedValues seconds_;
  double sum_ = 0;
  double total_ = 0;       // weighted sum of the steps' times
  double weights_ = 0;     // sum of the weights
  double mean_speed_ = 0;  // mean of the steps' speeds, images/s
  double squares_ = 0;     // sum of the squared differences from mean_speed_
};

}  // namespace convoy::report
