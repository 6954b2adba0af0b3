#include "core/runtime/trial/call_time.hpp"

#include <gtest/gtest.h>

namespace convoy::testing {
namespace {

using runtime::counted_seconds;

TEST(CallTime, CountsWhatIsComputedOnABusyMachine) {
  EXPECT_EQ(counted_seconds(40, 9), 9);
  EXPECT_EQ(counted_seconds(12, 12), 12);
}

TEST(CallTime, CountsTheWallWhereThreadsComputeTogether) {
  EXPECT_EQ(counted_seconds(3, 40), 3);
}

TEST(CallTime, CountsASixthOfSleep) {
  EXPECT_EQ(counted_seconds(60, 0), 10);
  EXPECT_EQ(counted_seconds(60, 4), 10);
}

TEST(CallTime, GoesOnDuringACall) {
  const runtime::TimedCall call(600);
  const double before = call.seconds();
  while (call.seconds() == before) {
  }
  EXPECT_GT(call.seconds(), before);
}

}  // namespace
}  // namespace convoy::testing
