#include "core/plan/check/stages/stage_transition.hpp"

#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "core/plan/check/stages/stage_entry.hpp"
#include "core/plan/check/symbolic/symbolic_run.hpp"
#include "core/plan/stages.hpp"

namespace convoy::plan::check {
namespace {

// The number of periods to run instead of all periods of a stage.
std::uint64_t periods_to_run(std::uint64_t periods) {
  constexpr std::uint64_t kAtLeast = 3;
  constexpr std::uint64_t kCycle = 12;
  return periods < kAtLeast + kCycle ? periods : kAtLeast + (periods - kAtLeast) % kCycle;
}

// Runs through the stages. If a stage begins as it was proved, the run starts afresh. So it does
// not keep the gradients of many stages, and equal transitions are judged once. It also starts
// afresh after a transition that is not proved, because nothing after it is proved.
class TransitionJudge {
 public:
  TransitionJudge(const Plan& plan, const std::vector<StageReport>& reports, Budget& budget)
      : plan_(plan), reports_(reports), budget_(budget) {}

  std::vector<StageTransition> judge() {
    std::vector<StageTransition> transitions;
    for (std::size_t stage = 1; stage < stage_count(plan_); ++stage) {
      const std::uint64_t periods = periods_before(stage);
      const TransitionKey key{reports_[stage - 1].hash, reports_[stage].hash, periods};
      const auto known = known_.find(key);
      if (run_ == nullptr && known != known_.end()) {
        transitions.push_back(known->second);
        continue;
      }
      const bool from_beginning = run_ == nullptr;
      transitions.push_back(pass(stage, periods));
      if (from_beginning && run_ == nullptr && transitions.back().findings.empty())
        known_.emplace(key, transitions.back());
    }
    return transitions;
  }

 private:
  using TransitionKey = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;  // hashes, periods

  std::uint64_t periods_before(std::size_t stage) const {
    const std::uint64_t steps = first_step_of(plan_, stage) - first_step_of(plan_, stage - 1);
    return periods_to_run(steps / computes_of(plan_, stage - 1));
  }

  StageTransition pass(std::size_t stage, std::uint64_t periods) {
    if (run_ == nullptr) {
      now_ = stage_alone(plan_, stage - 1);
      run_ = std::make_unique<SymbolicRun>(now_, budget_, Start::kLinear);
      before_ = {};
      before_.add_stage(now_.computes, reports_[stage - 1].report);
    }
    for (std::uint64_t i = 0; i < periods; ++i) run_->run_period();
    before_.add_means(run_->computes(0), reports_[stage - 1].report);
    now_ = stage_of(plan_, stage);
    before_.add_stage(now_.computes, reports_[stage].report);
    before_.errors = errors_in_reach(now_, *run_);
    run_->run_prologue();
    StageEntry entry = judge_entry(plan_, stage, *run_, before_, budget_);
    if (!entry.transition.findings.empty() || entry.is_new_start) run_.reset();
    return std::move(entry.transition);
  }

  const Plan& plan_;
  const std::vector<StageReport>& reports_;
  Budget& budget_;
  std::map<TransitionKey, StageTransition> known_;
  Plan now_;  // the plan that the run goes through now
  std::unique_ptr<SymbolicRun> run_;
  EarlierStages before_;
};

}  // namespace

Plan stage_alone(const Plan& plan, std::size_t stage) {
  Plan alone = stage_of(plan, stage);
  if (stage == 0) return alone;
  alone.prologue.insert(alone.prologue.begin(), plan.prologue.begin(), plan.prologue.end());
  // Lowering numbers each stage from 0.
  number_operations(alone);
  return alone;
}

std::vector<StageTransition> judge_transitions(const Plan& plan,
                                               const std::vector<StageReport>& reports,
                                               Budget& budget) {
  return TransitionJudge(plan, reports, budget).judge();
}

}  // namespace convoy::plan::check
