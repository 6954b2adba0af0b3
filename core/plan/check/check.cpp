#include "core/plan/check/check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/plan/check/judge.hpp"
#include "core/plan/check/recurrence.hpp"

namespace convoy {
namespace {

constexpr std::int64_t kMaximumPeriods = 8;

// Until two periods leave the same state, then as long again: what a forward reads then was made
// when the run already repeated itself.
bool settle(check::SymbolicRun& run) {
  std::uint64_t before = 0;
  bool settled = false;
  while (!settled && run.periods() < kMaximumPeriods) {
    run.run_period();
    const std::uint64_t after = run.relative_state();
    settled = run.periods() > 1 && after == before;
    before = after;
  }
  if (!settled) return false;
  for (const std::int64_t end = 2 * run.periods(); run.periods() < end;) run.run_period();
  return true;
}

CheckReport over_budget(const Plan& plan, const check::OverBudget& where) {
  const ElementRange arena{0, plan.arena->elements};
  CheckReport report;
  report.verdict = report.exact = Verdict::kUnproved;
  report.replicas = plan.cluster->replicas();
  report.findings.push_back(
      {FindingKind::kBudget, where.operation, CONVOY_NONE, arena,
       check::describe_operation(
           plan, where.operation, arena,
           fmt::format("a proof would take too long: here its budget was spent ({} operations; "
                       "larger buckets make fewer)",
                       plan.prologue.size() + plan.body.size()))});
  return report;
}

std::string in_words(const check::Recurrence& it, std::uint64_t computes) {
  std::string text = "every gradient counts once in the end, nothing is lost";
  if (!it.nothing_lost)
    text = "every gradient counts once in the end, but what is rounded or compressed is lost";
  const std::string counts = it.counts - it.least > 1e-9 * it.counts
                                 ? fmt::format("{:.4g} to {:.4g}", it.least, it.counts)
                                 : fmt::format("{:.4g}", it.counts);
  if (!it.counts_once)
    text = fmt::format("every gradient counts {} times in the end, all replicas alike", counts);
  if (it.by_rate)
    text = fmt::format(
        "every gradient counts {} times in the end, all replicas alike, but "
        "where an apply is given differences of parameters, times its learning rate",
        counts);
  if (!it.counts_once && it.loses) text += ", but what is rounded or compressed is lost";
  if (it.means_over > 1) text += fmt::format(", in means over {} steps", it.means_over);
  if (it.delay > 0) text += fmt::format(", first after {} steps", (it.delay + 1) * computes);
  return text;
}

// What the recurrence says, where the state does not repeat or repeats what is not a mean.
void take_recurrence(const Plan& plan, const check::Judge& judge, check::Budget& budget,
                     CheckReport& report) {
  check::Recurrence found = check::judge_recurrence(plan, budget);
  // What was found before names the operations better.
  if (report.verdict == Verdict::kWrong && found.verdict == Verdict::kWrong) return;
  if (!judge.recurrence_decides() && found.verdict != Verdict::kApproximate) return;
  const bool repeats = judge.recurrence_decides() && report.exact != Verdict::kUnproved &&
                       report.exact != Verdict::kWrong;
  report.verdict = found.verdict;
  report.findings = std::move(found.findings);
  report.kernels = std::move(found.kernels);
  report.factors.clear();
  report.compressors.clear();
  report.nothing_lost = found.verdict == Verdict::kApproximate && found.nothing_lost;
  if (found.verdict == Verdict::kApproximate) {
    report.recurrence = in_words(found, plan.computes);
    report.computes_per_update = found.means_over;
    if (judge.asynchronous_by_request()) report.recurrence += ", asynchronously";
    if (!repeats)
      report.exact =
          judge.asynchronous_by_request() ? Verdict::kAsynchronous : Verdict::kApproximate;
  } else {
    report.exact = found.verdict;
  }
}

}  // namespace

CheckReport check_plan(const Plan& plan) {
  try {
    check::Budget budget;
    check::SymbolicRun run(plan, budget);
    const bool settled = settle(run);
    check::Judge judge(plan, run);
    CheckReport report = judge.judge(settled);
    if (judge.recurrence_may_decide()) take_recurrence(plan, judge, budget, report);
    return report;
  } catch (const check::OverBudget& where) {
    return over_budget(plan, where);
  }
}

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kSynchronous:
      return "synchronous";
    case Verdict::kStale:
      return "stale";
    case Verdict::kSynchronousEvery:
      return "accumulating";
    case Verdict::kAppliesPerStep:
      return "sequential";
    case Verdict::kIndependent:
      return "independent";
    case Verdict::kAsynchronous:
      return "asynchronous";
    case Verdict::kApproximate:
      return "approximate";
    case Verdict::kWrong:
      return "wrong";
    case Verdict::kUnproved:
      return "unproved";
  }
  return "unknown";
}

