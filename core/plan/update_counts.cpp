#include "core/plan/update_counts.hpp"

#include <algorithm>
#include <map>

#include "core/base/error.hpp"
#include "core/plan/stages.hpp"

namespace convoy {
namespace {

// Per element at which spans begin or end: how many more cover it than the one before.
using Edges = std::map<std::uint64_t, std::int64_t>;

std::vector<UpdateCounts::Cell> cells_between(const Edges& edges) {
  std::vector<UpdateCounts::Cell> cells;
  std::int64_t depth = 0;
  for (auto edge = edges.begin(); edge != edges.end(); ++edge) {
    depth += edge->second;
    if (depth > 0) cells.push_back({{edge->first, std::next(edge)->first - edge->first}, 0});
  }
  return cells;
}

}  // namespace

UpdateCounts::UpdateCounts(const Plan& plan) : cells_(plan.buffers.size()) {
  std::vector<Edges> edges(plan.buffers.size());
  for (const std::vector<Operation>* section : sections_of(plan))
    for (const Operation& operation : *section) {
      if (operation.kind != OperationKind::kApply) continue;
      for (const PlanSpan& span : operation.writes) {
        ++edges[span.buffer][span.first];
        --edges[span.buffer][span.first + span.count];
      }
    }
  for (std::size_t i = 0; i < edges.size(); ++i) cells_[i] = cells_between(edges[i]);
}

std::span<UpdateCounts::Cell> UpdateCounts::cells_of(const PlanSpan& span) {
  std::vector<Cell>& all = cells_.at(span.buffer);
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
  for (const std::vector<Cell>& cells : cells_)
    for (const Cell& cell : cells) most = std::max(most, cell.updates);
  return most;
}

void UpdateCounts::fill(std::uint64_t updates) {
  for (std::vector<Cell>& cells : cells_)
    for (Cell& cell : cells) cell.updates = updates;
}

}  // namespace convoy
