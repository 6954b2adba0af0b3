#include "core/select/rank_candidates.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/base/error.hpp"
#include "core/plan/check.hpp"
#include "core/plan/fuse_updates.hpp"
#include "core/plan/lower.hpp"
#include "core/plan/make_plan.hpp"

namespace convoy {
namespace {

// Why a plan may not be taken; empty: it may.
std::string objection(const Plan& logical, const Manifest& strategy) {
  const CheckReport report = check_plan(logical);
  if (report.verdict == Verdict::kWrong) {
    return report.findings.empty() ? "its plan is wrong" : report.findings.front().text;
  }
  if (!strategy.claim.empty() && !satisfies(report, strategy.claim)) {
    return fmt::format("claims to be {}, but its plan is {}", strategy.claim,
                       report.verdict_text());
  }
  if (report.verdict == Verdict::kSynchronous) return {};
  return fmt::format("it is {}, which changes what is computed", report.verdict_text());
}

// One candidate after the other; remembers the strategy and its verdict for the next bucket size.
class CandidateRanker {
 public:
  explicit CandidateRanker(const SelectionProblem& problem) : problem_(problem) {}

  RankedCandidate rank(const Candidate& candidate);

 private:
  void load(const Candidate& candidate);
  void predict(RankedCandidate& result);

  const SelectionProblem& problem_;
  Candidate loaded_;
  std::unique_ptr<StrategyPlugin> strategy_;
  std::string refusal_;  // of the loaded strategy, whatever the buckets
  bool checked_ = false;
  std::string objection_;
};

void CandidateRanker::load(const Candidate& candidate) {
  Candidate wanted = candidate;
  wanted.bucket_elements = 0;
  if (wanted == loaded_) return;
  loaded_ = std::move(wanted);
  checked_ = false;
  refusal_.clear();
  strategy_.reset();
  try {
    strategy_ = problem_.strategy(candidate);
  } catch (const Error& error) {
    refusal_ = error.what();
  }
}

void CandidateRanker::predict(RankedCandidate& result) {
  const ArenaMap arena = problem_.arena(result.candidate.bucket_elements);
  const Plan logical = make_plan(result.candidate.strategy, problem_.cluster, arena,
                                 [&](const convoy_planner& planner) { strategy_->plan(planner); });
  if (!std::exchange(checked_, true)) objection_ = objection(logical, strategy_->manifest());
  if (!objection_.empty()) {
    result.state = CandidateState::kExcluded;
    result.reason = objection_;
    return;
  }
  const Plan lowered = lower(problem_.joins_updates ? fuse_updates(logical) : logical);
  Prediction prediction = problem_.predict(lowered);
  if (!prediction.does_not_fit.empty()) {
    result.state = CandidateState::kTooLarge;
    result.reason = std::move(prediction.does_not_fit);
    return;
  }
  result.state = CandidateState::kPredicted;
  result.step_seconds = prediction.step_seconds;
  result.bottleneck = std::move(prediction.bottleneck);
}

RankedCandidate CandidateRanker::rank(const Candidate& candidate) {
  RankedCandidate result;
  result.candidate = candidate;
  load(candidate);
  if (!refusal_.empty()) {
    result.reason = refusal_;
    return result;
  }
  try {
    predict(result);
  } catch (const Error& error) {
    // The same for other buckets, or nearly always; trying again costs little.
    result.state = CandidateState::kRefused;
    result.reason = error.what();
  }
  return result;
}

}  // namespace

Ranking rank_candidates(std::span<const Candidate> candidates, const SelectionProblem& problem) {
  CandidateRanker ranker(problem);
  std::vector<RankedCandidate> results;
  results.reserve(candidates.size());
  for (const Candidate& candidate : candidates) results.push_back(ranker.rank(candidate));
  return ranked(std::move(results));
}

}  // namespace convoy
