#pragma once

#include <convoy/abi/submission.h>

#include <atomic>
#include <cstdint>

namespace convoy::plugin {

// The host's side of timelines, which devices advance and wait for.

// Returns the timeline's value. Everything written before the timeline reached it is visible.
inline std::uint64_t value_of(const std::uint64_t* timeline) {
  auto* value = const_cast<std::uint64_t*>(timeline);  // atomic_ref takes no const
  return std::atomic_ref<std::uint64_t>(*value).load(std::memory_order_acquire);
}
inline bool holds(const convoy_wait& wait) {
  return value_of(wait.timeline) >= wait.value;
}

// A thread that sees the value sees everything written before it.
inline void advance(std::uint64_t* timeline, std::uint64_t value) {
  std::atomic_ref<std::uint64_t>(*timeline).store(value, std::memory_order_release);
}

}  // namespace convoy::plugin
