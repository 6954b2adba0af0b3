#include "core/runtime/timeline_watch.hpp"

#include <algorithm>

namespace convoy::runtime {
namespace {

bool holds_now(const convoy_wait& point) {
  auto* value = const_cast<std::uint64_t*>(point.timeline);  // atomic_ref takes no const
  return std::atomic_ref<std::uint64_t>(*value).load(std::memory_order_seq_cst) >= point.value;
}

}  // namespace

bool TimelineWatch::begin(std::span<const convoy_wait> points) {
  std::uint32_t state = kForAll;
  if (points.size() <= kMostPoints) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      timelines_[i].store(points[i].timeline, std::memory_order_relaxed);
      values_[i].store(points[i].value, std::memory_order_relaxed);
    }
    state = kForPoints + static_cast<std::uint32_t>(points.size());
  }
  state_.store(state, std::memory_order_seq_cst);
  return std::ranges::none_of(points, holds_now);
}

bool TimelineWatch::wants(const std::uint64_t* timeline, std::uint64_t value) const {
  const std::uint32_t state = state_.load(std::memory_order_seq_cst);
  if (state == kAwake || state == kForAll) return state == kForAll;
  for (std::uint32_t i = 0; i < state - kForPoints; ++i)
    if (timelines_[i].load(std::memory_order_relaxed) == timeline &&
        values_[i].load(std::memory_order_relaxed) <= value)
      return true;
  return false;
}

}  // namespace convoy::runtime
