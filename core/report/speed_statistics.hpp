#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace convoy {

// Speed over all steps so far, in images per second.
struct Speed {
  double mean = 0;            // images per step / average step time
  double standard_error = 0;  // of the mean of the per-step speeds
  double jitter = 0;          // 1.4826 * median absolute deviation of the per-step speeds
};

// Step times in seconds.
struct StepTimes {
  double p50 = 0;
  double p90 = 0;
  double p99 = 0;
  double maximum = 0;
};

// Collects the times of timed steps and gives the numbers that tf_cnn_benchmarks prints.
class SpeedStatistics {
 public:
  // newest_weight (--display_perf_ewma): the average step time of `mean` weighs the newest step by
  // 1, the one before by 1 - newest_weight, and so on; unset or 0 weighs all alike.
  explicit SpeedStatistics(double images_per_step, std::optional<double> newest_weight = {});

  // A step took this long; seconds must be above 0.
  void add(double seconds);

  std::size_t steps() const { return seconds_.size(); }
  // Both need at least one step.
  Speed speed() const;
  StepTimes step_times() const;

 private:
  double average_seconds() const;

  double images_per_step_;
  double newest_weight_;
  std::vector<double> seconds_;
};

// Quantile by linear interpolation between the two nearest values; fraction in [0, 1]. The values
// must not be empty.
double quantile(std::vector<double> values, double fraction);

}  // namespace convoy
