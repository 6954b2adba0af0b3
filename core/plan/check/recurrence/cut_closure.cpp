#include "core/plan/check/recurrence/cut_closure.hpp"

#include <algorithm>

namespace convoy::plan::check {
namespace {

// Work per cut. If elements depend on their neighbours, one tree has millions of cuts.
constexpr std::uint64_t kWork = 48;

}  // namespace

void CutClosure::link(std::uint32_t to, const ElementRange& range, std::uint32_t from,
                      std::int64_t shift) {
  const std::uint64_t end = range.first + range.count;
  note(to, range.first);
  note(to, end);
  note(from, range.first + static_cast<std::uint64_t>(shift));
  note(from, end + static_cast<std::uint64_t>(shift));
  if (to == from && shift == 0) return;
  std::uint64_t& known = links_[{to, from, shift}].try_emplace(range.first, end).first->second;
  known = std::max(known, end);
}

// Joins ranges that overlap.
void CutClosure::join_ranges() {
  for (auto& [unused, ranges] : links_)
    for (auto it = ranges.begin(); it != ranges.end();) {
      const auto next = std::next(it);
      if (next == ranges.end() || next->first > it->second) {
        it = next;
        continue;
      }
      it->second = std::max(it->second, next->second);
      ranges.erase(next);
    }
}

void CutClosure::close() {
  join_ranges();
  std::vector<std::vector<const std::pair<const Link, std::map<std::uint64_t, std::uint64_t>>*>> of(
      cuts_.size());
  for (const auto& link : links_) {
    of[std::get<0>(link.first)].push_back(&link);
    if (std::get<0>(link.first) != std::get<1>(link.first))
      of[std::get<1>(link.first)].push_back(&link);
  }
  const auto inside = [](const std::map<std::uint64_t, std::uint64_t>& ranges, std::uint64_t at) {
    const auto after = ranges.upper_bound(at);
    return after != ranges.begin() && at < std::prev(after)->second;
  };
  while (!open_.empty()) {
    const auto [memory, at] = open_.back();
    open_.pop_back();
    budget_.spend(of[memory].size() + kWork, CONVOY_NONE);
    for (const auto* it : of[memory]) {
      const auto& [to, from, shift] = it->first;
      const std::uint64_t back = at - static_cast<std::uint64_t>(shift);
      if (memory == to && inside(it->second, at))
        note(from, at + static_cast<std::uint64_t>(shift));
      if (memory == from && inside(it->second, back)) note(to, back);
    }
  }
}

std::uint32_t CutClosure::most_cut() const {
  const auto most = std::ranges::max_element(cuts_, {}, &std::set<std::uint64_t>::size);
  return static_cast<std::uint32_t>(most - cuts_.begin());
}

std::vector<ElementRange> CutClosure::pieces(std::uint32_t memory,
                                             const ElementRange& range) const {
  std::vector<ElementRange> result{range};
  const std::set<std::uint64_t>& cuts = cuts_[memory];
  for (auto it = cuts.upper_bound(range.first); it != cuts.end(); ++it) {
    const std::uint64_t end = range.first + range.count;
    if (*it >= end) break;
    ElementRange& last = result.back();
    last.count = *it - last.first;
    result.push_back({*it, end - *it});
  }
  return result;
}

}  // namespace convoy::plan::check
