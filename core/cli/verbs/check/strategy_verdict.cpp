#include "core/cli/verbs/check/strategy_verdict.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ostream>

#include "core/base/error.hpp"
#include "core/base/text/counted.hpp"

namespace convoy::cli {

void StrategyVerdict::add(const CaseOutcome& outcome) {
  ++ends_[static_cast<std::size_t>(outcome.end)];
  if (outcome.findings != nullptr) findings_.add(outcome.plan, *outcome.findings);
  if (outcome.report == nullptr) return;
  const plan::check::CheckReport& report = *outcome.report;
  counts_by_devices_.add(report);
  if (unread_.empty()) unread_ = outcome.unread;
  if (report.replicas > 1) verdicts_.insert(std::string(plan::check::verdict_name(report.verdict)));
  kernels_.insert(report.kernels.begin(), report.kernels.end());
  updates_by_itself_ = updates_by_itself_ || report.updates_by_itself;
  renewing_.insert(report.renewing.begin(), report.renewing.end());
  factors_.insert(report.factors.begin(), report.factors.end());
}

// Reports a claim that is weaker than the proof, because it excludes the strategy from stricter
// uses.
void StrategyVerdict::conclude_modesty(const plugin::Manifest& manifest, std::ostream& out) const {
  const std::string& claim = manifest.claim;
  if (verdicts_.size() != 1 || claim == *verdicts_.begin()) return;
  if (claim.find('|') != std::string::npos) return;  // the claim depends on options
  out << fmt::format(
      "{} is {} in all these plans for several devices: claim={} says so, and {}\n", manifest.name,
      *verdicts_.begin(), *verdicts_.begin(),
      claim.empty() ? "now nothing is claimed" : fmt::format("claim={} says less", claim));
}

void StrategyVerdict::note_unread(std::ostream& out) const {
  if (unread_.empty()) return;
  const std::string others =
      unread_.size() == 1 ? "" : fmt::format(", and {} more like it,", unread_.size() - 1);
  out << fmt::format("no later step reads what {}{} holds: nothing is kept there\n",
                     unread_.front(), others);
}

void StrategyVerdict::note_assumptions(std::ostream& out) const {
  if (updates_by_itself_)
    out << "given that it is meant to update parameters by arithmetic of its own: its plans have "
           "no apply, so learning rate, weight decay and clipping have no effect\n";
  if (!kernels_.empty())
    out << fmt::format("given that kernel {} does what its calls say of it (CallOptions)\n",
                       fmt::join(kernels_, ", "));
  if (!factors_.empty())
    out << fmt::format("given that gradients are meant to be multiplied by what {} computes\n",
                       fmt::join(factors_, ", "));
}

// Returns why the strategy is not proved although no single plan is wrong or open.
std::string StrategyVerdict::why_not_proved(const KernelChecks& kernel_checks) const {
  std::string text;
  for (const std::string& doubt :
       {counts_by_devices_.doubt(), kernel_checks.untried(), kernel_checks.unrenewed(renewing_)})
    if (!doubt.empty()) text += (text.empty() ? "" : "; ") + doubt;
  return text;
}

int StrategyVerdict::conclude(const plugin::Manifest& manifest, const KernelChecks& kernel_checks,
                              std::ostream& out) const {
  const auto [kept, broken, refused, unproved] = ends_;
  const std::string& claim = manifest.claim;
  const std::string claims =
      claim.empty() ? "claims nothing" : fmt::format("claims to be {}", claim);
  const std::string doubt = why_not_proved(kernel_checks);
  out << fmt::format("{} {}: ", manifest.name, claims);
  if (kept + broken + unproved == 0)
    out << "it refuses all of these plans, so nothing is proved\n";
  else if (broken + unproved == 0 && !doubt.empty())
    out << fmt::format("unproved; {}\n", doubt);
  else if (broken == 0 && unproved > 0)
    out << fmt::format("unproved in {} of {}; it runs when it is asked for by name\n", unproved,
                       counted(kept + unproved, "plan"));
  else if (broken == 0)
    out << fmt::format("{} in {}{}\n", claim.empty() ? "nothing wrong" : "proved",
                       counted(kept, "plan"),
                       refused == 0 ? "" : fmt::format(", {} refused", refused));
  else
    out << fmt::format("not so in {} of {}\n", broken, counted(kept + broken + unproved, "plan"));
  note_unread(out);
  if (broken + unproved > 0 || kept == 0 || !doubt.empty())
    return static_cast<int>(ExitCode::kFailed);
  note_assumptions(out);
  conclude_modesty(manifest, out);
  return static_cast<int>(kernel_checks.found_missing_form() ? ExitCode::kUnavailable
                                                             : ExitCode::kOk);
}

}  // namespace convoy::cli
