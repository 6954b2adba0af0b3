#include "core/plan/lower/cut_updates.hpp"

#include <iterator>
#include <optional>
#include <set>

#include "core/plan/lower/lowering.hpp"

namespace convoy {

UpdateCutter::UpdateCutter(const Plan& plan, const UpdateCounts& before)
    : before_(before), per_period_(before) {
  per_period_.fill(0);
  for (const Operation& operation : plan.body)
    if (operation.kind == OperationKind::kApply) per_period_.count(operation);
}

std::vector<Operation> UpdateCutter::cut(const Operation& update) {
  if (has_one_history(update)) {
    before_.count(update);
    return {update};
  }
  std::vector<Histories> histories;
  std::set<std::uint64_t> cuts;
  for (const PlanSpan& span : update.writes) {
    histories.push_back(histories_of(span));
    for (const auto& [element, history] : histories.back()) cuts.insert(element);
  }
  before_.count(update);
  std::vector<Operation> pieces;
  for (auto at = cuts.begin(); at != cuts.end(); ++at) {
    const auto next = std::next(at);
    const std::uint64_t end = next == cuts.end() ? update.writes.front().count : *next;
    std::set<History> different;
    for (const Histories& own : histories) different.insert(history_at(own, *at));
    for (const History& history : different)
      pieces.push_back(slice(with_history(update, histories, *at, history), *at, end - *at));
  }
  return pieces;
}

// As nearly all have.
bool UpdateCutter::has_one_history(const Operation& update) {
  std::optional<History> one;
  for (const PlanSpan& span : update.writes) {
    const auto before = before_.cells_of(span);
    const auto added = per_period_.cells_of(span);
    for (std::size_t i = 0; i < before.size(); ++i) {
      const History history{before[i].updates, added[i].updates};
      if (one.value_or(history) != history) return false;
      one = history;
    }
  }
  return true;
}

UpdateCutter::Histories UpdateCutter::histories_of(const PlanSpan& span) {
  Histories histories;
  const auto before = before_.cells_of(span);
  const auto added = per_period_.cells_of(span);
  for (std::size_t i = 0; i < before.size(); ++i) {
    const History history{before[i].updates, added[i].updates};
    if (histories.empty() || histories.rbegin()->second != history)
      histories.emplace(before[i].range.first - span.first, history);
  }
  return histories;
}

UpdateCutter::History UpdateCutter::history_at(const Histories& histories, std::uint64_t element) {
  return std::prev(histories.upper_bound(element))->second;
}

// The update of those writes alone that have this history at this element.
Operation UpdateCutter::with_history(const Operation& update,
                                     const std::vector<Histories>& histories, std::uint64_t element,
                                     const History& history) {
  Operation result = update;
  result.writes.clear();
  for (std::size_t w = 0; w < histories.size(); ++w)
    if (history_at(histories[w], element) == history) result.writes.push_back(update.writes[w]);
  return result;
}

}  // namespace convoy
