#include "core/report/speed_statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/base/numbers/statistics.hpp"

namespace convoy::report {
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

double jitter_of(std::vector<double> speeds) {
  const double centre = median(speeds);
  for (double& speed : speeds) speed = std::abs(speed - centre);
  return 1.4826 * median(speeds);
}

double standard_error_of(const std::vector<double>& speeds) {
  const double centre = mean(speeds);
  double squares = 0;
  for (const double speed : speeds) squares += std::pow(speed - centre, 2);
  return std::sqrt(squares) / static_cast<double>(speeds.size());
}

TEST(SpeedStatistics, AreThoseOfAllStepsSoFarAfterEachOfThem) {
  std::mt19937_64 random(1);
  SpeedStatistics statistics(32);
  std::vector<double> speeds;
  for (int step = 0; step < 1200; ++step) {
    const double seconds = 0.1 + 0.001 * static_cast<double>(random() % (step % 2 == 0 ? 7 : 900));
    statistics.add(seconds);
    speeds.push_back(32 / seconds);
    ASSERT_NEAR(statistics.speed().jitter, jitter_of(speeds), kTolerance) << step;
    ASSERT_NEAR(statistics.speed().standard_error, standard_error_of(speeds), kTolerance) << step;
  }
}

// Were all steps read for every line, this would take minutes.
TEST(SpeedStatistics, OfLongRunsMayBeAskedForAfterEveryStep) {
  std::mt19937_64 random(2);
  SpeedStatistics statistics(32);
  for (int step = 0; step < 200000; ++step) {
    statistics.add(0.1 + 1e-6 * static_cast<double>(random() % 10000));
    ASSERT_GE(statistics.speed().jitter, 0);
    ASSERT_GT(statistics.step_times().p99, 0.1);
  }
  // Times are even between 0.1 and 0.11 s: half of them within 0.0025 s of their median.
  EXPECT_NEAR(statistics.speed().jitter, 1.4826 * 32 * 0.0025 / std::pow(0.105, 2), 0.1);
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
  EXPECT_NEAR(filled(0.5).speed_of_all().mean, 50, kTolerance);
  EXPECT_NEAR(filled(0.5).seconds(), 8, kTolerance);
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
}  // namespace convoy::report
