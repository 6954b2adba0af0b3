#pragma once

#include <cstddef>
#include <deque>
#include <optional>

namespace convoy::report {

// Watches whether steps take as long as predicted, by the median of the latest ones: single slow
// steps do not count.
class DriftMonitor {
 public:
  static constexpr double kTolerance = 0.08;  // relative
  static constexpr std::size_t kWindow = 10;  // steps

  // Seconds, above 0.
  explicit DriftMonitor(double predicted_seconds) : predicted_seconds_(predicted_seconds) {}

  // A step took this long. Returns how far off the median is, 0.1 = 10 % longer than predicted,
  // when that exceeds the tolerance for the first time.
  std::optional<double> add(double seconds);

 private:
  double predicted_seconds_;
  std::deque<double> latest_;
  bool reported_ = false;
};

}  // namespace convoy::report
