#include "core/base/numbers/statistics.hpp"

#include <gtest/gtest.h>

namespace convoy {
namespace {

TEST(Statistics, MedianIsTheMiddleOrBetweenTheTwoOfIt) {
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({9, 1, 4}), 4);
  EXPECT_EQ(upper_median({9, 1, 4}), 4);
  EXPECT_EQ(upper_median({9, 1, 4, 2}), 4);
  EXPECT_EQ(median({9, 1, 4, 2}), 3);
}

TEST(Statistics, QuantileInterpolates) {
  EXPECT_DOUBLE_EQ(quantile({2, 1}, 0.5), 1.5);
  EXPECT_DOUBLE_EQ(quantile({3}, 0.9), 3);
  EXPECT_DOUBLE_EQ(quantile({4, 0, 2}, 1), 4);
  EXPECT_DOUBLE_EQ(quantile({4, 0, 2}, 0.25), 1);
}

}  // namespace
}  // namespace convoy
