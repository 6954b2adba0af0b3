#pragma once

#include <algorithm>

namespace convoy::runtime {

// Returns when a step ends, on the devices' clock. It ends with its last operation, but never
// before the previous step. An operation of the previous step may outlast this step, because
// nothing waits for it. In that case, and for a step without operations, the step ends when the
// host notices its completion.
inline double end_of_step(double operations_end, double previous_end, double now) {
  constexpr double kTick = 1e-9;  // so that every step takes time
  return operations_end > previous_end ? operations_end : std::max(now, previous_end + kTick);
}

// Returns how long a step from `begin` to `end` waited for its images, which were requested at
// `asked` and arrived at `ready`. Waiting during the previous step does not count.
inline double input_wait(double asked, double ready, double begin, double end) {
  return std::clamp(ready - std::max(asked, begin), 0.0, end - begin);
}

}  // namespace convoy::runtime
