#pragma once

#include <cstdint>

#include "core/plan/check/check.hpp"
#include "core/plan/plan.hpp"

namespace convoy {

// The factor on the loss and how many steps in a row its gradients have been finite.
struct LossScale {
  double scale = 1;
  double clean_steps = 0;
  bool operator==(const LossScale&) const = default;
};

// What the host does around every update, whatever the strategy.
struct GuardOptions {
  double clip_norm = 0;  // largest Euclidean norm of the whole gradient; 0 = no limit
  LossScale loss_scale;  // at the start
  // Steps whose gradient is not finite are skipped and halve the loss scale; it doubles with the
  // clean step that comes after so many others.
  bool automatic_loss_scale = false;
  std::uint64_t increase_every = 1000;
  // Norms per variable of the gradient that the first replica's update, or the only one, takes.
  bool gradient_norms = false;

  bool scales_loss() const { return automatic_loss_scale || loss_scale.scale != 1; }
  bool needs_norm() const { return automatic_loss_scale || clip_norm > 0; }
  bool changes_plans() const { return scales_loss() || needs_norm() || gradient_norms; }
};

// A logical plan with all that as operations of its own: the loss scale is memory that backward and
// apply read, norms are computed from the gradients that are applied, and the scale is adapted once
// per step however many devices there are. When an update depends on the norm of the whole
// gradient, all updates of a step move behind the last gradient sum; everything else stays in
// place. Without any option the result is the plan as it was. `report` is what check_plan says of
// the plan. Error kUsage with the reason for plans in which a step has no such norm, or for which
// adapting the scale would be wrong because a gradient outlives its step. All stages of a plan
// share the memory that it adds, so that the loss scale goes from one to the next.
Plan guard(const Plan& logical, const CheckReport& report, const GuardOptions& options);

}  // namespace convoy
