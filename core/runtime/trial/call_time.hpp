#pragma once

namespace convoy::runtime {

// How much of a call's time counts against its limit. On a machine whose processors others use,
// too, a call waits for them, so only the time counts in which the process computed. But a call may
// also sleep: a sixth of the time on the wall counts in any case. Several threads compute longer
// than the wall's time, which counts then.
double counted_seconds(double on_wall, double computed);

// Measures a call in a process of its own, while this object lives. The process ends by SIGALRM
// when more than `limit` seconds count.
class TimedCall {
 public:
  explicit TimedCall(double limit);
  ~TimedCall();
  TimedCall(const TimedCall&) = delete;
  TimedCall& operator=(const TimedCall&) = delete;

  // That count so far.
  double seconds() const;
};

}  // namespace convoy::runtime
