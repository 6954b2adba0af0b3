#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "core/plan/arena_map.hpp"
#include "core/plan/plan.hpp"
#include "core/plugin/strategy_plugin.hpp"
#include "core/select/ranking.hpp"

namespace convoy {

// What a simulation says of a lowered plan.
struct Prediction {
  double step_seconds = 0;
  std::string bottleneck;
  std::string does_not_fit;  // not empty: what is needed where and what there is; no time then
};

// What candidates are planned for and predicted with.
struct SelectionProblem {
  Cluster cluster;
  // The devices join sums and updates (CONVOY_DEVICE_JOINS_UPDATES), as a run's plans then do.
  bool joins_updates = false;
  std::function<ArenaMap(std::uint64_t bucket_elements)> arena;
  // May throw Error: the candidate is refused then.
  std::function<std::unique_ptr<StrategyPlugin>(const Candidate&)> strategy;
  std::function<Prediction(const Plan& lowered)> predict;
};

// Plans, checks, lowers and predicts every candidate. Candidates whose plans are wrong, break their
// strategy's claim or are not synchronous have no prediction but a reason. Consecutive candidates
// that differ in their buckets alone are checked once.
Ranking rank_candidates(std::span<const Candidate> candidates, const SelectionProblem& problem);

}  // namespace convoy
