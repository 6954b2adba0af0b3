#include "core/job/median_step.hpp"

#include <algorithm>
#include <cmath>

namespace convoy::job {

bool MedianStep::is_nearer(double seconds) {
  sorted_.insert(std::ranges::upper_bound(sorted_, seconds), seconds);
  if (!kept_) return true;
  const std::size_t half = sorted_.size() / 2;
  const double median =
      sorted_.size() % 2 == 1 ? sorted_[half] : (sorted_[half - 1] + sorted_[half]) / 2;
  const double kept = kept_->step.end - kept_->step.start;
  return std::abs(seconds - median) < std::abs(kept - median);
}

}  // namespace convoy::job
