#include "core/plan/accesses.hpp"

#include <algorithm>
#include <utility>

#include "core/base/large_pages.hpp"

namespace convoy {
namespace {

template <typename Visit>
void for_each_span(const Plan& plan, Visit visit) {
  for (const Operation& operation : plan.body)
    for (const auto* spans : {&operation.reads, &operation.writes})
      for (const PlanSpan& span : *spans) visit(span);
}

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
  std::vector<std::size_t> ends(plan_buffers_ + replicas + 1, 0);
  for_each_span(plan, [&](const PlanSpan& span) { ends[span.buffer + 1] += 2; });
  for (std::uint32_t r = 0; r < replicas; ++r) ends[plan_buffers_ + r + 1] = 2;
  for (std::size_t i = 1; i < ends.size(); ++i) ends[i] += ends[i - 1];
  std::vector<std::uint64_t> cuts;
  reserve_large(cuts, ends.back());
  cuts.resize(ends.back());
  std::vector<std::size_t> next(ends.begin(), ends.end() - 1);
  const auto note = [&](const PlanSpan& span) {
    // Neighbours touch: what is there already need not be sorted.
    for (const std::uint64_t at : {span.first, span.first + span.count}) {
      std::size_t& slot = next[span.buffer];
      if (slot == ends[span.buffer] || cuts[slot - 1] != at) cuts[slot++] = at;
    }
  };
  for_each_span(plan, note);
  for (std::uint32_t r = 0; r < replicas; ++r) note(activations(r));
  firsts_.reserve(ends.size());
  reserve_large(stretches_, cuts.size());
  for (std::size_t buffer = 0; buffer + 1 < ends.size(); ++buffer) {
    firsts_.push_back(static_cast<std::uint32_t>(stretches_.size()));
    const auto begin = cuts.begin() + static_cast<std::ptrdiff_t>(ends[buffer]);
    auto end = cuts.begin() + static_cast<std::ptrdiff_t>(next[buffer]);
    std::sort(begin, end);
    end = std::unique(begin, end);
    for (auto it = begin; it != end; ++it) stretches_.push_back({*it, {}, {}, false});
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

}  // namespace convoy
