#include "core/plan/lower/cut_updates.hpp"

#include <iterator>
#include <set>

#include "core/plan/lower/lowering.hpp"

namespace convoy::plan {

UpdateCutter::UpdateCutter(const Plan& plan, const UpdateCounts& before) {
  if (before.are_of_one_update() && before.most() == 0) return;
  counts_ = Counts{before, before};
  counts_->per_period.fill(0);
  for (const Operation& operation : plan.body)
    if (operation.kind == OperationKind::kApply) counts_->per_period.count(operation);
}

std::span<const Operation> UpdateCutter::cut(const Operation& update) {
  if (!counts_) return {&update, 1};
  if (has_one_history(update)) {
    counts_->before.count(update);
    return {&update, 1};
  }
  std::vector<Histories> histories;
  std::set<std::uint64_t> cuts;
  for (const PlanSpan& span : update.writes) {
    histories.push_back(histories_of(span));
    for (const auto& [element, history] : histories.back()) cuts.insert(element);
  }
  counts_->before.count(update);
  pieces_.clear();
  for (auto at = cuts.begin(); at != cuts.end(); ++at) {
    const auto next = std::next(at);
    const std::uint64_t end = next == cuts.end() ? update.writes.front().count : *next;
    std::set<History> different;
    for (const Histories& own : histories) different.insert(history_at(own, *at));
    for (const History& history : different)
      pieces_.push_back(slice(with_history(update, histories, *at, history), *at, end - *at));
  }
  return pieces_;
}

// True for nearly all updates: all their elements have one history.
bool UpdateCutter::has_one_history(const Operation& update) {
  std::optional<History> one;
  for (const PlanSpan& span : update.writes)
    for (const auto& [first, history] : histories_of(span)) {
      if (one.value_or(history) != history) return false;
      one = history;
    }
  return true;
}

UpdateCutter::Histories UpdateCutter::histories_of(const PlanSpan& span) {
  Histories histories;
  const auto before = counts_->before.cells_of(span);
  const auto added = counts_->per_period.cells_of(span);
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

// Returns the update of only those writes that have this history at this element.
Operation UpdateCutter::with_history(const Operation& update,
                                     const std::vector<Histories>& histories, std::uint64_t element,
                                     const History& history) {
  Operation result = update;
  result.writes.clear();
  for (std::size_t w = 0; w < histories.size(); ++w)
    if (history_at(histories[w], element) == history) result.writes.push_back(update.writes[w]);
  return result;
}

}  // namespace convoy::plan
