#include "core/plan/check/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text/counted.hpp"
#include "core/plan/check/findings.hpp"
#include "core/plan/check/fixed_point/fixed_point_judge.hpp"
#include "core/plan/check/layer_order.hpp"
#include "core/plan/check/recurrence/recurrence.hpp"
#include "core/plan/check/report/recurrence_text.hpp"
#include "core/plan/check/simplify/coalescing.hpp"
#include "core/plan/check/simplify/copy_propagation.hpp"
#include "core/plan/check/stages/stage_transition.hpp"
#include "core/plan/check/stale_reads.hpp"
#include "core/plan/check/symmetry/representatives.hpp"
#include "core/plan/stages.hpp"

namespace convoy::plan::check {
namespace {

constexpr std::int64_t kMaximumPeriods = 8;

// Runs until two periods leave the same state, and then as many periods again. So every value that
// a forward reads was made after the fixed point was reached. Returns whether there is a fixed
// point.
bool run_to_fixed_point(SymbolicRun& run) {
  std::uint64_t before = 0;
  bool settled = false;
  while (!settled && run.periods() < kMaximumPeriods) {
    run.run_period();
    const std::uint64_t after = run.state_fingerprint();
    settled = run.periods() > 1 && after == before;
    before = after;
  }
  if (!settled) return false;
  for (const std::int64_t end = 2 * run.periods(); run.periods() < end;) run.run_period();
  return true;
}

std::string what_takes_long(const Plan& plan, const OverBudget& where) {
  constexpr std::size_t kMany = 10'000;
  const std::size_t operations = plan.prologue.size() + plan.body.size();
  if (where.of_neighbours && where.operation != CONVOY_NONE)
    return fmt::format(
        "what {} holds depends on other elements of it from the step before, so that nearly every "
        "element would have to be judged by itself; are its elements shifted by mistake?",
        plan.span_name(operation_of(plan, where.operation).writes.front()));
  return fmt::format("here its budget was spent ({}{})", convoy::counted(operations, "operation"),
                     operations < kMany ? "" : "; larger buckets make fewer");
}

CheckReport over_budget(const Plan& plan, const OverBudget& where) {
  CheckReport report;
  report.verdict = report.exact = Verdict::kUnproved;
  report.replicas = plan.cluster->replicas();
  report.findings.push_back(finding_at(
      plan, FindingKind::kBudget, where.operation, CONVOY_NONE, {0, plan.arena->elements},
      fmt::format("a proof would take too long: {}", what_takes_long(plan, where))));
  return report;
}

// Returns the first finding that explains why updates are not plain means.
std::optional<Finding> first_of_updates(const std::vector<Finding>& findings) {
  const auto tells = [](const Finding& it) {
    return it.operation != CONVOY_NONE &&
           (it.kind == FindingKind::kMissing || it.kind == FindingKind::kDoubled ||
            it.kind == FindingKind::kScaled || it.kind == FindingKind::kForeign);
  };
  const auto found = std::ranges::find_if(findings, tells);
  return found == findings.end() ? std::nullopt : std::optional(*found);
}

// Takes over the recurrence's verdict, if the state does not repeat, or repeats without being a
// mean.
void take_recurrence(const Plan& plan, bool decides, Budget& budget, CheckReport& report) {
  Recurrence found = judge_recurrence(plan, budget);
  // The earlier findings name the operations better.
  if (report.verdict == Verdict::kWrong && found.verdict == Verdict::kWrong) return;
  if (!decides && found.verdict != Verdict::kApproximate && !found.restarts) return;
  const bool repeats =
      decides && report.exact != Verdict::kUnproved && report.exact != Verdict::kWrong;
  report.verdict = found.verdict;
  if (found.verdict == Verdict::kApproximate)
    report.against_stricter = first_of_updates(report.findings);
  report.findings = std::move(found.findings);
  report.kernels = std::move(found.kernels);
  for (const auto& [kernel, by_step] : found.renewed_by)
    if (by_step) report.renewing.push_back(kernel);
  report.factors.assign(found.factors.begin(), found.factors.end());
  report.compressors.clear();
  report.nothing_lost = found.verdict == Verdict::kApproximate && found.nothing_lost;
  if (found.verdict == Verdict::kApproximate) {
    report.recurrence = in_words(found, plan.computes);
    report.counts = found.counts;
    report.least = found.least;
    report.computes_per_update = found.means_over;
    report.uneven_updates = found.uneven_means;
    const bool asynchronous = std::ranges::any_of(plan.body, is_loose);
    // Every worker has its own momentum or residual, which changes no gradient's share. A worker
    // alone has nobody to share with: its updates are those of one among several.
    const bool by_itself = found.by_itself || (plan.cluster->replicas() == 1 && found.least >= 1);
    const bool is_exact = asynchronous && by_itself && !found.loses;
    if (is_exact)
      report.verdict = Verdict::kAsynchronous;
    else if (asynchronous)
      report.recurrence += ", asynchronously";
    if (!repeats) report.exact = asynchronous ? Verdict::kAsynchronous : Verdict::kApproximate;
  } else {
    report.exact = found.verdict;
  }
}

// Ordered from strict to lax.
int laxity(Verdict verdict) {
  constexpr Verdict kOrder[] = {
      Verdict::kSynchronous, Verdict::kAppliesPerStep, Verdict::kSynchronousEvery,
      Verdict::kStale,       Verdict::kIndependent,    Verdict::kAsynchronous,
      Verdict::kApproximate, Verdict::kUnproved,       Verdict::kWrong};
  return static_cast<int>(std::find(std::begin(kOrder), std::end(kOrder), verdict) -
                          std::begin(kOrder));
}

void add_findings(const std::vector<Finding>& findings, CheckReport& report) {
  for (const Finding& finding : findings) {
    report.findings.push_back(finding);
    const Verdict verdict = leaves_open(finding.kind) ? Verdict::kUnproved : Verdict::kWrong;
    if (laxity(verdict) > laxity(report.verdict)) report.verdict = report.exact = verdict;
  }
}

// Returns the report of the whole plan: the verdict of the laxest stage, with the findings and
// assumptions of all stages.
CheckReport combined(std::vector<StageReport> stages) {
  const auto laxest = std::max_element(stages.begin(), stages.end(),
                                       [](const StageReport& a, const StageReport& b) {
                                         return laxity(a.report.verdict) < laxity(b.report.verdict);
                                       });
  CheckReport whole = laxest->report;
  for (auto* list : {&whole.kernels, &whole.renewing, &whole.factors, &whole.compressors})
    list->clear();
  whole.findings.clear();
  const auto join = [](std::vector<std::string>& all, const std::vector<std::string>& more) {
    for (const std::string& it : more)
      if (std::find(all.begin(), all.end(), it) == all.end()) all.push_back(it);
  };
  for (const StageReport& stage : stages) {
    join(whole.kernels, stage.report.kernels);
    join(whole.renewing, stage.report.renewing);
    join(whole.factors, stage.report.factors);
    join(whole.compressors, stage.report.compressors);
    for (Finding finding : stage.report.findings) {
      if (stage.first_step > 0)
        finding.text = fmt::format("from step {} on, {}", stage.first_step, finding.text);
      whole.findings.push_back(std::move(finding));
    }
  }
  whole.nothing_lost =
      whole.nothing_lost && std::ranges::all_of(stages, [](const StageReport& stage) {
        const CheckReport& it = stage.report;
        return !it.residuals_end && (it.verdict != Verdict::kApproximate || it.nothing_lost);
      });
  whole.stages = std::move(stages);
  return whole;
}

// Notes in the report of a stage that its residuals are not carried into the next one.
void note_lost_residuals(std::uint64_t next_step, CheckReport& report) {
  if (report.nothing_lost)
    report.recurrence += fmt::format(" but what residuals hold when step {} begins", next_step);
  else
    report.residuals_end = next_step;
  report.nothing_lost = false;
}

void note_changed_momentum(const std::pair<double, double>& counts, StageReport& stage) {
  stage.report.recurrence += fmt::format(
      ", and those of the last steps before step {} {:.4g} to {:.4g} times, because the momentum "
      "goes on with another weight",
      stage.first_step, counts.first, counts.second);
}

// Judges the transitions between stages. Throws OverBudget. Findings at a transition are meaningful
// only if all stages are proved; residuals that are lost are reported in any case.
void check_transitions(const Plan& plan, bool are_proved, std::vector<StageReport>& stages) {
  Budget budget;
  const std::vector<StageTransition> transitions = judge_transitions(plan, stages, budget);
  for (std::size_t i = 0; i < transitions.size(); ++i) {
    if (are_proved) add_findings(transitions[i].findings, stages[i + 1].report);
    if (transitions[i].changed_counts)
      note_changed_momentum(*transitions[i].changed_counts, stages[i + 1]);
    if (transitions[i].loses) note_lost_residuals(stages[i + 1].first_step, stages[i].report);
  }
}

// Checks each stage separately. Equal stages, as in a schedule that alternates, are proved once.
std::vector<StageReport> check_each_stage(const Plan& plan) {
  std::vector<StageReport> stages;
  std::map<std::uint64_t, std::size_t> proved;  // by hash: the first of the equal stages
  for (std::size_t stage = 0; stage < stage_count(plan); ++stage) {
    const Plan alone = stage_alone(plan, stage);
    const std::uint64_t hash = plan_hash(alone);
    const std::size_t first = proved.try_emplace(hash, stage).first->second;
    stages.push_back({first_step_of(plan, stage),
                      first < stage ? stages[first].report : check_plan(alone), hash});
  }
  return stages;
}

// Checks each stage, and then the transitions between them.
CheckReport check_stages(const Plan& plan) {
  std::vector<StageReport> stages = check_each_stage(plan);
  if (std::ranges::any_of(stages, is_over_budget, &StageReport::report))
    return combined(std::move(stages));
  const bool are_proved =
      std::ranges::all_of(stages, [](const StageReport& it) { return it.report.is_proved(); });
  try {
    check_transitions(plan, are_proved, stages);
  } catch (const OverBudget&) {
    // The operation may belong to any stage, or to several joined ones.
    if (are_proved)
      add_findings(over_budget(stage_of(plan, 0), {CONVOY_NONE}).findings, stages.back().report);
  }
  return combined(std::move(stages));
}

// Checks the plan as it is. Throws OverBudget.
CheckReport check_whole(const Plan& plan) {
  Budget budget;
  SymbolicRun run(plan, budget);
  const bool settled = run_to_fixed_point(run);
  FixedPointJudgement judged = judge_fixed_point(plan, run, settled);
  if (judged.recurrence_may_decide)
    take_recurrence(plan, judged.recurrence_decides, budget, judged.report);
  return std::move(judged.report);
}

// Returns the smallest plan whose proof is a proof of this one; null if that is the plan itself.
std::unique_ptr<ReducedPlan> reduced_plan(const Plan& plan) {
  std::unique_ptr<ReducedPlan> best;
  for (const auto reduce : {propagate_copies, coalesce_operations, keep_representatives}) {
    std::unique_ptr<ReducedPlan> smaller = reduce(best == nullptr ? plan : best->plan);
    if (smaller == nullptr) continue;
    if (best != nullptr)
      for (std::uint32_t& operation : smaller->operations) operation = best->operations[operation];
    best = std::move(smaller);
  }
  return best;
}

// Throws OverBudget with an operation of the whole plan.
CheckReport check_reduced(const Plan& plan) {
  const std::unique_ptr<ReducedPlan> reduced = reduced_plan(plan);
  if (reduced == nullptr) return check_whole(plan);
  try {
    CheckReport report = check_whole(reduced->plan);
    if (report.against_stricter)
      report.against_stricter->operation = reduced->operations[report.against_stricter->operation];
    if (report.is_proved()) return report;
  } catch (OverBudget& where) {
    // The whole plan would take longer.
    if (where.operation < reduced->operations.size())
      where.operation = reduced->operations[where.operation];
    throw;
  }
  // The operations of the whole plan have names that its author knows.
  return check_whole(plan);
}

// A plan that is right in program order must also be right where relaxed reads are stale.
void judge_stale_reads(const Plan& plan, CheckReport& report) {
  const std::optional<StaleReads> stale = with_stale_reads(plan);
  if (!stale) return;
  try {
    if (check_reduced(stale->plan).is_proved()) return;
  } catch (OverBudget& where) {
    where.operation = stale->operation;
    throw;
  }
  add_findings({finding_at(plan, FindingKind::kUnknown, stale->operation, CONVOY_NONE,
                           {0, plan.arena->elements},
                           fmt::format("its relaxed read may see other contents than that of "
                                       "operation {} before it, and it is not known what their "
                                       "difference does to the parameters",
                                       stale->earlier))},
               report);
}

CheckReport judge(const Plan& plan) {
  if (!plan.later.empty()) return check_stages(plan);
  try {
    CheckReport report = check_reduced(plan);
    if (report.is_proved()) judge_stale_reads(plan, report);
    add_findings(find_layers_out_of_order(plan), report);
    return report;
  } catch (const OverBudget& where) {
    return over_budget(plan, where);
  }
}

bool has_apply(const Plan& plan) {
  return std::ranges::any_of(bodies_of(plan), [](const std::vector<Operation>* body) {
    return std::ranges::any_of(
        *body, [](const Operation& operation) { return operation.kind == OperationKind::kApply; });
  });
}

}  // namespace

CheckReport check_plan(const Plan& plan) {
  CheckReport report = judge(plan);
  report.updates_by_itself = !has_apply(plan);
  return report;
}

bool is_over_budget(const CheckReport& report) {
  return std::ranges::any_of(report.findings,
                             [](const Finding& it) { return it.kind == FindingKind::kBudget; });
}

}  // namespace convoy::plan::check
