#include "plugins/devices/cpu/convolutions/bf16_row_gradient.hpp"

#include <gtest/gtest.h>

#include <cstddef>

#include "tests/devices/cpu/convolutions/bf16_operands.hpp"

namespace convoy::cpu {
namespace {

// Source, result, kernel, strides, padding at the top and left; batch, channels of both.
const ConvolutionShape kRowCases[] = {
    {{1, 2, 1, 1, 1, 2, 1, 1, 0, 0}, 1, 1, 16, 0},      // a single place
    {{8, 9, 8, 9, 3, 3, 1, 1, 1, 1}, 3, 3, 16, 0},      //
    {{8, 9, 6, 7, 3, 3, 1, 1, 0, 0}, 2, 3, 32, 0},      // without padding
    {{21, 19, 11, 10, 7, 7, 2, 2, 3, 3}, 2, 3, 64, 0},  // two blocks of a row's elements
    {{15, 15, 7, 7, 3, 3, 2, 2, 0, 0}, 2, 3, 48, 0},    //
    {{14, 14, 7, 7, 3, 3, 2, 2, 0, 0}, 2, 3, 16, 0},    // padded below only, as SAME is
    {{35, 31, 7, 6, 11, 11, 4, 4, 0, 0}, 2, 3, 32, 0},  // three blocks, four planes
    {{12, 12, 12, 12, 5, 5, 1, 1, 2, 2}, 5, 1, 16, 0},  // grey images
    {{9, 9, 9, 9, 3, 4, 1, 1, 1, 2}, 2, 15, 16, 0},     // four blocks
    {{6, 20, 6, 5, 1, 5, 1, 4, 0, 1}, 2, 4, 16, 0},     // a single row of the filter
    {{2, 3, 2, 3, 5, 5, 1, 1, 2, 2}, 2, 3, 16, 0},      // a filter larger than the image
    {{4, 30, 4, 4, 3, 3, 1, 9, 1, 0}, 2, 3, 16, 0},     // columns that no place meets
    {{64, 64, 32, 32, 7, 7, 2, 2, 2, 2}, 2, 3, 16, 0},  // several parts
};

class Bf16Rows : public testing::TestWithParam<ConvolutionShape> {
 protected:
  void SetUp() override {
    if (bf16_kernels() == nullptr) {
      GTEST_SKIP() << "no bf16 products, or the system or oneDNN's limit forbids them";
    }
    ASSERT_TRUE(Bf16RowGradient::suits(GetParam())) << GetParam();
  }
};

TEST_P(Bf16Rows, GiveTheWeightsOfADirectSumInDoublePrecision) {
  const ConvolutionShape& shape = GetParam();
  Bf16RowOperands operands(shape);
  operands.run(2);
  for (std::size_t o = 0; o < shape.out_channels; o += 5) {
    for (std::size_t i = 0; i < shape.in_channels; ++i) {
      for (std::size_t y = 0; y < shape.kernel_height; ++y) {
        for (std::size_t x = 0; x < shape.kernel_width; ++x) {
          const ExpectedSum expected = expected_sum(operands, o, i, y, x);
          ASSERT_NEAR(operands.weight(o, i, y, x), expected.value(), expected.bound())
              << shape << " at " << o << ',' << i << ',' << y << ',' << x;
        }
      }
    }
  }
}

TEST_P(Bf16Rows, SumTheBias) {
  expect_sums_of_bias<Bf16RowGradient>(GetParam());
}

TEST_P(Bf16Rows, GiveTheSameForAnyNumberOfThreads) {
  expect_same_for_any_threads<Bf16RowGradient>(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Shapes, Bf16Rows, testing::ValuesIn(kRowCases));

TEST(Bf16RowsSuit, FewChannelsAndFiltersOfSeveralColumns) {
  ConvolutionShape shape = kRowCases[1];
  shape.in_channels = 16;  // Bf16WeightsGradient's
  EXPECT_FALSE(Bf16RowGradient::suits(shape));
  shape = kRowCases[1];
  shape.out_channels = 24;
  EXPECT_FALSE(Bf16RowGradient::suits(shape));
  shape = kRowCases[1];
  shape.kernel_width = shape.in_width = 1;
  EXPECT_FALSE(Bf16RowGradient::suits(shape));
  shape = kRowCases[8];
  shape.kernel_width = 5;  // 75 elements
  EXPECT_FALSE(Bf16RowGradient::suits(shape));
}

}  // namespace
}  // namespace convoy::cpu
