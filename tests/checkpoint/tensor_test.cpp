#include "core/checkpoint/tensor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "core/base/error.hpp"
#include "tests/support/thrown_text.hpp"

namespace convoy::checkpoint {
namespace {

using ::testing::ElementsAre;

TEST(Tensor, NamesOfTypesReadBackAsTheSameType) {
  for (int i = 0; i <= static_cast<int>(TensorDtype::kU64); ++i) {
    const auto dtype = static_cast<TensorDtype>(i);
    EXPECT_EQ(parse_tensor_dtype(tensor_dtype_name(dtype)), dtype) << tensor_dtype_name(dtype);
  }
  EXPECT_FALSE(parse_tensor_dtype("f32"));
}

TEST(Tensor, CountsBytesAndNoticesOverflow) {
  EXPECT_EQ((TensorInfo{"x", TensorDtype::kF64, {3, 5}}).bytes(), 120u);
  EXPECT_EQ((TensorInfo{"scalar", TensorDtype::kF32, {}}).bytes(), 4u);
  EXPECT_EQ((TensorInfo{"empty", TensorDtype::kF32, {7, 0}}).bytes(), 0u);
  const std::uint64_t half = std::uint64_t{1} << 32;
  EXPECT_FALSE((TensorInfo{"x", TensorDtype::kU8, {half, half}}).bytes());
  EXPECT_FALSE((TensorInfo{"x", TensorDtype::kF32, {half, half / 4}}).bytes());
  EXPECT_FALSE((TensorInfo{"x", TensorDtype::kU8, {half, half, 0}}).bytes());
}

TEST(Tensor, ReadsHalfPrecisionNumbers) {
  // 1, -2, the largest, the smallest normal, the smallest denormal, infinity.
  const std::array<std::uint16_t, 6> bits = {0x3c00, 0xc000, 0x7bff, 0x0400, 0x0001, 0x7c00};
  EXPECT_THAT(
      tensor_floats({"x", TensorDtype::kF16, {6}}, std::as_bytes(std::span(bits))),
      ElementsAre(1.0f, -2.0f, 65504.0f, std::ldexp(1.0f, -14), std::ldexp(1.0f, -24), INFINITY));
  const std::array<std::uint16_t, 2> brain = {0x3f80, 0xc040};
  EXPECT_THAT(tensor_floats({"x", TensorDtype::kBf16, {2}}, std::as_bytes(std::span(brain))),
              ElementsAre(1.0f, -3.0f));
}

TEST(Tensor, RefusesTypesThatAreNoNumbersWithAFraction) {
  const std::array<std::int64_t, 1> value = {7};
  EXPECT_THAT(thrown_text([&] {
                tensor_floats({"steps", TensorDtype::kI64, {1}}, std::as_bytes(std::span(value)));
              }),
              ::testing::HasSubstr("'steps' is of type I64"));
}

TEST(Tensor, TextFromFilesCannotSteerATerminal) {
  EXPECT_EQ(printable("conv\n\x1b[2J"), "conv\\x0a\\x1b[2J");
  EXPECT_EQ(printable(std::string(300, 'a')), std::string(200, 'a') + "...");
}

}  // namespace
}  // namespace convoy::checkpoint
