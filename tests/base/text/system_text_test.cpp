#include "core/base/text/system_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace convoy {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(NumbersOfList, AreThoseThatTheKernelAndHwlocWrite) {
  EXPECT_THAT(numbers_of_list("0-3,8"), ElementsAre(0, 1, 2, 3, 8));
  EXPECT_THAT(numbers_of_list("7"), ElementsAre(7));
  for (const char* text :
       {"", "0000:17:00.0", "a", "3-1", "0-4000000000", "0-18446744073709551614,5-6"})
    EXPECT_THAT(numbers_of_list(text), IsEmpty()) << text;
}

}  // namespace
}  // namespace convoy
