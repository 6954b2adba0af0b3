#pragma once

#include <algorithm>

namespace convoy::runtime {

// When a step is through, on the devices' clock: when its last operation has ended, but never
// before the step before it, of which an operation that nothing waits for may run on. Such a step,
// and one without operations, is through when the host sees that.
inline double end_of_step(double operations_end, double previous_end, double now) {
  constexpr double kTick = 1e-9;  // so that every step takes time
  return operations_end > previous_end ? operations_end : std::max(now, previous_end + kTick);
}

// How long a step from `begin` to `end` waited for its images, which were asked for at one time and
// there at another. Waiting while the step before is under way costs nothing.
inline double input_wait(double asked, double ready, double begin, double end) {
  return std::clamp(ready - std::max(asked, begin), 0.0, end - begin);
}

}  // namespace convoy::runtime
