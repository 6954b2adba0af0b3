#pragma once

#include <convoy/abi/submission.h>
#include <convoy/abi/waking.h>

#include <cstdint>
#include <span>

#include "core/runtime/timeline_watch.hpp"
#include "core/runtime/wake_up.hpp"

namespace convoy {

// Where one thread sleeps until timelines have got somewhere, or somebody rings.
class TimelineBell {
 public:
  // `waking`: how the devices tell of their timelines; null: they do not. Error as WakeUp.
  explicit TimelineBell(const convoy_device_waking* waking);
  ~TimelineBell();
  TimelineBell(const TimelineBell&) = delete;
  TimelineBell& operator=(const TimelineBell&) = delete;

  // Whether the devices tell. Otherwise, whoever sleeps looks again at times.
  bool is_told() const { return waking_ != nullptr; }
  // Any thread; the next sleep, or the one that goes on, ends at once.
  void ring() { wake_up_.ring(); }
  // Any thread, after it has advanced timelines that are no device's: ends a sleep that goes on.
  void advanced();
  // Until one of the points holds, ring(), one of the descriptors is readable, or for so many
  // seconds. One thread.
  void sleep(std::span<const convoy_wait> points, std::span<const int> descriptors, double seconds);

 private:
  static void heard(void* self, const std::uint64_t* timeline, std::uint64_t value);

  WakeUp wake_up_;
  TimelineWatch watch_;
  const convoy_device_waking* waking_;
};

}  // namespace convoy
