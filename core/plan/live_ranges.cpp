#include "core/plan/live_ranges.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace convoy {
namespace {

ElementRange range_of(const PlanSpan& span) {
  return {span.first, span.count};
}

std::vector<std::vector<ElementRange>> to_ranges(const std::vector<ElementSet>& sets) {
  std::vector<std::vector<ElementRange>> result;
  for (const ElementSet& set : sets) result.push_back(set.ranges());
  return result;
}

class LiveElements {
 public:
  explicit LiveElements(const Plan& plan)
      : plan_(plan), live_(plan.buffers.size()), written_(plan.buffers.size()) {}

  void run_phase(std::uint32_t phase) {
    for (const Operation& operation : plan_.body)
      if (operation.phase == phase) run(operation);
  }

  // Reading scratch memory behind this finds nothing of before.
  void end_period() {
    for (std::size_t i = 0; i < plan_.buffers.size(); ++i)
      if (plan_.buffers[i].kind == CONVOY_BUFFER_SCRATCH)
        written_[i].add({0, plan_.buffers[i].count});
  }

  std::vector<ElementSet> take() { return std::move(live_); }

 private:
  void run(const Operation& operation) {
    for (const PlanSpan& span : operation.reads) read(span);
    for (const PlanSpan& span : operation.writes) {
      // An apply also reads what it updates; a kernel may leave elements of its writes as they are.
      if (operation.kind == OperationKind::kApply || operation.kind == OperationKind::kCall)
        read(span);
      written_[span.buffer].add(range_of(span));
    }
  }

  void read(const PlanSpan& span) {
    for (const ElementRange& range : written_[span.buffer].missing(range_of(span)))
      live_[span.buffer].add(range);
  }

  const Plan& plan_;
  std::vector<ElementSet> live_;
  std::vector<ElementSet> written_;
};

}  // namespace

void ElementSet::add(const ElementRange& range) {
  if (range.count == 0) return;
  std::uint64_t first = range.first;
  std::uint64_t end = range.first + range.count;
  auto it = ends_.upper_bound(first);
  if (it != ends_.begin() && std::prev(it)->second >= first) --it;
  while (it != ends_.end() && it->first <= end) {
    first = std::min(first, it->first);
    end = std::max(end, it->second);
    it = ends_.erase(it);
  }
  ends_.emplace(first, end);
}

std::vector<ElementRange> ElementSet::missing(const ElementRange& range) const {
  std::vector<ElementRange> result;
  std::uint64_t at = range.first;
  const std::uint64_t end = range.first + range.count;
  auto it = ends_.upper_bound(at);
  if (it != ends_.begin()) at = std::max(at, std::prev(it)->second);
  for (; it != ends_.end() && it->first < end; ++it) {
    if (it->first > at) result.push_back({at, it->first - at});
    at = std::max(at, it->second);
  }
  if (at < end) result.push_back({at, end - at});
  return result;
}

std::vector<ElementRange> ElementSet::ranges() const {
  std::vector<ElementRange> result;
  for (const auto& [first, end] : ends_) result.push_back({first, end - first});
  return result;
}

std::vector<std::vector<ElementRange>> live_ranges(const Plan& plan, std::uint32_t phase) {
  LiveElements live(plan);
  for (std::uint32_t i = phase; i < plan.computes; ++i) live.run_phase(i);
  live.end_period();
  for (std::uint32_t i = 0; i < phase; ++i) live.run_phase(i);
  return to_ranges(live.take());
}

std::vector<std::vector<ElementRange>> updated_ranges(const Plan& plan) {
  std::vector<ElementSet> updated(plan.buffers.size());
  for (const Operation& operation : plan.body)
    if (operation.kind == OperationKind::kApply)
      updated[operation.writes.front().buffer].add(range_of(operation.writes.front()));
  return to_ranges(updated);
}

}  // namespace convoy
