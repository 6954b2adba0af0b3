#include "core/plan/check/recurrence/system_report.hpp"

namespace convoy::check {

std::uint32_t writer_of(const PeriodClass& elements, const PeriodRead& read) {
  for (const Addend& it : read.states)
    if (elements.states[it.index].operation != CONVOY_NONE)
      return elements.states[it.index].operation;
  return read.operation;
}

void add_finding(ClassReport& report, const PeriodClass& elements, FindingKind kind,
                 const PeriodRead& read, std::uint32_t replica, const std::string& what) {
  report.findings.push_back({kind, writer_of(elements, read), replica, read.range, what});
}

}  // namespace convoy::check
