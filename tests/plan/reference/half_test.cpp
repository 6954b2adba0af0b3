#include "core/plan/reference/half.hpp"

#include <gtest/gtest.h>

namespace convoy::testing {
namespace {

TEST(HalfFloats, EveryF16SurvivesTheRoundTrip) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    if (std::isnan(plan::from_f16(half))) continue;
    ASSERT_EQ(plan::to_f16(plan::from_f16(half)), half) << bits;
  }
  EXPECT_EQ(plan::from_f16(0x3c00), 1.0f);
  EXPECT_EQ(plan::from_f16(0x0001), 0x1p-24f);
  EXPECT_EQ(plan::to_f16(2049.0f), 0x6800);  // ties to even
  EXPECT_EQ(plan::to_f16(65519.0f), 0x7bff);
  EXPECT_EQ(plan::to_f16(65520.0f), 0x7c00);
  EXPECT_EQ(plan::to_f16(0x1p-25f), 0);
}

TEST(HalfFloats, EveryBf16SurvivesTheRoundTrip) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    if (std::isnan(plan::from_bf16(half))) continue;
    ASSERT_EQ(plan::to_bf16(plan::from_bf16(half)), half) << bits;
  }
  EXPECT_EQ(plan::to_bf16(1.00390625f), 0x3f80);  // ties to even
}

}  // namespace
}  // namespace convoy::testing
