#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

#include "core/plan/operation.hpp"

namespace convoy::plan {

// A set of elements of one index space, stored as disjoint ranges.
class RangeSet {
 public:
  bool overlaps(const ElementRange& range) const {
    const auto after = ends_.lower_bound(range.first + range.count);
    return after != ends_.begin() && std::prev(after)->second > range.first;
  }
  // Adds a range, which may overlap ranges of the set.
  void add(const ElementRange& range) {
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
  std::vector<ElementRange> ranges() const {
    std::vector<ElementRange> result;
    for (const auto& [first, end] : ends_) result.push_back({first, end - first});
    return result;
  }
  // Calls visit(range) for every stretch of `range` that is not in the set.
  template <typename Visit>
  void for_each_gap(const ElementRange& range, Visit visit) const {
    const std::uint64_t end = range.first + range.count;
    std::uint64_t at = range.first;
    auto it = ends_.upper_bound(at);
    if (it != ends_.begin()) --it;
    for (; it != ends_.end() && it->first < end; ++it) {
      if (it->first > at) visit(ElementRange{at, it->first - at});
      at = std::max(at, it->second);
    }
    if (at < end) visit(ElementRange{at, end - at});
  }

 private:
  std::map<std::uint64_t, std::uint64_t> ends_;  // first element of a range to the element behind
                                                 // its last one
};

}  // namespace convoy::plan
