#pragma once

#include <sys/resource.h>

#include <ctime>

namespace convoy {

// Returns the processor seconds in `used`: user time plus system time.
inline double processor_seconds_of(const rusage& used) {
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// Returns the time of a clock in seconds; 0 if the clock does not exist, such as the clock of a
// process that has ended.
inline double seconds_on(clockid_t clock) {
  timespec now{};
  if (::clock_gettime(clock, &now) != 0) return 0;
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Returns seconds on a clock that never goes back. Its zero is arbitrary, so only differences are
// meaningful.
inline double steady_seconds() {
  return seconds_on(CLOCK_MONOTONIC);
}

// Returns the processor seconds of all threads of this process so far.
inline double processor_seconds() {
  return seconds_on(CLOCK_PROCESS_CPUTIME_ID);
}

}  // namespace convoy
