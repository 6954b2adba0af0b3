#include "core/job/training/median_step.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

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
  EXPECT_EQ(kept_of({9, 1, 5}), 3);
  EXPECT_EQ(kept_of({9, 1, 5, 4, 5.5}), 3);
}

TEST(MedianStep, OfManyStepsItIsTheMedianOrCloseToIt) {
  std::mt19937_64 random(1);
  std::vector<double> seconds;
  seconds.reserve(1000);
  for (int i = 0; i < 1000; ++i)
    seconds.push_back(1 + static_cast<double>(random() % 100000) / 1e5);
  const double kept = seconds[static_cast<std::size_t>(kept_of(seconds) - 1)];
  std::ranges::sort(seconds);
  EXPECT_GT(kept, seconds[450]);
  EXPECT_LT(kept, seconds[550]);
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
