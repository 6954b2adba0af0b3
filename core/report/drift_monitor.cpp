#include "core/report/drift_monitor.hpp"

#include <cmath>

#include "core/base/numbers/statistics.hpp"

namespace convoy::report {

std::optional<double> DriftMonitor::add(double seconds) {
  latest_.push_back(seconds);
  if (latest_.size() > kWindow) latest_.pop_front();
  if (reported_ || latest_.size() < kWindow) return std::nullopt;
  const double seconds_now = median({latest_.begin(), latest_.end()});
  const double drift = seconds_now / predicted_seconds_ - 1;
  if (std::abs(drift) <= kTolerance) return std::nullopt;
  reported_ = true;
  return drift;
}

}  // namespace convoy::report
