#include "core/plan/update_counts.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/numbers/sort_by_words.hpp"
#include "core/plan/stages.hpp"

namespace convoy::plan {
namespace {

// A point where update spans begin or end: `change` is how many more updates cover the elements
// after it than those before it.
struct Edge {
  std::uint32_t buffer = 0;
  std::int32_t change = 0;
  std::uint64_t at = 0;
};

std::vector<Edge> edges_of(const Plan& plan) {
  std::vector<Edge> edges;
  for (const std::vector<Operation>* section : sections_of(plan))
    for (const Operation& operation : *section) {
      if (operation.kind != OperationKind::kApply) continue;
      for (const PlanSpan& span : operation.writes) {
        edges.push_back({span.buffer, 1, span.first});
        edges.push_back({span.buffer, -1, span.first + span.count});
      }
    }
  sort_by_words(edges, [](const Edge& it) { return SortWords{it.buffer, it.at}; });
  return edges;
}

}  // namespace

UpdateCounts::UpdateCounts(const Plan& plan) {
  const std::vector<Edge> edges = edges_of(plan);
  firsts_.reserve(plan.buffers.size() + 1);
  std::int64_t depth = 0;  // 0 behind the last edge of a buffer
  for (std::size_t i = 0; i < edges.size(); ++i) {
    while (firsts_.size() <= edges[i].buffer) firsts_.push_back(cells_.size());
    depth += edges[i].change;
    if (depth == 0 || edges[i].at == edges[i + 1].at) continue;
    cells_.push_back({{edges[i].at, edges[i + 1].at - edges[i].at}, 0});
    are_of_one_update_ = are_of_one_update_ && depth == 1;
  }
  firsts_.resize(plan.buffers.size() + 1, cells_.size());
}

std::span<UpdateCounts::Cell> UpdateCounts::cells_of(const PlanSpan& span) {
  const std::span<Cell> all = cells(span.buffer);
  const auto first_of = [](const Cell& cell) { return cell.range.first; };
  const auto begin = std::ranges::lower_bound(all, span.first, {}, first_of);
  const auto end =
      std::ranges::lower_bound(begin, all.end(), span.first + span.count, {}, first_of);
  CONVOY_CHECK(begin != end && begin->range.first == span.first);
  return {begin, end};
}

std::uint64_t UpdateCounts::count(const Operation& update, std::uint64_t times) {
  const std::uint64_t before = cells_of(update.writes.front()).front().updates;
  for (const PlanSpan& span : update.writes)
    for (Cell& cell : cells_of(span)) cell.updates += times;
  return before;
}

void UpdateCounts::count_stage(const Plan& plan, std::size_t stage) {
  const std::uint64_t steps = first_step_of(plan, stage + 1) - first_step_of(plan, stage);
  const auto count_all = [this](const std::vector<Operation>& section, std::uint64_t times) {
    for (const Operation& operation : section)
      if (operation.kind == OperationKind::kApply) count(operation, times);
  };
  const std::vector<const std::vector<Operation>*> sections = sections_of(plan);
  count_all(*sections[2 * stage], 1);
  count_all(*sections[2 * stage + 1], steps / computes_of(plan, stage));
}

std::uint64_t UpdateCounts::most() const {
  std::uint64_t most = 0;
  for (const Cell& cell : cells_) most = std::max(most, cell.updates);
  return most;
}

void UpdateCounts::fill(std::uint64_t updates) {
  for (Cell& cell : cells_) cell.updates = updates;
}

}  // namespace convoy::plan
