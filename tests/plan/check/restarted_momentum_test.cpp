#include "core/plan/check/recurrence/restarted_momentum.hpp"

#include <gtest/gtest.h>

#include "core/plan/check/symbolic/weight.hpp"

namespace convoy::testing {
namespace {

std::optional<double> factor_in(const std::vector<double>& counts) {
  std::vector<std::uint64_t> exact;
  exact.reserve(counts.size());
  for (const double count : counts) exact.push_back(check::from_scalar(count).field);
  return check::restarted_momentum(exact);
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

}  // namespace
}  // namespace convoy::testing
