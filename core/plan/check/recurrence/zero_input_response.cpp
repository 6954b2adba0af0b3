#include "core/plan/check/recurrence/zero_input_response.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/plan/check/recurrence/impulse_response.hpp"
#include "core/plan/check/recurrence/opaque_effects.hpp"

namespace convoy::check {
namespace {

constexpr int kSettlingPeriods = 8;

bool depends_on(const LinearRow& row, const std::vector<bool>& states) {
  return std::ranges::any_of(row, [&](const Addend& it) { return states[it.index]; });
}

// The states that hold something of values that only the run knows, one period later.
std::vector<bool> reached_next(const PeriodClass& elements, const std::vector<bool>& reached) {
  std::vector<bool> next;
  for (std::size_t i = 0; i < elements.states.size(); ++i)
    next.push_back(!elements.opaque[i].empty() || depends_on(elements.step[i], reached));
  return next;
}

void report_scaled(const Plan& plan, const PeriodClass& elements, const PeriodRead& read,
                   const std::vector<Weight>& held, ClassReport& report) {
  std::string cause;
  const double times_first = times(read.states, held).value;
  // Memory without parameters makes them less, not more.
  for (std::size_t i = 0; i < elements.states.size() && cause.empty() && times_first < 1; ++i)
    if (elements.start[i].is_zero() &&
        plan.buffers[elements.states[i].buffer].kind == CONVOY_BUFFER_PERSISTENT)
      cause = fmt::format("; {} starts at zero: should the prologue copy parameters there?",
                          plan.buffer_name(elements.states[i].buffer));
  add_finding(report, elements, FindingKind::kScaled, read, read.replica,
              fmt::format("without any gradient the parameters that replica {} reads would be "
                          "multiplied by {:.6g}{}",
                          read.replica, times_first, cause));
}

}  // namespace

void require_constant_start(const Plan& plan, const PeriodClass& elements, const ValueTable& values,
                            ClassReport& report) {
  std::vector<Weight> held = elements.start;
  std::vector<bool> reached(elements.states.size(), false);
  const PeriodRead* open = nullptr;
  for (int period = 0; period < kSettlingPeriods; ++period) {
    for (const PeriodRead& read : elements.reads) {
      if (times(read.states, held).field == 1) continue;
      if (!depends_on(read.states, reached))
        return report_scaled(plan, elements, read, held, report);
      if (open == nullptr) open = &read;
    }
    std::vector<Weight> next = next_period(elements, held);
    reached = reached_next(elements, reached);
    const bool settled = std::ranges::equal(next, held, {}, &Weight::field, &Weight::field);
    held = std::move(next);
    if (settled && open == nullptr) return;
    if (settled) break;
  }
  if (open != nullptr)
    return add_finding(
        report, elements, FindingKind::kUndeclared, *open, open->replica,
        fmt::format("whether parameters stay the same without gradients is not known: {}",
                    unknown_effect(plan, values, elements.opaque_atoms)));
  const PeriodRead& any = elements.reads.front();
  add_finding(report, elements, FindingKind::kUnknown, any, any.replica,
              fmt::format("what it is made of has not settled after {} steps without gradients",
                          kSettlingPeriods));
}

}  // namespace convoy::check
