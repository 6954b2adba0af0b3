#include "core/job/training/median_step.hpp"

#include <cmath>

#include "core/base/numbers/statistics.hpp"

namespace convoy::job {

bool MedianStep::is_nearer(double seconds) {
  seconds_.insert(seconds);
  if (!kept_) return true;
  const double usual = median(seconds_);
  const double kept = kept_->step.end - kept_->step.start;
  return std::abs(seconds - usual) < std::abs(kept - usual);
}

}  // namespace convoy::job
