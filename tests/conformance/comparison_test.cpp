#include "core/conformance/comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace convoy::conformance {
namespace {

TEST(Comparison, IsRightWhileNumbersDifferByNoMoreThanAllowed) {
  Comparison comparison;
  comparison.element(1.0, 1.1, 0.11, [] { return "a"; });
  comparison.tensor("b", std::vector<float>{1, 2}, std::vector<float>{1, 2}, 0, 0);
  EXPECT_TRUE(comparison.right());
  EXPECT_EQ(comparison.text(), "");
}

TEST(Comparison, NamesTheDifferenceThatIsLargestInTermsOfWhatIsAllowed) {
  Comparison comparison;
  comparison.element(10.0, 0.0, 5.0, [] { return "twice what is allowed"; });
  comparison.element(0.5, 0.25, 0.01, [] { return "x[3]"; });
  comparison.element(1.0, 1.0, 0.0, [] { return "right"; });
  EXPECT_EQ(comparison.text(),
            "x[3] is 0.5 instead of 0.25, off by 0.25 where 0.01 is allowed; 2 of the 3 numbers "
            "that were compared are wrong");
}

TEST(Comparison, TakesInfiniteNumbersAndNotANumberAtTheirWord) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::nan("");
  const auto right = [](double measured, double expected) {
    Comparison comparison;
    comparison.element(measured, expected, 1.0, [] { return "x"; });
    return comparison.right();
  };
  EXPECT_TRUE(right(infinity, infinity));
  EXPECT_TRUE(right(nan, nan));
  EXPECT_FALSE(right(nan, 1.0));
  EXPECT_FALSE(right(1.0, nan));
  EXPECT_FALSE(right(infinity, 1.0));
  EXPECT_FALSE(right(-infinity, infinity));
}

TEST(ElementName, CountsInPlainOrder) {
  const std::uint64_t dimensions[] = {7, 6, 4, 4};
  EXPECT_EQ(element_name("w", dimensions, 0), "w[0,0,0,0] of 7x6x4x4 elements");
  EXPECT_EQ(element_name("w", dimensions, 6 * 16 + 16 + 4 + 2), "w[1,1,1,2] of 7x6x4x4 elements");
}

}  // namespace
}  // namespace convoy::conformance
