#pragma once

#include <sys/types.h>

namespace convoy::runtime {

// Seconds of a process so far.
struct ProcessTime {
  double on_wall = 0;   // on a clock that never goes back
  double computed = 0;  // by all its threads
  double waited = 0;    // in which its threads were ready and waited for a processor
};
ProcessTime time_of(pid_t process);

// How much of a call's time counts against its limit: what it computed and what it slept. On a
// machine whose processors others use, too, a call waits for them, which does not count. A sixth of
// the time on the wall counts in any case, and never more than all of it.
double counted_seconds(const ProcessTime& call);
double counted_seconds(const ProcessTime& begin, const ProcessTime& end);

}  // namespace convoy::runtime
