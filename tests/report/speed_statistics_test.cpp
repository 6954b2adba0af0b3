#include "core/report/speed_statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace convoy {
namespace {

constexpr double kTolerance = 1e-9;

SpeedStatistics filled(std::optional<double> newest_weight) {
  SpeedStatistics statistics(100, newest_weight);
  for (const double seconds : {1.0, 2.0, 4.0, 1.0}) statistics.add(seconds);
  return statistics;
}

TEST(SpeedStatistics, MeanIsImagesOverTheAverageTime) {
  // Times average to 2 s; the average of the speeds themselves would be 68.75.
  EXPECT_NEAR(filled({}).speed().mean, 50, kTolerance);
}

TEST(SpeedStatistics, StandardErrorIsThePopulationDeviationOverTheRootOfTheCount) {
  // Speeds 100, 50, 25, 100: mean 68.75, squared deviations sum to 4218.75.
  EXPECT_NEAR(filled({}).speed().standard_error, std::sqrt(4218.75 / 4) / 2, kTolerance);
}

TEST(SpeedStatistics, JitterIsTheScaledMedianAbsoluteDeviation) {
  // Median of the speeds 75; deviations 25, 25, 50, 25 with median 25.
  EXPECT_NEAR(filled({}).speed().jitter, 1.4826 * 25, kTolerance);
}

TEST(SpeedStatistics, OneStepHasNeitherErrorNorJitter) {
  SpeedStatistics statistics(64);
  statistics.add(0.5);
  EXPECT_NEAR(statistics.speed().mean, 128, kTolerance);
  EXPECT_EQ(statistics.speed().standard_error, 0);
  EXPECT_EQ(statistics.speed().jitter, 0);
}

TEST(SpeedStatistics, WeighsNewStepsMoreWhenAsked) {
  // Weights 1, 0.5, 0.25, 0.125 from the newest: (1 + 2 + 0.5 + 0.125) / 1.875.
  EXPECT_NEAR(filled(0.5).speed().mean, 100 / (3.625 / 1.875), kTolerance);
  EXPECT_NEAR(filled(1).speed().mean, 100, kTolerance);
  EXPECT_NEAR(filled(0).speed().mean, 50, kTolerance);
}

TEST(SpeedStatistics, GivesQuantilesOfStepTimes) {
  SpeedStatistics statistics(1);
  for (int i = 101; i >= 1; --i) statistics.add(i);
  const StepTimes times = statistics.step_times();
  EXPECT_NEAR(times.p50, 51, kTolerance);
  EXPECT_NEAR(times.p90, 91, kTolerance);
  EXPECT_NEAR(times.p99, 100, kTolerance);
  EXPECT_EQ(times.maximum, 101);
}

}  // namespace
}  // namespace convoy
