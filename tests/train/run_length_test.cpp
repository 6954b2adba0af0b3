#include "core/train/run_length.hpp"

#include <gtest/gtest.h>

#include "core/base/error.hpp"

namespace convoy::train {
namespace {

TEST(RunLength, IsOneHundredStepsWhenNothingIsGiven) {
  EXPECT_EQ(timed_steps(std::nullopt, std::nullopt, 64, 1281167), 100);
}

TEST(RunLength, TakesTheNumberOfBatches) {
  EXPECT_EQ(timed_steps(7, std::nullopt, 64, 1281167), 7);
}

TEST(RunLength, RoundsEpochsUpToWholeSteps) {
  EXPECT_EQ(timed_steps(std::nullopt, 1.0, 64, 1281167), 20019);
  EXPECT_EQ(timed_steps(std::nullopt, 2.0, 100, 1000), 20);
  EXPECT_EQ(timed_steps(std::nullopt, 2.001, 100, 1000), 21);
}

TEST(RunLength, RefusesBothAndNothing) {
  EXPECT_THROW(timed_steps(10, 1.0, 64, 1281167), Error);
  EXPECT_THROW(timed_steps(0, std::nullopt, 64, 1281167), Error);
  EXPECT_THROW(timed_steps(std::nullopt, 0.0, 64, 1281167), Error);
}

// Epochs may be those of an evaluation.
TEST(RunLength, SaysWhichPartOfAnEpochIsTooSmall) {
  try {
    timed_steps(std::nullopt, 0.001, 64, 320);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "there is no step to run: 0.001 epochs of 320 examples are not one example; ask "
                 "for more");
  }
}

}  // namespace
}  // namespace convoy::train
