#pragma once

#include <convoy/job_result.hpp>
#include <cstddef>
#include <optional>
#include <vector>

namespace convoy {

// Collects the times of timed steps and gives the numbers that tf_cnn_benchmarks prints.
class SpeedStatistics {
 public:
  // newest_weight (--display_perf_ewma): the average step time of `mean` weighs the newest step by
  // 1, the one before by 1 - newest_weight, and so on; unset or 0 weighs all alike.
  explicit SpeedStatistics(double images_per_step, std::optional<double> newest_weight = {});

  // A step took this long; seconds must be above 0.
  void add(double seconds);

  std::size_t steps() const { return seconds_.size(); }
  // These need at least one step.
  Speed speed() const;
  StepTimes step_times() const;
  // However many steps there were, these take no time.
  double average_seconds() const { return total_ / weights_; }  // of a step, as `mean` has it
  double mean() const { return images_per_step_ / average_seconds(); }

 private:
  double images_per_step_;
  double newest_weight_;
  std::vector<double> seconds_;
  double total_ = 0;    // of the steps, weighed
  double weights_ = 0;  // of them all
};

}  // namespace convoy
