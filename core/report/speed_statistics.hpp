#pragma once

#include <optional>
#include <span>
#include <vector>

namespace convoy {

// The three numbers of a progress line, in images per second.
struct Speed {
  double mean = 0;            // images per step over the average step time
  double standard_error = 0;  // of the per-step speeds: population deviation / sqrt(steps)
  double jitter = 0;          // 1.4826 * median absolute deviation of the per-step speeds
};

// Seconds. Percentiles interpolate linearly between the two nearest order statistics.
struct StepTimePercentiles {
  double p50 = 0;
  double p90 = 0;
  double p99 = 0;
  double max = 0;
};

// Collects step times and tells how fast the run is so far. With `newest_weight` alpha the mean is
// an exponentially weighted one: the newest step counts 1, the one before 1 - alpha, then its
// square, and so on; standard error and jitter stay unweighted.
class SpeedStatistics {
 public:
  explicit SpeedStatistics(double images_per_step, std::optional<double> newest_weight = {});

  void add(double step_seconds);
  void clear();  // forget the warm-up

  std::span<const double> step_seconds() const { return seconds_; }
  // Both need at least one step.
  Speed speed() const;
  StepTimePercentiles percentiles() const;

 private:
  double average_seconds() const;

  double images_per_step_;
  std::optional<double> newest_weight_;
  std::vector<double> seconds_;
};

// The fraction-quantile of values sorted in ascending order, fraction in [0, 1].
double quantile_of_sorted(std::span<const double> sorted, double fraction);

}  // namespace convoy
