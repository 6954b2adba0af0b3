#pragma once

#include <signal.h>
#include <sys/time.h>

#include <chrono>
#include <cstdint>

namespace convoy {

// Returns whether the signal has its default action: it is neither handled nor ignored.
inline bool has_no_handler(int signal) {
  struct sigaction now {};
  return ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_DFL;
}

// From now on, the process gets SIGALRM after each interval of real time. An interval of 0 turns
// the timer off.
inline void alarm_every(std::chrono::microseconds interval) {
  constexpr std::int64_t kPerSecond = 1'000'000;
  const timeval once{static_cast<time_t>(interval.count() / kPerSecond),
                     static_cast<suseconds_t>(interval.count() % kPerSecond)};
  const itimerval every{once, once};
  ::setitimer(ITIMER_REAL, &every, nullptr);
}

}  // namespace convoy
