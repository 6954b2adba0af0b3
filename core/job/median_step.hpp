#pragma once

#include <optional>
#include <vector>

#include "core/runtime/training_loop.hpp"

namespace convoy::job {

// Keeps what was seen of one step: as steps come, that whose time is nearest to their median so
// far. In the end it is the median step, or one next to it.
class MedianStep {
 public:
  // A step took this long. Returns whether it is to be kept in place of the one before.
  bool is_nearer(double seconds);
  void keep(StepTrace step) { kept_ = std::move(step); }
  // Operations of another plan follow.
  void forget() { kept_.reset(); }

  const std::optional<StepTrace>& kept() const { return kept_; }

 private:
  std::vector<double> sorted_;
  std::optional<StepTrace> kept_;
};

}  // namespace convoy::job
