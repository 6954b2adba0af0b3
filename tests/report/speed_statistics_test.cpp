#include "core/report/speed_statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace convoy {
namespace {

SpeedStatistics with_steps(std::initializer_list<double> seconds,
                           std::optional<double> newest = {}) {
  SpeedStatistics statistics(100, newest);
  for (double s : seconds) statistics.add(s);
  return statistics;
}

TEST(SpeedStatistics, OneStepHasNoSpread) {
  const Speed speed = with_steps({0.25}).speed();
  EXPECT_EQ(speed.mean, 400);
  EXPECT_EQ(speed.standard_error, 0);
  EXPECT_EQ(speed.jitter, 0);
}

TEST(SpeedStatistics, MeanIsImagesOverAverageTimeNotTheMeanOfSpeeds) {
  const Speed speed = with_steps({1.0, 0.25}).speed();
  EXPECT_DOUBLE_EQ(speed.mean, 160);
  // Speeds 100 and 400: population deviation 150 over the root of two steps.
  EXPECT_DOUBLE_EQ(speed.standard_error, 150 / std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(speed.jitter, 1.4826 * 150);
}

TEST(SpeedStatistics, JitterIgnoresAnOutlier) {
  // Speeds 100, 200, 200, 400, 10000: median 200, absolute deviations 100, 0, 0, 200, 9800.
  const Speed speed = with_steps({1.0, 0.5, 0.5, 0.25, 0.01}).speed();
  EXPECT_DOUBLE_EQ(speed.jitter, 1.4826 * 100);
}

TEST(SpeedStatistics, NewestStepsWeighMoreWhenAsked) {
  // Weights 1, 1/2, 1/4 from the newest: (0.25 + 0.5 * 0.5 + 0.25 * 1) / 1.75 seconds.
  EXPECT_DOUBLE_EQ(with_steps({1.0, 0.5, 0.25}, 0.5).speed().mean, 100 / (0.75 / 1.75));
  EXPECT_DOUBLE_EQ(with_steps({1.0, 0.5, 0.25}, 1.0).speed().mean, 400) << "only the newest";
  EXPECT_DOUBLE_EQ(with_steps({1.0, 0.5, 0.25}, 0.0).speed().mean,
                   with_steps({1.0, 0.5, 0.25}).speed().mean);
}

TEST(SpeedStatistics, PercentilesInterpolate) {
  SpeedStatistics statistics(1);
  for (int i = 101; i >= 1; --i) statistics.add(i);
  const auto percentiles = statistics.percentiles();
  EXPECT_DOUBLE_EQ(percentiles.p50, 51);
  EXPECT_DOUBLE_EQ(percentiles.p90, 91);
  EXPECT_DOUBLE_EQ(percentiles.p99, 100);
  EXPECT_DOUBLE_EQ(percentiles.max, 101);
  EXPECT_DOUBLE_EQ(with_steps({1.0, 3.0}).percentiles().p50, 2);
}

TEST(SpeedStatistics, ForgetsTheWarmUp) {
  auto statistics = with_steps({10.0, 10.0});
  statistics.clear();
  statistics.add(0.5);
  EXPECT_EQ(statistics.speed().mean, 200);
}

TEST(SpeedStatistics, RefusesToSpeakWithoutAStepOrOfOneThatTookNoTime) {
  EXPECT_THROW(with_steps({}).speed(), std::logic_error);
  EXPECT_THROW(with_steps({0.0}), std::logic_error);
}

}  // namespace
}  // namespace convoy
