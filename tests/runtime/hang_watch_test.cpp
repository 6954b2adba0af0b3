#include "core/runtime/hang_watch.hpp"

#include <gtest/gtest.h>

namespace convoy::testing::hang_watch_test {
namespace {

using runtime::HangWatch;
using std::chrono::milliseconds;

class HangWatchTest : public ::testing::Test {
 protected:
  // Looks every 50 ms for so long, during which lane 0 may run the operation of this value.
  // Returns how long that has taken.
  double look_for(milliseconds time, std::uint64_t progress, std::uint64_t value) {
    double seconds = 0;
    for (const auto end = now_ + time; now_ < end;) {
      now_ += milliseconds(50);
      watch_.look(now_, progress);
      seconds = watch_.may_run(0, value);
    }
    return seconds;
  }
  // The same while nothing may run.
  void wait_for(milliseconds time, std::uint64_t progress) {
    for (const auto end = now_ + time; now_ < end;) watch_.look(now_ += milliseconds(50), progress);
  }

  HangWatch watch_{2};
  HangWatch::TimePoint now_{std::chrono::hours(5)};
};

TEST_F(HangWatchTest, CountsFromTheFirstLookThatSeesAnOperation) {
  EXPECT_DOUBLE_EQ(look_for(milliseconds(50), 3, 1), 0);
  EXPECT_DOUBLE_EQ(look_for(milliseconds(950), 3, 1), 0.95);
  EXPECT_DOUBLE_EQ(watch_.still(), 0.95);
}

TEST_F(HangWatchTest, DoesNotCountTheTimeBeforeAnOperationMayRun) {
  wait_for(milliseconds(700), 3);
  EXPECT_DOUBLE_EQ(look_for(milliseconds(300), 3, 1), 0.25);
  EXPECT_DOUBLE_EQ(watch_.still(), 0.95);
}

TEST_F(HangWatchTest, BeginsAnewWithTheNextOperationAndWithProgress) {
  look_for(milliseconds(500), 3, 1);
  EXPECT_DOUBLE_EQ(look_for(milliseconds(300), 3, 2), 0.25);
  EXPECT_DOUBLE_EQ(look_for(milliseconds(200), 4, 2), 0.15);
  EXPECT_DOUBLE_EQ(watch_.still(), 0.15);
}

TEST_F(HangWatchTest, KeepsLanesApart) {
  look_for(milliseconds(500), 3, 1);
  EXPECT_DOUBLE_EQ(watch_.may_run(1, 1), 0);
  EXPECT_DOUBLE_EQ(watch_.may_run(0, 1), 0.45);
}

TEST_F(HangWatchTest, DoesNotCountTheTimeInWhichTheProcessIsStopped) {
  look_for(milliseconds(500), 3, 1);
  now_ += std::chrono::hours(1);
  EXPECT_DOUBLE_EQ(look_for(milliseconds(50), 3, 1), 0.55);
}

}  // namespace
}  // namespace convoy::testing::hang_watch_test
