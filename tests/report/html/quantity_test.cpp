#include "core/report/html/quantity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace convoy::report {
namespace {

using testing::ElementsAre;

TEST(Quantity, HasTheUnitThatFitsAndThreeDigits) {
  EXPECT_EQ(quantity(0.02643, Unit::kSeconds), "26.4 ms");
  EXPECT_EQ(quantity(0.0000123, Unit::kSeconds), "12.3 \u00b5s");
  EXPECT_EQ(quantity(90.5, Unit::kSeconds), "90.5 s");
  EXPECT_EQ(quantity(1735.67, Unit::kRate), "1,736 images/s");
  EXPECT_EQ(quantity(1234567, Unit::kRate), "1,234,567 images/s");
  EXPECT_EQ(quantity(0.7312, Unit::kShare), "73.1 %");
  EXPECT_EQ(quantity(6.48e6, Unit::kBytes), "6.48 MB");
  EXPECT_EQ(quantity(8, Unit::kNumber), "8");
  EXPECT_EQ(plain_number(-1234.4), "-1,234");
  EXPECT_EQ(tick_label(10000, {1, ""}), "10,000");
  EXPECT_EQ(tick_label(2.5e12, {1, ""}), "2.5e+12");
}

TEST(Quantity, TicksAreRoundBeginAtZeroAndReachTheLargest) {
  const Scale scale = scale_for(Unit::kSeconds, 0.0463);
  EXPECT_EQ(scale.suffix, "ms");
  EXPECT_THAT(ticks_up_to(0.0463, scale, false), ElementsAre(0, 0.01, 0.02, 0.03, 0.04, 0.05));
  EXPECT_THAT(ticks_up_to(1, {1, ""}, true), ElementsAre(0, 1));
  EXPECT_THAT(ticks_up_to(8, {1, ""}, true, 4), ElementsAre(0, 2, 4, 6, 8));
  EXPECT_THAT(ticks_up_to(0, {1, ""}, false).front(), 0);
  for (const double largest : {1e-9, 3.7e-4, 0.99, 1.0, 7.3, 12345.0, 8e12})
    EXPECT_GE(ticks_up_to(largest, {1, ""}, false).back(), largest * (1 - 1e-9)) << largest;
}

TEST(Quantity, TicksOfPositionsLieBetweenTheEnds) {
  EXPECT_THAT(ticks_between({13.2, 17.8}, {1, ""}, false), ElementsAre(14, 15, 16, 17));
  EXPECT_THAT(ticks_between({0, 2}, {1, ""}, true), ElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace convoy::report
