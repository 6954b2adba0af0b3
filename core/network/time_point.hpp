#pragma once

#include <chrono>

namespace convoy::network {

// A time on the clock that nobody sets. Only differences within one process are meaningful.
using TimePoint = std::chrono::steady_clock::time_point;

inline TimePoint steady_now() {
  return std::chrono::steady_clock::now();
}

// Returns the seconds from one time to another.
inline double seconds_between(TimePoint from, TimePoint to) {
  return std::chrono::duration<double>(to - from).count();
}

inline TimePoint after(TimePoint time, double seconds) {
  return time +
         std::chrono::duration_cast<TimePoint::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace convoy::network
