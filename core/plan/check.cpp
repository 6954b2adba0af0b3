#include "core/plan/check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/plan/check/judge.hpp"

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
  for (const std::int64_t end = 2 * run.periods(); run.periods() < end;) run.run_period();
  return settled;
}

}  // namespace

CheckReport check_plan(const Plan& plan) {
  check::SymbolicRun run(plan);
  const bool settled = settle(run);
  return check::Judge(plan, run).judge(settled);
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
  }
  return "unknown";
}

std::string_view finding_name(FindingKind kind) {
  constexpr std::string_view kNames[] = {"missing",       "doubled",       "scaled",  "shifted",
                                         "uninitialised", "never updated", "changed", "foreign",
                                         "state",         "irregular"};
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
      return fmt::format("approximate ({} but for rounding, kernels or averages)",
                         describe(report, report.exact));
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
  if (claim == "approximate") return is != Verdict::kWrong;
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
  bool kept = claim.empty() && report.verdict != Verdict::kWrong;
  while (!claim.empty()) {
    const std::size_t end = std::min(claim.find('|'), claim.size());
    kept = keeps(report, claim.substr(0, end)) || kept;
    claim.remove_prefix(std::min(end + 1, claim.size()));
  }
  return kept;
}

}  // namespace convoy
