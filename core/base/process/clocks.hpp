#pragma once

#include <sys/resource.h>

#include <ctime>

namespace convoy {

// The processor seconds in `used`, in the program and in the kernel.
inline double processor_seconds_of(const rusage& used) {
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// What a clock shows; 0 where there is none, as that of a process that has ended.
inline double seconds_on(clockid_t clock) {
  timespec now{};
  if (::clock_gettime(clock, &now) != 0) return 0;
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// A clock that only goes forward, from any beginning: for differences.
inline double steady_seconds() {
  return seconds_on(CLOCK_MONOTONIC);
}

// What all threads of this process have computed so far.
inline double processor_seconds() {
  return seconds_on(CLOCK_PROCESS_CPUTIME_ID);
}

}  // namespace convoy
