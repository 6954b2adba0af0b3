#include "core/plan/check/symbolic/weight.hpp"

#include <gtest/gtest.h>

namespace convoy::testing {
namespace {

using plan::check::from_scalar;

TEST(Weights, AreTheFractionsThatAuthorsMean) {
  EXPECT_EQ(from_scalar(0.2).field, (plan::check::whole(1) * plan::check::reciprocal(5)).field);
  EXPECT_EQ(from_scalar(static_cast<double>(0.1F)).field, plan::check::reciprocal(10).field);
  for (const double small : {1e-5, 3e-5})
    EXPECT_EQ((from_scalar(small) + from_scalar(1 - small)).field, 1u) << small;
  for (const double small : {1e-5, 3e-5, 1e-9}) {
    const plan::check::Weight weight = from_scalar(small);
    EXPECT_EQ((weight * from_scalar(1 / small)).field, 1u) << small;
    EXPECT_DOUBLE_EQ(plan::check::number_of(weight.field), small);
  }
  EXPECT_EQ(from_scalar(1.0 / 3).field, plan::check::reciprocal(3).field);
  EXPECT_EQ((from_scalar(-0.75) + from_scalar(0.75)).field, 0u);
}

// Some fractions with smaller denominators are equal in f32, other ones for each of the two.
TEST(Weights, OfAPartAndOfTheRestAreOneTogether) {
  for (int i = 0; i < 1000; ++i) {
    const double part = 0.9 * (1 - i / 1000.0);
    EXPECT_EQ((from_scalar(part) + from_scalar(1 - part)).field, 1u) << part;
  }
}

}  // namespace
}  // namespace convoy::testing
