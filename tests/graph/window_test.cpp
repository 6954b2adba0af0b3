#include "core/graph/window.hpp"

#include <gtest/gtest.h>

namespace convoy::graph {
namespace {

struct WindowCase {
  const char* what;
  uint32_t input, kernel, stride, padding;
  AxisWindow expected;
};

class WindowTest : public testing::TestWithParam<WindowCase> {};

TEST_P(WindowTest, CoversTheAxisAsTheRuleSays) {
  const WindowCase& c = GetParam();
  const AxisWindow actual = cover_axis(c.input, c.kernel, c.stride, c.padding);
  EXPECT_EQ(actual.output, c.expected.output) << c.what;
  EXPECT_EQ(actual.before, c.expected.before) << c.what;
  EXPECT_EQ(actual.after, c.expected.after) << c.what;
}

INSTANTIATE_TEST_SUITE_P(
    Rules, WindowTest,
    testing::Values(
        WindowCase{"3/2 SAME on 112 pads after only", 112, 3, 2, CONVOY_PADDING_SAME, {56, 0, 1}},
        WindowCase{"7/2 SAME on 224", 224, 7, 2, CONVOY_PADDING_SAME, {112, 2, 3}},
        WindowCase{"1/2 SAME needs no padding", 56, 1, 2, CONVOY_PADDING_SAME, {28, 0, 0}},
        WindowCase{"SAME rounds up", 7, 2, 2, CONVOY_PADDING_SAME, {4, 0, 1}},
        WindowCase{
            "SAME takes a kernel larger than its input", 2, 7, 1, CONVOY_PADDING_SAME, {2, 3, 3}},
        WindowCase{"7/2 FIXED is symmetric", 224, 7, 2, CONVOY_PADDING_FIXED, {112, 3, 3}},
        WindowCase{"3/2 FIXED", 56, 3, 2, CONVOY_PADDING_FIXED, {28, 1, 1}},
        WindowCase{"4/2 FIXED pads the rest after", 56, 4, 2, CONVOY_PADDING_FIXED, {28, 1, 2}},
        WindowCase{"3/1 FIXED is SAME", 56, 3, 1, CONVOY_PADDING_FIXED, {56, 1, 1}},
        WindowCase{"11/4 VALID", 227, 11, 4, CONVOY_PADDING_VALID, {55, 0, 0}},
        WindowCase{"VALID drops the remainder", 8, 3, 2, CONVOY_PADDING_VALID, {3, 0, 0}},
        WindowCase{"VALID refuses a kernel larger than its input",
                   2,
                   3,
                   1,
                   CONVOY_PADDING_VALID,
                   {0, 0, 0}}));

}  // namespace
}  // namespace convoy::graph
