#include "core/plan/schedule/live_ranges.hpp"

#include <utility>

#include "core/plan/accesses.hpp"
#include "core/plan/range_set.hpp"
#include "core/plan/stages.hpp"

namespace convoy::plan {
namespace {

std::vector<std::vector<ElementRange>> to_ranges(const std::vector<RangeSet>& sets) {
  std::vector<std::vector<ElementRange>> result;
  result.reserve(sets.size());
  for (const RangeSet& set : sets) result.push_back(set.ranges());
  return result;
}

class LiveElements {
 public:
  explicit LiveElements(const Plan& plan)
      : plan_(plan), live_(plan.buffers.size()), written_(plan.buffers.size()) {}

  void run_prologue() {
    for (const Operation& operation : plan_.prologue) run(operation);
  }

  void run_phase(std::uint32_t phase) {
    for (const Operation& operation : plan_.body)
      if (operation.phase == phase) run(operation);
  }

  // After this point, scratch memory has no earlier contents.
  void end_period() {
    for (std::size_t i = 0; i < plan_.buffers.size(); ++i)
      if (plan_.buffers[i].kind == CONVOY_BUFFER_SCRATCH)
        written_[i].add({0, plan_.buffers[i].count});
  }

  std::vector<RangeSet> take() { return std::move(live_); }

 private:
  void run(const Operation& operation) {
    for (const PlanSpan& span : operation.reads) read(span);
    for (const PlanSpan& span : operation.writes) {
      if (changes_in_place(operation.kind)) read(span);
      written_[span.buffer].add(range_of(span));
    }
  }

  void read(const PlanSpan& span) {
    written_[span.buffer].for_each_gap(
        range_of(span), [&](const ElementRange& range) { live_[span.buffer].add(range); });
  }

  const Plan& plan_;
  std::vector<RangeSet> live_;
  std::vector<RangeSet> written_;
};

}  // namespace

std::vector<std::vector<ElementRange>> live_ranges(const Plan& plan, std::uint32_t phase) {
  LiveElements live(plan);
  for (std::uint32_t i = phase; i < plan.computes; ++i) live.run_phase(i);
  live.end_period();
  for (std::uint32_t i = 0; i < phase; ++i) live.run_phase(i);
  return to_ranges(live.take());
}

std::vector<std::vector<ElementRange>> updated_ranges(const Plan& plan) {
  std::vector<RangeSet> updated(plan.buffers.size());
  for (const std::vector<Operation>* body : bodies_of(plan))
    for (const Operation& operation : *body)
      if (operation.kind == OperationKind::kApply)
        for (const PlanSpan& span : operation.writes) updated[span.buffer].add(range_of(span));
  return to_ranges(updated);
}

std::vector<std::vector<ElementRange>> entered_ranges(const Plan& plan) {
  LiveElements live(plan);
  live.run_prologue();
  for (std::uint32_t i = 0; i < plan.computes; ++i) live.run_phase(i);
  return to_ranges(live.take());
}

std::vector<std::vector<ElementRange>> live_ranges_at(const Plan& plan, std::uint64_t step,
                                                      std::uint32_t phase) {
  if (plan.later.empty()) return live_ranges(plan, phase);
  const std::size_t now = stage_at(plan, step);
  std::vector<RangeSet> live(plan.buffers.size());
  const auto add = [&](const std::vector<std::vector<ElementRange>>& ranges) {
    for (std::size_t i = 0; i < ranges.size(); ++i)
      for (const ElementRange& range : ranges[i]) live[i].add(range);
  };
  const Plan current = stage_of(plan, now);
  const bool begins = now > 0 && step == first_step_of(plan, now);
  add(begins ? entered_ranges(current) : live_ranges(current, phase));
  for (std::size_t stage = now + 1; stage < stage_count(plan); ++stage)
    add(entered_ranges(stage_of(plan, stage)));
  return to_ranges(live);
}

}  // namespace convoy::plan
