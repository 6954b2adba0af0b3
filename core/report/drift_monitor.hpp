#pragma once

#include <cstddef>
#include <deque>
#include <optional>

namespace convoy::report {

// Watches whether steps take as long as predicted. It uses the median of the latest steps, so that
// single slow steps do not matter.
class DriftMonitor {
 public:
  static constexpr double kTolerance = 0.08;  // a relative difference
  static constexpr std::size_t kWindow = 10;  // number of steps

  // `predicted_seconds` must be above 0.
  explicit DriftMonitor(double predicted_seconds) : predicted_seconds_(predicted_seconds) {}

  // Adds the time of a step. If the median exceeds the tolerance for the first time, returns its
  // relative difference: 0.1 = 10 % longer than predicted.
  std::optional<double> add(double seconds);

 private:
  double predicted_seconds_;
  std::deque<double> latest_;
  bool reported_ = false;
};

}  // namespace convoy::report
