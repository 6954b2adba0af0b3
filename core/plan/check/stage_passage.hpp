#pragma once

#include <vector>

#include "core/plan/check/check.hpp"
#include "core/plan/check/values.hpp"

namespace convoy::check {

// What one stage of a plan leaves to the next.
struct StagePassage {
  std::vector<Finding> findings;  // of the later stage
  // Whether residuals of the earlier stage are not read any more, and what they hold is lost.
  bool loses = false;
};

// Judges the beginning of every later stage, after its prologue. Each stage is proved by itself
// from where its plan would begin: with parameters everywhere that prologues copied them to and
// zeros elsewhere. Where a stage really begins it must find the same, with one and the same model
// in the place of the first parameters, and that model must hold every gradient of all steps before
// as often as a mean does. Residuals may wait where there would be zeros. The optimizer's state
// must be where the stage updates, and nothing may be taken from scratch memory or gradients. A
// long stage is run for a few periods, as many as its length leaves modulo 12 at least. Throws
// OverBudget.
std::vector<StagePassage> judge_passages(const Plan& plan, Budget& budget);

// A stage as if training began with it, after the first prologue and its own.
Plan stage_alone(const Plan& plan, std::size_t stage);

}  // namespace convoy::check
