#include "core/base/error.hpp"

#include <gtest/gtest.h>

namespace convoy {
namespace {

TEST(Error, CarriesItsExitCodeAndText) {
  try {
    fail(ExitCode::kUsage, "batch_size is {}; it must be at least 1", 0);
    FAIL() << "fail() returned";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    EXPECT_STREQ(error.what(), "batch_size is 0; it must be at least 1");
  }
}

TEST(Check, NamesTheExpressionAndBothOperands) {
  try {
    CONVOY_CHECK_EQ(2 + 2, 5);
    FAIL() << "the check passed";
  } catch (const std::logic_error& error) {
    EXPECT_NE(std::string(error.what()).find("2 + 2 == 5"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("4 and 5"), std::string::npos) << error.what();
  }
}

TEST(Check, HoldsSilently) {
  EXPECT_NO_THROW(CONVOY_CHECK_LT(1, 2));
}

}  // namespace
}  // namespace convoy
