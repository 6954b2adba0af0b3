#include "core/plan/check/recurrence/pulled_back.hpp"

#include <gtest/gtest.h>

#include "core/plan/check/symbolic/weight.hpp"

namespace convoy::testing {
namespace {

std::optional<double> kept_in(const std::vector<double>& counts) {
  std::vector<std::uint64_t> exact;
  exact.reserve(counts.size());
  for (const double count : counts) exact.push_back(check::from_scalar(count).field);
  return check::pulled_back(exact);
}

TEST(PulledBack, MakesEarlierGradientsCountLess) {
  EXPECT_EQ(kept_in({0.25, 0.5, 1}), 0.5);
  EXPECT_EQ(kept_in({0.125, 0.25, 0.5}), 0.5);  // after the last gradient, too
  EXPECT_EQ(kept_in({0.75, 1}), 0.75);
}

TEST(PulledBack, IsNothingElse) {
  EXPECT_EQ(kept_in({}), std::nullopt);
  EXPECT_EQ(kept_in({1}), std::nullopt);
  EXPECT_EQ(kept_in({1, 1, 1}), std::nullopt);
  EXPECT_EQ(kept_in({1, 0.5, 0.25}), std::nullopt);
  EXPECT_EQ(kept_in({0.5, 0.5, 1}), std::nullopt);
  EXPECT_EQ(kept_in({0.5, 1, 2}), std::nullopt);  // of twice the gradient
  EXPECT_EQ(kept_in({0, 1}), std::nullopt);
  EXPECT_EQ(kept_in({0, 0}), std::nullopt);
}

}  // namespace
}  // namespace convoy::testing