std::string_view finding_name(FindingKind kind) {
  constexpr std::string_view kNames[] = {
      "missing", "doubled", "scaled",    "shifted",  "uninitialised", "never updated", "changed",
      "foreign", "state",   "irregular", "unstable", "undeclared",    "unknown",       "budget"};
  return kNames[static_cast<std::size_t>(kind)];
}

namespace {

std::string describe(const CheckReport& report, Verdict verdict) {
  switch (verdict) {
    case Verdict::kStale:
      return fmt::format("stale by {} (gradient lag {}, parameter lag {})",
                         static_cast<std::int64_t>(report.gradient_lag) + report.parameter_lag,
                         report.gradient_lag, report.parameter_lag);
    case Verdict::kSynchronousEvery:
      return fmt::format("synchronous every {} steps", report.computes_per_update);
    case Verdict::kAppliesPerStep:
      return fmt::format("{} applies per step", report.applies_per_step);
    case Verdict::kApproximate:
      if (!report.recurrence.empty()) return fmt::format("approximate ({})", report.recurrence);
      return fmt::format(
          "approximate ({} but for rounding, kernels or averages{})",
          describe(report, report.exact),
          report.compressors.empty()
              ? ""
              : fmt::format("; what {} leaves out is lost", fmt::join(report.compressors, ", ")));
    default:
      return std::string(verdict_name(verdict));
  }
}

}  // namespace

std::string CheckReport::verdict_text() const {
  return describe(*this, verdict);
}

namespace {

bool keeps(const CheckReport& report, std::string_view claim) {
  const Verdict is = report.verdict;
  const auto one_of = [&](std::initializer_list<Verdict> allowed) {
    return is == Verdict::kSynchronous ||
           std::find(allowed.begin(), allowed.end(), is) != allowed.end();
  };
  const bool apart = report.exact == Verdict::kIndependent && report.replicas > 1;
  if (claim == "approximate") return !apart;
  if (claim == "synchronous") return one_of({});
  if (claim == "stale") return one_of({Verdict::kStale});
  if (claim == "accumulating") return one_of({Verdict::kSynchronousEvery});
  if (claim == "sequential") return one_of({Verdict::kAppliesPerStep});
  if (claims_to_share_nothing(claim))
    return is == Verdict::kIndependent || (is == Verdict::kSynchronous && report.replicas == 1);
  if (claim == "asynchronous")
    return one_of({Verdict::kStale, Verdict::kSynchronousEvery, Verdict::kAppliesPerStep,
                   Verdict::kAsynchronous});
  fail(ExitCode::kFailed,
       "claim \"{}\" is not known; a strategy may claim synchronous, stale, accumulating, "
       "sequential, independent, asynchronous or approximate, or several with | between them",
       claim);
}

}  // namespace

bool claims_to_share_nothing(std::string_view claim) {
  return claim == "independent";
}

bool satisfies(const CheckReport& report, std::string_view claim) {
  const bool sound = report.verdict != Verdict::kWrong && report.verdict != Verdict::kUnproved;
  bool kept = claim.empty();
  while (!claim.empty()) {
    const std::size_t end = std::min(claim.find('|'), claim.size());
    kept = keeps(report, claim.substr(0, end)) || kept;
    claim.remove_prefix(std::min(end + 1, claim.size()));
  }
  return kept && sound;
}

}  // namespace convoy
