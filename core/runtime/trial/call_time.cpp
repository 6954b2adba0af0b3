#include "core/runtime/trial/call_time.hpp"

#include <algorithm>
#include <ctime>

#include "core/base/process/clocks.hpp"
#include "core/base/process/thread_seconds.hpp"

namespace convoy::runtime {
namespace {

constexpr double kMostWallPerCounted = 6;  // the largest ratio for a call that waits for processors

double seconds_computed_by(pid_t process) {
  clockid_t clock{};
  return clock_getcpuclockid(process, &clock) == 0 ? seconds_on(clock) : 0;
}

double seconds_waited_by(pid_t process) {
  double waited = 0;
  for (const auto& [thread, seconds] : seconds_of_threads(process)) waited += seconds.waited;
  return waited;
}

}  // namespace

ProcessTime time_of(pid_t process) {
  return {seconds_on(CLOCK_MONOTONIC), seconds_computed_by(process), seconds_waited_by(process)};
}

double counted_seconds(const ProcessTime& call) {
  const double counted =
      std::max({call.computed, call.on_wall - call.waited, call.on_wall / kMostWallPerCounted});
  return std::min(call.on_wall, counted);
}

double counted_seconds(const ProcessTime& begin, const ProcessTime& end) {
  return counted_seconds(
      {end.on_wall - begin.on_wall, end.computed - begin.computed, end.waited - begin.waited});
}

}  // namespace convoy::runtime
