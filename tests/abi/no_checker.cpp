// The later host proves nothing, and its sessions accept unproved plans. The checker sees no struct
// of the ABI, and is more than half of what core/plan has to compile.
#include "core/plan/check/check.hpp"
#include "core/plan/check/report/explain.hpp"

namespace convoy::plan::check {

CheckReport check_plan(const Plan& plan) {
  CheckReport report;
  report.verdict = report.exact = Verdict::kUnproved;
  report.replicas = plan.cluster->replicas();
  return report;
}

std::string explain_verdict(const Plan&, const CheckReport&) {
  return "nothing was proved";
}

}  // namespace convoy::plan::check
