#include "core/plan/check/recurrence/count_patterns.hpp"

#include <gtest/gtest.h>

#include "core/plan/check/symbolic/weight.hpp"

namespace convoy::testing {
namespace {

std::vector<std::uint64_t> in_field(const std::vector<double>& counts) {
  std::vector<std::uint64_t> exact;
  exact.reserve(counts.size());
  for (const double count : counts) exact.push_back(plan::check::from_scalar(count).field);
  return exact;
}

std::optional<double> factor_in(const std::vector<double>& counts) {
  return plan::check::restarted_momentum(in_field(counts));
}

std::optional<double> kept_in(const std::vector<double>& counts) {
  return plan::check::proximal_pull(in_field(counts));
}

std::optional<double> between_in(const std::vector<double>& counts) {
  return plan::check::delayed_mixing(in_field(counts));
}

TEST(DelayedMixing, MakesGradientsInBetweenCountLess) {
  EXPECT_EQ(between_in({1, 0.75, 0.75, 1}), 0.75);
  EXPECT_EQ(between_in({0.75, 1, 1, 0.75}), 0.75);  // over the end of a period
  EXPECT_EQ(between_in({0.5, 1}), 0.5);
}

TEST(DelayedMixing, IsNothingElse) {
  EXPECT_EQ(between_in({}), std::nullopt);
  EXPECT_EQ(between_in({1, 1}), std::nullopt);
  EXPECT_EQ(between_in({0.5, 0.5}), std::nullopt);
  EXPECT_EQ(between_in({1, 2, 1}), std::nullopt);
  EXPECT_EQ(between_in({1, 0, 1}), std::nullopt);
  EXPECT_EQ(between_in({1, -0.5, 1}), std::nullopt);
  EXPECT_EQ(between_in({1, 0.5, 0.25}), std::nullopt);
  EXPECT_EQ(between_in({1, 0.5, 1, 0.5}), std::nullopt);
}

TEST(RestartedMomentum, MakesEarlierGradientsCountMore) {
  EXPECT_EQ(factor_in({1.75, 1.5, 1}), 0.5);
  EXPECT_EQ(factor_in({1.9, 1}), 0.9);
  EXPECT_EQ(factor_in({0.271, 0.19, 0.1}), 0.9);  // dampened
  EXPECT_EQ(factor_in({1.875, 1.75, 1.5}), 0.5);  // Nesterov's
  EXPECT_EQ(factor_in({1.75, 1.5}), 0.5);         // the same of two computes
  EXPECT_EQ(factor_in({2.71, 1.9}), 0.9);
  EXPECT_EQ(factor_in({0.875, 0.75}), 0.5);  // dampened, too
}

TEST(RestartedMomentum, IsNothingElse) {
  EXPECT_EQ(factor_in({}), std::nullopt);
  EXPECT_EQ(factor_in({1}), std::nullopt);
  EXPECT_EQ(factor_in({1, 1, 1}), std::nullopt);
  EXPECT_EQ(factor_in({1, 1.5, 1.75}), std::nullopt);
  EXPECT_EQ(factor_in({1.75, 1.5, 1.25}), std::nullopt);
  EXPECT_EQ(factor_in({3.5, 3, 2}), std::nullopt);  // of twice the gradient
  EXPECT_EQ(factor_in({3, 2, 1}), std::nullopt);    // never fades
  EXPECT_EQ(factor_in({2, 1}), std::nullopt);
  EXPECT_EQ(factor_in({3.5, 3}), std::nullopt);  // of twice the gradient
  EXPECT_EQ(factor_in({1.5, 1.75}), std::nullopt);
  EXPECT_EQ(factor_in({0, 1}), std::nullopt);
}

TEST(ProximalPull, MakesEarlierGradientsCountLess) {
  EXPECT_EQ(kept_in({0.25, 0.5, 1}), 0.5);
  EXPECT_EQ(kept_in({0.125, 0.25, 0.5}), 0.5);  // after the last gradient, too
  EXPECT_EQ(kept_in({0.75, 1}), 0.75);
}

TEST(ProximalPull, IsNothingElse) {
  EXPECT_EQ(kept_in({}), std::nullopt);
  EXPECT_EQ(kept_in({1}), std::nullopt);
  EXPECT_EQ(kept_in({1, 1, 1}), std::nullopt);
  EXPECT_EQ(kept_in({1, 0.5, 0.25}), std::nullopt);
  EXPECT_EQ(kept_in({0.5, 0.5, 1}), std::nullopt);
  EXPECT_EQ(kept_in({0.5, 1, 2}), std::nullopt);  // of twice the gradient
  EXPECT_EQ(kept_in({0, 1}), std::nullopt);
  EXPECT_EQ(kept_in({0, 0}), std::nullopt);
}

std::optional<std::uint64_t> points_in(const std::vector<double>& counts) {
  return plan::check::averaged_iterates(in_field(counts));
}

TEST(AveragedIterates, MakesLaterGradientsCountLess) {
  EXPECT_EQ(points_in({1, 0.75, 0.5, 0.25}), 4);
  EXPECT_EQ(points_in({1, 2.0 / 3, 1.0 / 3}), 3);
  EXPECT_EQ(points_in({1, 1, 0.5, 0.5}), 2);  // every second one
}

TEST(AveragedIterates, IsNothingElse) {
  EXPECT_EQ(points_in({}), std::nullopt);
  EXPECT_EQ(points_in({1}), std::nullopt);
  EXPECT_EQ(points_in({1, 1, 1}), std::nullopt);
  EXPECT_EQ(points_in({0.5, 1}), std::nullopt);
  EXPECT_EQ(points_in({1, 0.5, 0.25}), std::nullopt);
  EXPECT_EQ(points_in({2, 1}), std::nullopt);
  EXPECT_EQ(points_in({0.75, 0.5, 0.25}), std::nullopt);
  EXPECT_EQ(points_in({1, 0.5, 0}), std::nullopt);
}

}  // namespace
}  // namespace convoy::testing
