#pragma once

#include <cstdint>

#include "core/plan/check/check.hpp"
#include "core/plan/plan.hpp"

namespace convoy::plan {

// The factor of the loss, and for how many steps in a row its gradients have been finite.
struct LossScale {
  double scale = 1;
  double clean_steps = 0;
  bool operator==(const LossScale&) const = default;
};

// The host's options around every update, for all strategies.
struct GuardOptions {
  double clip_norm = 0;  // largest Euclidean norm of the whole gradient; 0 = no limit
  LossScale loss_scale;  // at the start of training
  // Steps with a gradient that is not finite are skipped and halve the loss scale. The scale
  // doubles in the finite step that follows `increase_every` others in a row.
  bool automatic_loss_scale = false;
  std::uint64_t increase_every = 1000;
  // Reports the norm of each variable's gradient, from the first replica's update or from the only
  // update.
  bool gradient_norms = false;

  bool scales_loss() const { return automatic_loss_scale || loss_scale.scale != 1; }
  bool needs_norm() const { return automatic_loss_scale || clip_norm > 0; }
  bool changes_plans() const { return scales_loss() || needs_norm() || gradient_norms; }
};

// Adds these options to a logical plan as operations. The loss scale is memory that backward and
// apply read; in plans that need the gradients themselves, each is divided by it after backward.
// Norms are computed from the gradients that are applied. The scale is adapted once per step, for
// any number of devices. If an update depends on the norm of the whole gradient, all updates of a
// step move behind the last gradient sum; other operations stay in place. Without any option the
// plan does not change. `report` is the result of check_plan for the plan. Error kUsage with the
// reason for plans in which a step has no such norm, or in which adapting the scale would be wrong
// because a gradient outlives its step. All stages share the added memory, so that the loss scale
// passes from one stage to the next.
Plan guard(const Plan& logical, const check::CheckReport& report, const GuardOptions& options);

}  // namespace convoy::plan
