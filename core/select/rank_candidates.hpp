#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "core/plan/arena_map.hpp"
#include "core/plan/lower/guard.hpp"
#include "core/plan/plan.hpp"
#include "core/plan/step_plan.hpp"
#include "core/plugin/kernel_forms.hpp"
#include "core/plugin/strategy_plugin.hpp"
#include "core/select/ranking.hpp"
#include "core/simulate/predictor.hpp"

namespace convoy::select {

// What candidates are planned for and predicted with.
struct SelectionProblem {
  Cluster cluster;
  // Which kernels of strategies its devices run.
  KernelForms kernel_forms;
  // What the host wraps around updates, as a run's plans then have.
  GuardOptions guard;
  // Takes candidates that compute something else than a synchronous step, too: stale, asynchronous
  // or lossy ones. Never those whose devices train apart, nor wrong ones.
  bool allows_inexact = false;
  std::function<ArenaMap(std::uint64_t bucket_elements)> arena;
  // May throw Error: the candidate is refused then.
  std::function<std::unique_ptr<StrategyPlugin>(const Candidate&)> strategy;
  std::function<simulate::Prediction(const Plan& lowered)> predict;
  // Asked before a candidate's plan is written for the whole cluster; may write smaller ones. May
  // throw Error: the candidate is refused then. None: all are admitted.
  std::function<void(const Candidate&, const PlanAuthor& author)> admit;
  // Tries a kernel of a candidate's strategy, by the first CALL of it. May throw Error: the
  // candidate is refused then. None: nothing is tried.
  std::function<void(StrategyPlugin&, const Operation& call)> try_kernel;
};

// Plans, checks, lowers and predicts every candidate. Candidates whose plans are wrong, break their
// strategy's claim or compute what is not wanted have no prediction but a reason. Of consecutive
// candidates that differ in their buckets alone the one with the largest is checked for all. Works
// on all processors, and calls `arena` and `predict` from several threads at once, `admit`, too,
// `strategy`, `try_kernel` and the strategies from one at a time. The ranking does not depend on
// that.
Ranking rank_candidates(std::span<const Candidate> candidates, const SelectionProblem& problem);

}  // namespace convoy::select
