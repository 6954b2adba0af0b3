#include "core/plan/accesses.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include "core/base/process/large_pages.hpp"

namespace convoy::plan {
namespace {

template <typename Visit>
void for_each_span(const Plan& plan, Visit visit) {
  for (const Operation& operation : plan.body)
    for (const auto* spans : {&operation.reads, &operation.writes})
      for (const PlanSpan& span : *spans) visit(span);
}

// Collects where spans begin and end, per buffer. Operations often name the same spans in the same
// order as earlier ones. Such a repetition is not noted again, so that little is left to sort.
class Cuts {
 public:
  // `most` limits the number of cuts per buffer.
  explicit Cuts(const std::vector<std::size_t>& most) {
    lists_.reserve(most.size());
    std::size_t begin = 0;
    for (const std::size_t count : most) {
      lists_.push_back({begin, begin, begin});
      begin += count;
    }
    values_ = std::make_unique_for_overwrite<std::uint64_t[]>(begin);
  }

  void note(const PlanSpan& span) {
    note(lists_[span.buffer], span.first);
    note(lists_[span.buffer], span.first + span.count);
  }
  // Returns the cuts in ascending order, each once.
  std::span<const std::uint64_t> sorted(std::size_t buffer) {
    const auto [begin, end, unused] = lists_[buffer];
    const std::span<std::uint64_t> all(values_.get() + begin, end - begin);
    std::ranges::sort(all);
    return {all.begin(), std::unique(all.begin(), all.end())};
  }

 private:
  struct List {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t again = 0;  // index behind the last noted or repeated value
  };

  void note(List& it, std::uint64_t at) {
    if (it.again > it.begin && values_[it.again - 1] == at) return;  // neighbours touch
    const auto comes = [&] { return it.again < it.end && values_[it.again] == at; };
    if (!comes()) it.again = it.begin;
    if (!comes()) {
      values_[it.end++] = at;
      it.again = it.end;
    } else {
      ++it.again;
    }
  }

  std::vector<List> lists_;
  std::unique_ptr<std::uint64_t[]> values_;  // most of them are never touched
};

}  // namespace

bool changes_in_place(OperationKind kind) {
  return kind == OperationKind::kApply || kind == OperationKind::kAdaptLossScale ||
         kind == OperationKind::kCall;
}

Accesses::Accesses(const Plan& plan)
    : plan_buffers_(static_cast<std::uint32_t>(plan.buffers.size())) {
  cut(plan);
}

void Accesses::cut(const Plan& plan) {
  const std::uint32_t replicas = plan.cluster->replicas();
  std::vector<std::size_t> most(plan_buffers_ + replicas, 0);
  for_each_span(plan, [&](const PlanSpan& span) { most[span.buffer] += 2; });
  for (std::uint32_t r = 0; r < replicas; ++r) most[plan_buffers_ + r] = 2;
  Cuts cuts(most);
  for_each_span(plan, [&](const PlanSpan& span) { cuts.note(span); });
  for (std::uint32_t r = 0; r < replicas; ++r) cuts.note(activations(r));
  firsts_.reserve(most.size() + 1);
  reserve_large(stretches_, std::accumulate(most.begin(), most.end(), std::size_t{0}));
  for (std::size_t buffer = 0; buffer < most.size(); ++buffer) {
    firsts_.push_back(static_cast<std::uint32_t>(stretches_.size()));
    for (const std::uint64_t at : cuts.sorted(buffer)) stretches_.push_back({at, {}, {}, false});
  }
  firsts_.push_back(static_cast<std::uint32_t>(stretches_.size()));
  behind_last_ = firsts_;
}

std::uint32_t Accesses::first_stretch(const PlanSpan& span) {
  std::uint32_t& next = behind_last_[span.buffer];
  if (stretches_[next].begin != span.first) {
    const auto begin = stretches_.begin() + firsts_[span.buffer];
    const auto end = stretches_.begin() + firsts_[span.buffer + 1];
    const auto found = std::ranges::lower_bound(begin, end, span.first, {}, &Stretch::begin);
    next = static_cast<std::uint32_t>(found - stretches_.begin());
  }
  const std::uint32_t first = next;
  while (stretches_[next].begin < span.first + span.count) ++next;
  return first;
}

std::uint32_t Accesses::new_node(Position position) {
  std::uint32_t node = unused_;
  if (node == List::kNone) {
    node = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
  } else {
    unused_ = nodes_[node].next;
  }
  nodes_[node] = {position, node};
  return node;
}

void Accesses::append(List& list, Position position) {
  if (list.empty()) {
    list.value_ = position;
    return;
  }
  if (!list.is_ring()) list.value_ = kPositions + new_node(list.value_);
  const std::uint32_t node = new_node(position);
  std::swap(nodes_[node].next, nodes_[list.tail()].next);
  list.value_ = kPositions + node;
}

void Accesses::clear(List& list) {
  if (list.is_ring()) {
    const std::uint32_t head = nodes_[list.tail()].next;
    nodes_[list.tail()].next = unused_;
    unused_ = head;
  }
  list.value_ = List::kNone;
}

}  // namespace convoy::plan
