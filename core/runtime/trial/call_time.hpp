#pragma once

#include <sys/types.h>

namespace convoy::runtime {

// The times of a process so far, in seconds.
struct ProcessTime {
  double on_wall = 0;   // on a monotonic clock
  double computed = 0;  // by all its threads
  double waited = 0;    // while its threads were ready but had no processor
};
ProcessTime time_of(pid_t process);

// Returns how much of a call's time counts against its limit: the time in which it computed or
// slept. Time in which it waits for processors that other programs use does not count. At least a
// sixth of the wall-clock time counts in any case, and at most all of it.
double counted_seconds(const ProcessTime& call);
double counted_seconds(const ProcessTime& begin, const ProcessTime& end);

}  // namespace convoy::runtime
