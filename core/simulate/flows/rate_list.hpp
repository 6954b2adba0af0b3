#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/simulate/flows/rate_queue.hpp"

namespace convoy::simulate {

// A list that is taken from the lowest rate on, again and again, with few changes in between.
class RateList {
 public:
  void clear() { items_.clear(); }
  template <typename IsOutdated>
  void leave_out(const IsOutdated& is_outdated) {
    std::erase_if(items_, is_outdated);
  }
  // Sorts the entries and merges them into the list. The content of `added` is unspecified
  // afterwards.
  void take_in(std::vector<AtRate>& added) {
    if (added.empty()) return;
    if (added.size() > 1) std::sort(added.begin(), added.end());
    if (items_.empty()) return items_.swap(added);
    merged_.resize(items_.size() + added.size());
    std::merge(items_.begin(), items_.end(), added.begin(), added.end(), merged_.begin());
    items_.swap(merged_);
  }
  // Goes to the first entry; call it after changes.
  void begin() { next_ = 0; }
  bool at_end() const { return next_ == items_.size(); }
  bool is_below(double rate) const { return !at_end() && items_[next_].rate < rate; }
  AtRate take() { return items_[next_++]; }

 private:
  std::vector<AtRate> items_;
  std::vector<AtRate> merged_;
  std::size_t next_ = 0;
};

}  // namespace convoy::simulate
