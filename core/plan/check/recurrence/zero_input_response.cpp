#include "core/plan/check/recurrence/zero_input_response.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/plan/check/recurrence/impulse_response.hpp"
#include "core/plan/check/recurrence/opaque_effects.hpp"

namespace convoy::plan::check {
namespace {

constexpr int kSettlingPeriods = 8;

bool depends_on(const LinearRow& row, const std::vector<bool>& states) {
  return std::ranges::any_of(row, [&](const Addend& it) { return states[it.index]; });
}

// Returns the states that contain values which only the run knows, one period later.
std::vector<bool> reached_next(const LinearSystem& system, const std::vector<bool>& reached) {
  std::vector<bool> next;
  for (std::size_t i = 0; i < system.states.size(); ++i)
    next.push_back(!system.opaque[i].empty() || depends_on(system.step[i], reached));
  return next;
}

class ZeroInputJudge : public SystemProof {
 public:
  explicit ZeroInputJudge(const SystemProof& proof) : SystemProof(proof) {}

  void require() const {
    std::vector<Weight> held = system_.start;
    std::vector<bool> reached(system_.states.size(), false);
    const PeriodRead* open = nullptr;
    for (int period = 0; period < kSettlingPeriods; ++period) {
      for (const PeriodRead& read : system_.reads) {
        if (times(read.states, held).field == 1) continue;
        if (!depends_on(read.states, reached)) return report_scaled(read, held);
        if (open == nullptr) open = &read;
      }
      std::vector<Weight> next = next_period(system_, held);
      reached = reached_next(system_, reached);
      const bool settled = std::ranges::equal(next, held, {}, &Weight::field, &Weight::field);
      held = std::move(next);
      if (settled && open == nullptr) return;
      if (settled) break;
    }
    if (open != nullptr)
      return add_finding(
          FindingKind::kUndeclared, *open, open->replica,
          fmt::format("whether parameters stay the same without gradients is not known: {}",
                      unknown_effect(plan_, values_, system_.opaque_atoms)));
    const PeriodRead& any = system_.reads.front();
    add_finding(FindingKind::kUnknown, any, any.replica,
                fmt::format("what it is made of has not settled after {} steps without gradients",
                            kSettlingPeriods));
  }

 private:
  void report_scaled(const PeriodRead& read, const std::vector<Weight>& held) const {
    std::string cause;
    const double times_first = times(read.states, held).value;
    // Memory without parameters reduces them; it does not increase them.
    for (std::size_t i = 0; i < system_.states.size() && cause.empty() && times_first < 1; ++i)
      if (system_.start[i].is_zero() &&
          plan_.buffers[system_.states[i].buffer].kind == CONVOY_BUFFER_PERSISTENT)
        cause = fmt::format("; {} starts at zero: should the prologue copy parameters there?",
                            plan_.buffer_name(system_.states[i].buffer));
    add_finding(FindingKind::kScaled, read, read.replica,
                fmt::format("without any gradient the parameters that replica {} reads would be "
                            "multiplied by {:.6g}{}",
                            read.replica, times_first, cause));
  }
};

}  // namespace

void require_constant_zero_input_response(const SystemProof& proof) {
  ZeroInputJudge(proof).require();
}

}  // namespace convoy::plan::check
