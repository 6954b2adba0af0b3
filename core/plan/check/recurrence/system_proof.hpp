#pragma once

#include <string>
#include <vector>

#include "core/plan/check/recurrence/period_updates.hpp"
#include "core/plan/check/recurrence/system_report.hpp"

namespace convoy::plan::check {

// What all judgements of one linear system share: the system, and the report to which they add.
class SystemProof {
 public:
  // `gradients` are the columns of B.
  SystemProof(const Plan& plan, const LinearSystem& system,
              const std::vector<GradientKey>& gradients, const PeriodUpdates& updates,
              const ValueTable& values, SystemReport& report)
      : plan_(plan),
        system_(system),
        gradients_(gradients),
        updates_(updates),
        values_(values),
        report_(report) {}

 protected:
  void add_finding(FindingKind kind, const PeriodRead& read, std::uint32_t replica,
                   const std::string& what) const {
    report_.findings.push_back({kind, writer_of(read), replica, read.range, what});
  }
  // Returns the operation that wrote the parameters on which the read depends most directly.
  std::uint32_t writer_of(const PeriodRead& read) const {
    for (const Addend& it : read.states)
      if (system_.states[it.index].operation != CONVOY_NONE)
        return system_.states[it.index].operation;
    return read.operation;
  }

  const Plan& plan_;
  const LinearSystem& system_;
  const std::vector<GradientKey>& gradients_;
  const PeriodUpdates& updates_;
  const ValueTable& values_;
  SystemReport& report_;
};

}  // namespace convoy::plan::check
