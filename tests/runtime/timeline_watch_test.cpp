#include "core/runtime/timeline_watch.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace convoy::runtime::timeline_watch_test {
namespace {

TEST(TimelineWatch, WantsThePointsOfASleeperAndNothingElse) {
  TimelineWatch watch;
  const std::uint64_t first = 3;
  const std::uint64_t second = 0;
  EXPECT_FALSE(watch.wants(&first, 9));
  const std::vector<convoy_wait> points{{&first, 4}, {&second, 7}};
  EXPECT_TRUE(watch.begin(points));
  EXPECT_FALSE(watch.wants(&first, 3));
  EXPECT_TRUE(watch.wants(&first, 4));
  EXPECT_TRUE(watch.wants(&second, 8));
  const std::uint64_t other = 0;
  EXPECT_FALSE(watch.wants(&other, 9));
  watch.end();
  EXPECT_FALSE(watch.wants(&first, 4));
}

TEST(TimelineWatch, DoesNotLetSleepWhomAPointHoldsFor) {
  TimelineWatch watch;
  const std::uint64_t first = 3;
  const std::uint64_t second = 7;
  EXPECT_FALSE(watch.begin(std::vector<convoy_wait>{{&first, 4}, {&second, 7}}));
}

TEST(TimelineWatch, WantsAllWhereThereAreMorePointsThanItHolds) {
  TimelineWatch watch;
  const std::uint64_t timeline = 0;
  const std::uint64_t other = 0;
  const std::vector<convoy_wait> points(TimelineWatch::kMostPoints + 1, {&timeline, 4});
  EXPECT_TRUE(watch.begin(points));
  EXPECT_TRUE(watch.wants(&other, 1));
}

}  // namespace
}  // namespace convoy::runtime::timeline_watch_test
