#include "core/runtime/trial/call_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "core/base/clocks.hpp"

namespace convoy::runtime {
namespace {

constexpr double kMostWallPerCounted = 6;  // of a call that waits for processors

double seconds_computed_by(pid_t process) {
  clockid_t clock{};
  return clock_getcpuclockid(process, &clock) == 0 ? seconds_on(clock) : 0;
}

// Nothing where the system does not say.
double seconds_waited_by(pid_t process) {
  double waited = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator thread(fmt::format("/proc/{}/task", process), error),
       end;
       !error && thread != end; thread.increment(error)) {
    double ran_ns = 0;
    double waited_ns = 0;
    if (std::ifstream(thread->path() / "schedstat") >> ran_ns >> waited_ns)
      waited += 1e-9 * waited_ns;
  }
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
