#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/check/check.hpp"
#include "core/plan/check/stages/earlier_counts.hpp"
#include "core/plan/check/stages/inherited_residuals.hpp"
#include "core/plan/check/stages/stage_transition.hpp"
#include "core/plan/check/symbolic/symbolic_run.hpp"

namespace convoy::plan::check {

// What a run through all stages knows of the earlier ones when a stage begins.
struct EarlierStages {
  // By compute of a replica: of how many computes its update takes the mean; 0: it is not applied.
  std::vector<std::uint64_t> means;
  EarlierCounts counts;  // 0 where variables differ
  HeldErrors errors;     // that the next prologue may overwrite

  // Of the stage that went on until this compute.
  void add_means(std::uint64_t end, const CheckReport& report);
  // A stage of this period begins.
  void add_stage(std::uint64_t period, const CheckReport& report);
  std::uint64_t mean_over(std::uint64_t compute) const {
    return compute < means.size() ? means[compute] : 1;
  }
};

struct StageEntry {
  StageTransition transition;
  // Nothing was found, and all memory is as in the proof of the stage, but with the model for the
  // first parameters. Then training goes on as if it began here.
  bool is_new_start = false;
};

// Compares the state at the beginning of a stage with the state from which it was proved, as
// judge_transitions() says. `run` has gone through all earlier stages and this one's prologue;
// `before` is what was known until that prologue. Throws OverBudget.
StageEntry judge_entry(const Plan& plan, std::size_t stage, SymbolicRun& run,
                       const EarlierStages& before, Budget& budget);

}  // namespace convoy::plan::check
