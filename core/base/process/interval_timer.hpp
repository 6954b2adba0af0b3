#pragma once

#include <signal.h>
#include <sys/time.h>

#include <chrono>
#include <cstdint>

namespace convoy {

// Whether nobody handles or ignores this signal.
inline bool has_no_handler(int signal) {
  struct sigaction now {};
  return ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_DFL;
}

// From now on the process gets SIGALRM after each interval of real time; never for an interval of
// 0.
inline void alarm_every(std::chrono::microseconds interval) {
  constexpr std::int64_t kPerSecond = 1'000'000;
  const timeval once{static_cast<time_t>(interval.count() / kPerSecond),
                     static_cast<suseconds_t>(interval.count() % kPerSecond)};
  const itimerval every{once, once};
  ::setitimer(ITIMER_REAL, &every, nullptr);
}

}  // namespace convoy
