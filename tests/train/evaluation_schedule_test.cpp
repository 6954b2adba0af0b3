#include "core/train/evaluation_schedule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.hpp"

namespace convoy::train {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::int64_t> due_steps(const EvaluationTriggers& triggers, std::int64_t examples,
                                    std::int64_t batch, std::int64_t last) {
  const EvaluationSchedule schedule(triggers, examples, batch);
  std::vector<std::int64_t> steps;
  for (std::int64_t step = 1; step <= last; ++step)
    if (schedule.due(step)) steps.push_back(step);
  return steps;
}

TEST(EvaluationSchedule, IsDueAfterEverySoManySteps) {
  EXPECT_THAT(due_steps({.every_steps = 3}, 100, 10, 10), ElementsAre(3, 6, 9));
}

TEST(EvaluationSchedule, IsDueAtTheStepsThatAreListed) {
  EXPECT_THAT(due_steps({.at_steps = {7, 2, 50}}, 100, 10, 10), ElementsAre(2, 7));
}

TEST(EvaluationSchedule, RoundsTheEndsOfEpochsUpToWholeSteps) {
  EXPECT_THAT(due_steps({.every_epochs = 1}, 25, 10, 10), ElementsAre(3, 5, 8, 10));
  EXPECT_THAT(due_steps({.every_epochs = 2}, 25, 10, 10), ElementsAre(5, 10));
  EXPECT_THAT(due_steps({.at_epochs = {0.5, 1, 3}}, 25, 10, 10), ElementsAre(2, 3, 8));
}

TEST(EvaluationSchedule, TakesFractionsOfEpochsAsTheyAreMeant) {
  EXPECT_THAT(due_steps({.every_epochs = 0.1}, 100, 10, 12),
              ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
  EXPECT_THAT(due_steps({.every_epochs = 0.3}, 100, 10, 12), ElementsAre(3, 6, 9, 12));
}

TEST(EvaluationSchedule, AnEpochWithinAStepIsDueAfterIt) {
  EXPECT_THAT(due_steps({.every_epochs = 1}, 4, 10, 3), ElementsAre(1, 2, 3));
}

TEST(EvaluationSchedule, IsNeverDueWithoutATrigger) {
  EXPECT_FALSE(EvaluationTriggers{}.any());
  EXPECT_THAT(due_steps({}, 100, 10, 20), ElementsAre());
}

TEST(EvaluationSchedule, ReadsListsOfStepsAndEpochs) {
  EXPECT_THAT(parse_step_list("at", "10,2,30"), ElementsAre(10, 2, 30));
  EXPECT_THAT(parse_epoch_list("at", "0.5,1"), ElementsAre(0.5, 1));
  EXPECT_THAT(parse_step_list("at", ""), ElementsAre());
}

TEST(EvaluationSchedule, RefusesListsThatAreNone) {
  for (const char* text : {"1,", ",1", "1,,2", "a", "0", "-3", "1.5", "1;2"}) {
    try {
      parse_step_list("some_steps", text);
      FAIL() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kUsage);
      EXPECT_THAT(error.what(), HasSubstr(std::string("--some_steps=") + text));
    }
  }
  for (const char* text : {"0", "-1", "nan", "inf", "1,x"})
    EXPECT_THROW(parse_epoch_list("some_epochs", text), Error) << text;
}

}  // namespace
}  // namespace convoy::train
