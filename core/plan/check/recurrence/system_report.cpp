#include "core/plan/check/recurrence/system_report.hpp"

namespace convoy::check {

std::uint32_t writer_of(const LinearSystem& system, const PeriodRead& read) {
  for (const Addend& it : read.states)
    if (system.states[it.index].operation != CONVOY_NONE) return system.states[it.index].operation;
  return read.operation;
}

void add_finding(SystemReport& report, const LinearSystem& system, FindingKind kind,
                 const PeriodRead& read, std::uint32_t replica, const std::string& what) {
  report.findings.push_back({kind, writer_of(system, read), replica, read.range, what});
}

}  // namespace convoy::check
