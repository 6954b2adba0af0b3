#pragma once

#include <optional>

#include "core/base/numbers/ordered_values.hpp"
#include "core/runtime/training_loop.hpp"

namespace convoy::job {

// Keeps the step whose time is closest to the median of all steps so far. At the end this is the
// median step, or one close to it.
class MedianStep {
 public:
  // Adds the time of a step. Returns whether to keep this step instead of the one kept before.
  bool is_nearer(double seconds);
  void keep(runtime::StepTrace step) { kept_ = std::move(step); }
  // Called when the operations of another plan follow.
  void forget() { kept_.reset(); }

  const std::optional<runtime::StepTrace>& kept() const { return kept_; }

 private:
  OrderedValues seconds_;  // times of all steps so far
  std::optional<runtime::StepTrace> kept_;
};

}  // namespace convoy::job
