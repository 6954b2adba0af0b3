#include "core/runtime/trial/call_time.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace convoy::testing {
namespace {

using runtime::counted_seconds;

TEST(CallTime, CountsWhatIsComputedOnABusyMachine) {
  EXPECT_EQ(counted_seconds({.on_wall = 40, .computed = 9, .waited = 31}), 9);
  EXPECT_EQ(counted_seconds({.on_wall = 12, .computed = 12, .waited = 0}), 12);
}

TEST(CallTime, CountsTheWallWhereThreadsComputeTogether) {
  EXPECT_EQ(counted_seconds({.on_wall = 3, .computed = 40, .waited = 50}), 3);
}

TEST(CallTime, CountsSleep) {
  EXPECT_EQ(counted_seconds({.on_wall = 60, .computed = 0, .waited = 0}), 60);
  EXPECT_EQ(counted_seconds({.on_wall = 60, .computed = 4, .waited = 20}), 40);
}

TEST(CallTime, CountsASixthOfWaitingForProcessors) {
  EXPECT_EQ(counted_seconds({.on_wall = 60, .computed = 0, .waited = 60}), 10);
  EXPECT_EQ(counted_seconds({.on_wall = 60, .computed = 4, .waited = 100}), 10);
}

TEST(CallTime, GoesOnWhileAProcessSleeps) {
  const runtime::ProcessTime begin = runtime::time_of(getpid());
  usleep(60'000);
  EXPECT_GE(counted_seconds(begin, runtime::time_of(getpid())), 0.01);
}

}  // namespace
}  // namespace convoy::testing
