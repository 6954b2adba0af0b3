#pragma once

#include <array>
#include <iosfwd>
#include <set>
#include <string>
#include <vector>

#include "core/cli/verbs/check/check_kernels.hpp"
#include "core/cli/verbs/check/proved_cases.hpp"
#include "core/cli/verbs/check/shared_findings.hpp"
#include "core/plan/check/report/counts_by_devices.hpp"
#include "core/plugin/manifest.hpp"

namespace convoy::cli {

// The combined result of the cases of `convoy check STRATEGY`, compared with the strategy's claim.
class StrategyVerdict {
 public:
  // The outcome's reports need not outlive this call.
  void add(const CaseOutcome& outcome);
  // Prints the findings.
  void print_findings(std::ostream& out) const { findings_.print(out); }
  // Prints the last lines. Returns kOk if some plans are proved and none is wrong or open,
  // kUnavailable if only a kernel's form for a device is missing, else kFailed.
  int conclude(const plugin::Manifest& manifest, const KernelChecks& kernel_checks,
               std::ostream& out) const;

 private:
  void conclude_modesty(const plugin::Manifest& manifest, std::ostream& out) const;
  void note_unread(std::ostream& out) const;
  void note_assumptions(std::ostream& out) const;
  std::string why_not_proved(const KernelChecks& kernel_checks) const;

  std::array<int, 4> ends_{};  // indexed by CaseEnd
  SharedFindings findings_;
  std::set<std::string> verdicts_;  // verdicts on plans for several devices
  plan::check::CountsByDevices counts_by_devices_;
  std::vector<std::string> unread_;  // from the first plan that has any
  std::set<std::string> kernels_;    // kernels whose declarations the proofs rely on
  // Kernels among these that must write something else in each step.
  std::set<std::string> renewing_;
  bool updates_by_itself_ = false;  // in any plan
  std::set<std::string> factors_;   // operations with factors of the run
};

}  // namespace convoy::cli
