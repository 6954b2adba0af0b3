#include "core/job/median_step.hpp"

#include <gtest/gtest.h>

namespace convoy::job {
namespace {

// Shows it steps of these times and returns the number of the one it kept.
std::int64_t kept_of(const std::vector<double>& seconds) {
  MedianStep median;
  for (std::size_t i = 0; i < seconds.size(); ++i)
    if (median.is_nearer(seconds[i]))
      median.keep({static_cast<std::int64_t>(i + 1), {10, 10 + seconds[i]}, {}, {}});
  return median.kept()->number;
}

TEST(MedianStep, KeepsTheStepNearestToTheMedian) {
  EXPECT_EQ(kept_of({5}), 1);
  EXPECT_EQ(kept_of({9, 1, 5, 5.1, 4.9}), 3);
  EXPECT_EQ(kept_of({100, 2, 2.5, 1.5, 2, 90, 2.2}), 5);
}

TEST(MedianStep, ForgetsStepsOfAnotherPlan) {
  MedianStep median;
  EXPECT_TRUE(median.is_nearer(1));
  median.keep({1, {0, 1}, {}, {}});
  EXPECT_FALSE(median.is_nearer(2));
  median.forget();
  EXPECT_FALSE(median.kept().has_value());
  EXPECT_TRUE(median.is_nearer(3));
}

}  // namespace
}  // namespace convoy::job
