#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "core/plan/check/check.hpp"
#include "core/plan/check/symbolic/values.hpp"

namespace convoy::plan::check {

// The findings at the transition from one stage of a plan to the next.
struct StageTransition {
  std::vector<Finding> findings;  // belong to the later stage
  // Whether residuals of the earlier stage are cleared or no longer read, so that their contents
  // are lost.
  bool loses = false;
  // How often the gradients of the steps before count, at least and at most, if a momentum
  // continues with another weight.
  std::optional<std::pair<double, double>> changed_counts;
};

// Judges the transitions to all later stages. Each stage is proved separately from the start of its
// own plan: with parameters wherever prologues copied them, and zeros elsewhere. This is the
// precondition of its proof. After its prologue, the real state must be equal to it, with one and
// the same model instead of the first parameters. That model must contain every gradient of all
// earlier steps as often as a mean does, over as many computes as an update of their stage.
// Residuals and sums of gradients, such as momentum, may be there instead of zeros, if the stage
// brings them into the parameters as often as it should (inherited_residuals.hpp), and matrices, if
// the stage only projects on them (inherited_matrices.hpp). The optimizer's state must be where the
// stage updates, and the stage must not read scratch memory or gradients of the previous one. A
// long stage is shortened by a multiple of 12 periods. Throws OverBudget. `reports` has the reports
// of all stages.
std::vector<StageTransition> judge_transitions(const Plan& plan,
                                               const std::vector<StageReport>& reports,
                                               Budget& budget);

// Returns a stage as if training began with it: after the first prologue and its own.
Plan stage_alone(const Plan& plan, std::size_t stage);

}  // namespace convoy::plan::check
