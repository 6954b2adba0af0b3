#include "core/base/text/number.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace convoy {
namespace {

TEST(ParseNumber, IsTheWholeText) {
  EXPECT_EQ(parse_number<int>("-17"), -17);
  EXPECT_EQ(parse_number<double>("2.5e-3"), 2.5e-3);
  for (const char* text : {"", " 1", "1 ", "1x", "x", "+1", "1,5", "0x1"})
    EXPECT_EQ(parse_number<int>(text), std::nullopt) << text;
}

TEST(ParseNumber, StaysInTheRangeOfItsType) {
  EXPECT_EQ(parse_number<std::uint16_t>("65535"), 65535);
  EXPECT_EQ(parse_number<std::uint16_t>("65536"), std::nullopt);
  EXPECT_EQ(parse_number<std::uint32_t>("-1"), std::nullopt);
  EXPECT_EQ(parse_number<double>("1e999"), std::nullopt);
}

TEST(ParseNumber, TakesDigitsOfAnotherBase) {
  EXPECT_EQ(parse_number<std::uint32_t>("10de", 16), 0x10deu);
  EXPECT_EQ(parse_number<std::uint32_t>("10dg", 16), std::nullopt);
}

}  // namespace
}  // namespace convoy
