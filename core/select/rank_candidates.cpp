#include "core/select/rank_candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/process/in_parallel.hpp"
#include "core/plan/stages.hpp"

namespace convoy::select {
namespace {

// Returns why a plan must not be chosen; empty: it may be chosen.
std::string objection(const plan::check::CheckReport& report, const plugin::Manifest& strategy,
                      bool allows_inexact) {
  if (report.verdict == plan::check::Verdict::kWrong) {
    return report.findings.empty() ? "its plan is wrong" : report.findings.front().text;
  }
  if (report.verdict == plan::check::Verdict::kUnproved)
    return fmt::format("nothing is proved of it{}",
                       report.findings.empty() ? "" : ": " + report.findings.front().text);
  if (!strategy.claim.empty() && !plan::check::satisfies(report, strategy.claim)) {
    return fmt::format("claims to be {}, but its plan is {}", strategy.claim,
                       report.verdict_text());
  }
  if (report.exact == plan::check::Verdict::kIndependent)
    return "it is independent: devices train apart from each other";
  if (report.verdict == plan::check::Verdict::kSynchronous || allows_inexact) return {};
  return fmt::format("it is {}, which changes what is computed (--auto_inexact allows that)",
                     report.verdict_text());
}

// A strategy with its options, and the report on its first plan, which holds for all bucket sizes.
struct Variant {
  // The candidate with the largest buckets, because its proof is the shortest.
  std::size_t first = 0;
  std::unique_ptr<plugin::StrategyPlugin> strategy;
  std::string refusal;
  std::optional<plan::check::CheckReport> report;
  std::string objection;
  std::vector<std::size_t> rest = {};  // its other candidates, in descending order of their buckets
};

// A step must be at least so much shorter than the fastest one of the same variant to count as
// better. After so many in a row that are not better, even smaller buckets are not tried.
constexpr double kShorter = 0.999;
constexpr int kNoneBetter = 2;

// Loads every variant and checks it with one of its candidates first. Then the other candidates
// follow.
class Ranker {
 public:
  Ranker(std::span<const Candidate> candidates, const SelectionProblem& problem)
      : problem_(problem), results_(candidates.size()) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      results_[i].candidate = candidates[i];
      if (i == 0 || !same_variant(candidates[i - 1], candidates[i])) {
        variants_.emplace_back().first = i;
      } else {
        std::size_t& first = variants_.back().first;
        const bool larger = candidates[i].bucket_elements > candidates[first].bucket_elements;
        variants_.back().rest.push_back(larger ? std::exchange(first, i) : i);
      }
      variant_of_.push_back(variants_.size() - 1);
    }
    for (Variant& variant : variants_)
      std::ranges::sort(variant.rest, std::greater{},
                        [&](std::size_t i) { return candidates[i].bucket_elements; });
  }

  Ranking run() {
    in_parallel(variants_.size(), [this](std::size_t i) { begin(variants_[i]); });
    if (problem_.gives_up_smaller_buckets) {
      in_parallel(variants_.size(), [this](std::size_t i) { rank_while_better(variants_[i]); });
      return ranked(only_judged());
    }
    std::vector<std::size_t> rest;
    for (const Variant& variant : variants_)
      rest.insert(rest.end(), variant.rest.begin(), variant.rest.end());
    in_parallel(rest.size(), [&](std::size_t i) { rank(rest[i]); });
    return ranked(std::move(results_));
  }

 private:
  void begin(Variant& variant) {
    try {
      const std::lock_guard lock(plugins_);
      variant.strategy = problem_.strategy(results_[variant.first].candidate);
    } catch (const Error& error) {
      variant.refusal = error.what();
    }
    rank(variant.first);
  }

  void rank(std::size_t index) {
    RankedCandidate& result = results_[index];
    Variant& variant = variants_[variant_of_[index]];
    if (!variant.refusal.empty()) {
      result.reason = variant.refusal;
      return;
    }
    try {
      predict(variant, result);
    } catch (const Error& error) {
      result.state = CandidateState::kRefused;
      result.reason = error.what();
      // If the strategy refuses these buckets, it refuses others as well.
      if (!variant.report) variant.refusal = result.reason;
    }
  }

