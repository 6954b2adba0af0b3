// The texts of a check's report, and the claims that it satisfies.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>

#include "core/base/error.hpp"
#include "core/plan/check/check.hpp"
#include "core/plan/check/report/recurrence_text.hpp"

namespace convoy::plan::check {

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

std::string lost_residuals(const CheckReport& report) {
  if (!report.residuals_end) return "";
  return fmt::format("; what residuals hold when step {} begins is lost", *report.residuals_end);
}

std::string describe_stale(const CheckReport& report) {
  const std::int64_t steps = static_cast<std::int64_t>(report.gradient_lag) + report.parameter_lag;
  if (steps == 0) return "stale at the start only (its first updates have no gradients)";
  return fmt::format("stale by {}{} (gradient lag {}, parameter lag {})",
                     report.uniform ? "" : "up to ", steps, report.gradient_lag,
                     report.parameter_lag);
}

std::string describe(const CheckReport& report, Verdict verdict) {
  switch (verdict) {
    case Verdict::kStale:
      return describe_stale(report);
    case Verdict::kSynchronousEvery:
      return fmt::format("synchronous every {}{} steps", fewest_steps(report.uneven_updates),
                         report.computes_per_update);
    case Verdict::kAppliesPerStep:
      return fmt::format("{} applies per step", report.applies_per_step);
    case Verdict::kAsynchronous:
      if (!report.recurrence.empty()) return fmt::format("asynchronous ({})", report.recurrence);
      return report.in_order ? "asynchronous in a fixed order" : "asynchronous";
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
  if (stages.empty()) return describe(*this, verdict) + lost_residuals(*this);
  std::string text;
  for (const StageReport& stage : stages)
    text += fmt::format(
        "{}{}",
        stage.first_step == 0 ? std::string() : fmt::format(", from step {} on ", stage.first_step),
        stage.report.verdict_text());
  return text;
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
  if (!report.stages.empty())
    return std::all_of(report.stages.begin(), report.stages.end(),
                       [&](const StageReport& stage) { return satisfies(stage.report, claim); });
  bool kept = claim.empty();
  while (!claim.empty()) {
    const std::size_t end = std::min(claim.find('|'), claim.size());
    kept = keeps(report, claim.substr(0, end)) || kept;
    claim.remove_prefix(std::min(end + 1, claim.size()));
  }
  return kept && report.is_proved();
}

}  // namespace convoy::plan::check
