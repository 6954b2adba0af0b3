#include "core/runtime/trial/call_time.hpp"

#include <sys/time.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <ctime>

namespace convoy::runtime {
namespace {

constexpr double kWallPerCounted = 6;  // of a call that sleeps
constexpr double kLooksPerLimit = 8;

double seconds_on(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Of the call that is measured, for the signal handler.
struct CallStart {
  double limit = 0, on_wall = 0, computed = 0;
} call_start;

double counted_so_far() {
  return counted_seconds(seconds_on(CLOCK_MONOTONIC) - call_start.on_wall,
                         seconds_on(CLOCK_PROCESS_CPUTIME_ID) - call_start.computed);
}

// The signal that is raised here is delivered when the handler returns.
void end_when_late(int) {
  if (counted_so_far() < call_start.limit) return;
  std::signal(SIGALRM, SIG_DFL);
  std::raise(SIGALRM);
}

timeval timeval_of(double seconds) {
  const double whole = std::floor(seconds);
  return {static_cast<time_t>(whole), static_cast<suseconds_t>((seconds - whole) * 1e6)};
}

}  // namespace

double counted_seconds(double on_wall, double computed) {
  return std::min(on_wall, std::max(computed, on_wall / kWallPerCounted));
}

TimedCall::TimedCall(double limit) {
  call_start = {limit, seconds_on(CLOCK_MONOTONIC), seconds_on(CLOCK_PROCESS_CPUTIME_ID)};
  struct sigaction action {};
  action.sa_handler = end_when_late;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  const itimerval timer{timeval_of(std::max(limit / kLooksPerLimit, 1e-3)), timeval_of(limit)};
  setitimer(ITIMER_REAL, &timer, nullptr);
}

TimedCall::~TimedCall() {
  const itimerval none{};
  setitimer(ITIMER_REAL, &none, nullptr);
}

double TimedCall::seconds() const {
  return counted_so_far();
}

}  // namespace convoy::runtime
