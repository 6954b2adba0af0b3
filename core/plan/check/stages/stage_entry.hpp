#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/check/check.hpp"
#include "core/plan/check/stages/earlier_counts.hpp"
#include "core/plan/check/stages/inherited_residuals.hpp"
#include "core/plan/check/stages/stage_transition.hpp"
#include "core/plan/check/symbolic/symbolic_run.hpp"

namespace convoy::plan::check {

// What a run through all stages knows about the earlier stages when a stage begins.
struct EarlierStages {
  // By compute of a replica: the number of computes over which its update takes the mean; 0: it is
  // not applied.
  std::vector<std::uint64_t> means;
  EarlierCounts counts;  // 0 if variables differ
  HeldErrors errors;     // errors that the next prologue may overwrite

  // Adds the means of the stage that lasted until this compute.
  void add_means(std::uint64_t end, const CheckReport& report);
  // Adds a stage of this period, which begins.
  void add_stage(std::uint64_t period, const CheckReport& report);
  std::uint64_t mean_over(std::uint64_t compute) const {
    return compute < means.size() ? means[compute] : 1;
  }
};

struct StageEntry {
  StageTransition transition;
  // Nothing was found, and all memory is as in the proof of the stage, but with the model in place
  // of the first parameters. Then training continues as if it began here.
  bool is_new_start = false;
};

// Compares the state at the beginning of a stage with the state from which it was proved, see
// judge_transitions(). `run` has gone through all earlier stages and this one's prologue. `before`
// is what was known before that prologue. Throws OverBudget.
StageEntry judge_entry(const Plan& plan, std::size_t stage, SymbolicRun& run,
                       const EarlierStages& before, Budget& budget);

}  // namespace convoy::plan::check
