#include "core/report/drift_monitor.hpp"

#include <cmath>
#include <vector>

#include "core/report/speed_statistics.hpp"

namespace convoy {

std::optional<double> DriftMonitor::add(double seconds) {
  latest_.push_back(seconds);
  if (latest_.size() > kWindow) latest_.pop_front();
  if (reported_ || latest_.size() < kWindow) return std::nullopt;
  const double median = quantile(std::vector<double>(latest_.begin(), latest_.end()), 0.5);
  const double drift = median / predicted_seconds_ - 1;
  if (std::abs(drift) <= kTolerance) return std::nullopt;
  reported_ = true;
  return drift;
}

}  // namespace convoy
