#pragma once

#include "core/plan/check/check.hpp"
#include "core/plan/check/symbolic/symbolic_run.hpp"

namespace convoy::plan::check {

struct FixedPointJudgement {
  CheckReport report;
  // Whether the linear recurrence of the plan may give a better verdict, and whether its verdict
  // decides in any case.
  bool recurrence_may_decide = false;
  bool recurrence_decides = false;
};

// Derives the verdict from what every forward of a run has read. `settled`: the run has reached a
// fixed point, so that all later periods repeat the last one. Otherwise the report only says
// whether the plan is sound as far as the run shows.
FixedPointJudgement judge_fixed_point(const Plan& plan, SymbolicRun& run, bool settled);

}  // namespace convoy::plan::check
