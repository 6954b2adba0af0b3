#include "core/job/tasks/task_trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace convoy::job {
namespace {

using ::testing::HasSubstr;

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The devices' clock is 100 s behind this process's, and that 5 s behind the coordinator's.
TEST(CommonClock, GoesFromTheDevicesToTheCoordinator) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  constexpr std::int64_t kMillisecond = 1'000'000;
  network::ClockOffset to_coordinator;
  to_coordinator.add(0, 5 * kSecond + kMillisecond, 5 * kSecond + kMillisecond, 2 * kMillisecond);
  const CommonClock clock =
      read_common_clock(to_coordinator, [] { return steady_seconds() - 100; });
  EXPECT_NEAR(clock.offset_seconds, 105, clock.error_seconds);
  EXPECT_GE(clock.error_seconds, 1e-3) << "half of the round trip";
  EXPECT_LT(clock.error_seconds, 0.1);
}

TEST(CommonTrace, IsAsRightAsItsTwoWorstClocksTogether) {
  CommonTrace trace;
  EXPECT_EQ(trace.error_seconds(), 0);
  trace.clock_errors = {{"worker 0", 0}, {"worker 1", 3e-4}, {"ps 0", 1e-4}};
  EXPECT_DOUBLE_EQ(trace.error_seconds(), 4e-4);
}

TEST(CommonTrace, SaysWhatIsInIt) {
  CommonTrace trace;
  EXPECT_EQ(trace_notice(trace), "");
  trace.events.push_back({"send", 3, "send to 1", "worker 0 cpu:0", 10, 0.25});
  trace.clock_errors = {{"worker 0", 0}, {"worker 1", 3e-4}};
  EXPECT_THAT(trace_notice(trace), HasSubstr("2 tasks on one clock"));
  EXPECT_THAT(trace_notice(trace), HasSubstr("0.300 ms"));
  trace.left_out = 7;
  EXPECT_THAT(trace_notice(trace), HasSubstr("7 events"));
}

}  // namespace
}  // namespace convoy::job
