#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace convoy::simulate {

// A numbered event that happens at a rate. Of equal rates, the lower number comes first.
struct AtRate {
  double rate = 0;
  std::uint32_t index = 0;
  bool operator<(const AtRate& other) const {
    return rate != other.rate ? rate < other.rate : index < other.index;
  }
  bool operator>(const AtRate& other) const { return other < *this; }
};

// A queue with the lowest rate first. Put all entries in, call begin(), then take them. Usually
// there are two or three, which are faster to search than to keep in a heap.
class RateQueue {
 public:
  void clear() { items_.clear(); }
  void put(const AtRate& item) { items_.push_back(item); }
  void begin() {
    is_heap_ = items_.size() > kFew;
    if (is_heap_)
      std::make_heap(items_.begin(), items_.end(), std::greater<>());
    else
      bring_first();
  }
  bool empty() const { return items_.empty(); }
  const AtRate& first() const { return items_.front(); }
  void remove_first() {
    if (is_heap_)
      std::pop_heap(items_.begin(), items_.end(), std::greater<>());
    else
      std::swap(items_.front(), items_.back());
    items_.pop_back();
    if (!is_heap_) bring_first();
  }
  // Puts the first entry back with a higher rate.
  void raise_first(double rate) {
    if (!is_heap_) {
      items_.front().rate = rate;
      return bring_first();
    }
    std::pop_heap(items_.begin(), items_.end(), std::greater<>());
    items_.back().rate = rate;
    std::push_heap(items_.begin(), items_.end(), std::greater<>());
  }

 private:
  static constexpr std::size_t kFew = 8;

  void bring_first() {
    for (std::size_t i = 1; i < items_.size(); ++i)
      if (items_[i] < items_[0]) std::swap(items_[0], items_[i]);
  }

  std::vector<AtRate> items_;
  bool is_heap_ = false;
};

}  // namespace convoy::simulate