  void rank_while_better(Variant& variant) {
    double best = results_[variant.first].step_seconds;
    int not_better = 0;
    for (std::size_t i = 0; i < variant.rest.size(); ++i) {
      rank(variant.rest[i]);
      const RankedCandidate& it = results_[variant.rest[i]];
      if (it.state != CandidateState::kPredicted) continue;
      const bool better = best == 0 || it.step_seconds < kShorter * best;
      not_better = better ? 0 : not_better + 1;
      if (best == 0 || it.step_seconds < best) best = it.step_seconds;
      if (not_better == kNoneBetter) return variant.rest.resize(i + 1);
    }
  }

  std::vector<RankedCandidate> only_judged() {
    std::vector<std::size_t> judged;
    for (const Variant& variant : variants_) {
      judged.push_back(variant.first);
      judged.insert(judged.end(), variant.rest.begin(), variant.rest.end());
    }
    std::ranges::sort(judged);  // in the order in which they were given
    std::vector<RankedCandidate> results;
    results.reserve(judged.size());
    for (const std::size_t i : judged) results.push_back(std::move(results_[i]));
    return results;
  }

  // Plug-ins need not be thread-safe.
  plan::PlanAuthor author(Variant& variant, const Candidate& candidate) {
    return {candidate.strategy, [&](const convoy_planner& planner) {
              const std::lock_guard lock(plugins_);
              variant.strategy->plan(planner);
            }};
  }

  void predict(Variant& variant, RankedCandidate& result) {
    if (!variant.objection.empty()) return exclude(variant, result);
    const plan::PlanAuthor strategy = author(variant, result.candidate);
    if (problem_.admit) problem_.admit(result.candidate, strategy);
    // The first plan of a variant is written twice and must be the same both times.
    plan::StepPlan plan(problem_.cluster, problem_.arena(result.candidate.bucket_elements),
                        strategy, {.guard = problem_.guard, .written_twice = !variant.report});
    if (variant.report) {
      plan.take_check(*variant.report);
    } else {
      require_accepted(variant, plan.logical());
      variant.report = plan.check();
      variant.objection =
          objection(*variant.report, variant.strategy->manifest(), problem_.allows_inexact);
      if (!variant.objection.empty()) return exclude(variant, result);
    }
    result.plan_hash = plan.hash();
    result.claims_approximate = variant.strategy->manifest().claim == "approximate";
    note(problem_.predict(plan.lowered()), result);
  }

  void require_accepted(Variant& variant, const plan::Plan& plan) {
    const std::lock_guard lock(plugins_);
    if (problem_.accept) problem_.accept(*variant.strategy, plan);
    for (const plan::Operation* call : plan::called_kernels(plan)) {
      plugin::require_form(*variant.strategy, call->details->kernel, problem_.kernel_forms);
      if (problem_.try_kernel) problem_.try_kernel(*variant.strategy, *call);
    }
  }

  static void exclude(const Variant& variant, RankedCandidate& result) {
    result.state = CandidateState::kExcluded;
    result.reason = variant.objection;
  }

  static void note(simulate::Prediction prediction, RankedCandidate& result) {
    if (!prediction.step) {
      result.state = CandidateState::kTooLarge;
      result.reason = "it does not fit: " + prediction.problem;
      return;
    }
    result.state = CandidateState::kPredicted;
    result.step_seconds = prediction.step->step_seconds;
    result.bottleneck = std::move(prediction.step->bottleneck);
  }

  const SelectionProblem& problem_;
  std::vector<RankedCandidate> results_;
  std::vector<Variant> variants_;
  std::vector<std::size_t> variant_of_;  // by candidate
  std::mutex plugins_;
};

}  // namespace

Ranking rank_candidates(std::span<const Candidate> candidates, const SelectionProblem& problem) {
  return Ranker(candidates, problem).run();
}

}  // namespace convoy::select
