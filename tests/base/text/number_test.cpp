#include "core/base/text/number.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "core/base/text/sent_number.hpp"
#include "tests/support/thrown_text.hpp"

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

TEST(ParseNearestNumber, StaysANumberOutOfRange) {
  EXPECT_EQ(parse_nearest_number<std::uint32_t>("17"), 17u);
  EXPECT_EQ(parse_nearest_number<std::uint32_t>("99999999999"), UINT32_MAX);
  EXPECT_EQ(parse_nearest_number<std::int64_t>("-99999999999999999999"), INT64_MIN);
  for (const char* text : {"", "x", "17x", "99999999999x"})
    EXPECT_EQ(parse_nearest_number<std::uint32_t>(text), std::nullopt) << text;
}

TEST(SentNumber, IsRefusedByTheWordsOfWhatItIs) {
  EXPECT_EQ(sent_number<std::uint64_t>("12", "number of updates"), 12u);
  EXPECT_EQ(thrown_text([] { (void)sent_number<std::uint64_t>("x", "number of updates"); }),
            "another task sent 'x' as its number of updates, which is no number");
}

TEST(ParseNumber, TakesDigitsOfAnotherBase) {
  EXPECT_EQ(parse_number<std::uint32_t>("10de", 16), 0x10deu);
  EXPECT_EQ(parse_number<std::uint32_t>("10dg", 16), std::nullopt);
}

}  // namespace
}  // namespace convoy
