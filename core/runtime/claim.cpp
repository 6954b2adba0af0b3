#include "core/runtime/claim.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "core/base/error.hpp"
#include "core/plan/check/report/explain.hpp"
#include "core/plan/stages.hpp"
#include "core/runtime/prepared_plan.hpp"

namespace convoy::runtime {
namespace {

void require_kernels(const plan::Plan& plan, plugin::StrategyPlugin& strategy) {
  for (const plan::Operation* call : plan::called_kernels(plan))
    if (!host_kernel_of(strategy, call->details->kernel))
      fail(ExitCode::kFailed,
           "call (operation {}) on {} names kernel '{}', of which strategy {} has no host "
           "function: let host_kernel() or kernel() return one, or correct the name",
           call->id, plan.span_name(call->writes.front()), call->details->kernel,
           strategy.manifest().name);
}

void require_needs(const plan::Plan& plan, const plugin::Manifest& strategy) {
  if (strategy.needs.empty()) return;
  std::set<std::string_view> missing;
  for (const auto* section : plan::sections_of(plan))
    for (const plan::Operation& operation : *section) {
      const std::string_view name = plan::operation_name(operation.kind);
      if (std::find(strategy.needs.begin(), strategy.needs.end(), name) == strategy.needs.end())
        missing.insert(name);
    }
  if (!missing.empty())
    fail(ExitCode::kFailed,
         "the plan of strategy {} has operations that its manifest does not name: add {} to needs=",
         strategy.name, fmt::join(missing, ","));
}

}  // namespace

void require_claim(const plugin::Manifest& strategy, const plan::Plan& plan,
                   const plan::check::CheckReport& report) {
  if (report.verdict == plan::check::Verdict::kUnproved) return;
  if (report.verdict == plan::check::Verdict::kWrong && !report.findings.empty())
    fail(ExitCode::kFailed,
         "the plan of strategy {} is wrong: {} (convoy check {}, or check with the path of its "
         "file, "
         "shows all of it)",
         strategy.name, report.findings.front().text, strategy.name);
  if (strategy.claim.empty() || plan::check::satisfies(report, strategy.claim)) return;
  fail(ExitCode::kFailed,
       "strategy {} claims to be {}, but its plan is {}: {}; convoy check {} shows why",
       strategy.name, strategy.claim, report.verdict_text(),
       plan::check::explain_verdict(plan, report), strategy.name);
}

std::string unproved_notice(const plugin::Manifest& strategy,
                            const plan::check::CheckReport& report) {
  if (report.verdict != plan::check::Verdict::kUnproved) return "";
  return fmt::format(
      "it is not proved that strategy {} computes what it claims{}", strategy.name,
      report.findings.empty() ? "" : fmt::format(": {}", report.findings.front().text));
}

void require_manifest(const plan::Plan& plan, plugin::StrategyPlugin& strategy) {
  require_kernels(plan, strategy);
  require_needs(plan, strategy.manifest());
}

}  // namespace convoy::runtime
