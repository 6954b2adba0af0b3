#pragma once

#include <functional>
#include <memory>
#include <span>

#include "core/plan/arena_map.hpp"
#include "core/plan/lower/guard.hpp"
#include "core/plan/plan.hpp"
#include "core/plan/step_plan.hpp"
#include "core/plugin/kernel_forms.hpp"
#include "core/plugin/strategy_plugin.hpp"
#include "core/select/ranking.hpp"
#include "core/simulate/predictor.hpp"

namespace convoy::select {

// The conditions under which candidates are ranked.
struct SelectionProblem {
  plan::Cluster cluster;
  // The forms of strategies' kernels that the cluster's devices run.
  plugin::KernelForms kernel_forms;
  // What the host adds around updates, as in the plans of a run.
  plan::GuardOptions guard;
  // Also accepts candidates that do not compute a synchronous step: stale, asynchronous or lossy
  // ones. Wrong candidates, and those whose devices train independently, are never accepted.
  bool allows_inexact = false;
  std::function<plan::ArenaMap(std::uint64_t bucket_elements)> arena;
  // Opens the strategy of a candidate. If it throws Error, the candidate is refused.
  std::function<std::unique_ptr<plugin::StrategyPlugin>(const Candidate&)> strategy;
  std::function<simulate::Prediction(const plan::Plan& lowered)> predict;
  // Called before a candidate's plan is written for the whole cluster. It may write smaller plans.
  // If it throws Error, the candidate is refused. Empty: all are admitted.
  std::function<void(const Candidate&, const plan::PlanAuthor& author)> admit;
  // Tries smaller and smaller buckets of a variant only until two sizes in a row do not make the
  // step shorter. Plans for many hosts take long, and longer with smaller buckets. Candidates that
  // are left out are not ranked.
  bool gives_up_smaller_buckets = false;
  // Called with the plan by which a variant is checked. If it throws Error, the candidate is
  // refused. Empty: all plans are accepted.
  std::function<void(plugin::StrategyPlugin&, const plan::Plan& logical)> accept;
  // Tries a kernel of a candidate's strategy, with the kernel's first CALL. If it throws Error, the
  // candidate is refused. Empty: nothing is tried.
  std::function<void(plugin::StrategyPlugin&, const plan::Operation& call)> try_kernel;
};

// Plans, checks, lowers and predicts every candidate. A candidate gets a reason instead of a
// prediction if its plan is wrong, breaks the claim of its strategy or computes something unwanted.
// Of consecutive candidates that differ only in their buckets, the one with the largest buckets is
// checked for all. It uses all processors and calls `arena`, `predict` and `admit` from several
// threads at once, but `strategy`, `try_kernel` and the strategies from one thread at a time. The
// ranking does not depend on the order of these calls.
Ranking rank_candidates(std::span<const Candidate> candidates, const SelectionProblem& problem);

}  // namespace convoy::select
