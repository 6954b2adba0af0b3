// What launch refuses before it starts a task.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/cli/verbs/verbs.hpp"
#include "tests/cli/verb_outcome.hpp"

namespace convoy::cli::launch_verb_test {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string refusal(const std::vector<std::string>& arguments) {
  return refusal_by(run_launch_verb, arguments);
}

TEST(LaunchVerb, SaysWhereTheFlagsOfTasksStand) {
  EXPECT_THAT(refusal({"--workers=2", "--model=lenet"}),
              AllOf(HasSubstr("--model is a flag of the tasks"), HasSubstr(" -- --model=")));
  EXPECT_THAT(refusal({"--model", "lenet"}), HasSubstr(" -- --model="));
  EXPECT_THAT(refusal({"--use_fp16", "--", "--model=lenet"}), HasSubstr(" -- --use_fp16"));
  EXPECT_THAT(refusal({"--worker=2"}), HasSubstr("did you mean --workers?"));
}

TEST(LaunchVerb, ShowsTheHelpOfTasksOnce) {
  const auto said = [](const std::vector<std::string>& arguments) {
    return said_by(run_command, arguments);
  };
  EXPECT_EQ(said({"launch", "--workers=2", "--", "--help=optimizer"}),
            said({"run", "--help=optimizer"}));
  EXPECT_EQ(said({"launch", "--", "qualify", "--help"}), said({"qualify", "--help"}));
}

TEST(LaunchVerb, RefusesTasksWithAnIdentityOfTheirOwn) {
  for (const std::string flag :
       {"worker_hosts", "ps_hosts", "controller_host", "job_name", "task_index"}) {
    EXPECT_THAT(refusal({"--workers=1", "--", "--" + flag + "=1"}),
                AllOf(HasSubstr("--" + flag), HasSubstr("cannot be given to tasks")));
    EXPECT_THAT(refusal({"--", "--model=lenet", "--" + flag, "1"}), HasSubstr("--" + flag));
  }
}

// Before a task starts, so once.
TEST(LaunchVerb, RefusesFlagsThatNoTaskWouldTake) {
  EXPECT_THAT(refusal({"--", "--batch_sise=4"}), HasSubstr("did you mean --batch_size?"));
  EXPECT_THAT(refusal({"--", "--batch_size=none"}), HasSubstr("--batch_size"));
  EXPECT_THAT(refusal({"--", "qualify", "--train_dir=x"}), HasSubstr("--train_dir"));
  EXPECT_THAT(refusal({"--", "qualify", "--threshold=7"}), HasSubstr("--threshold"));
}

}  // namespace convoy::cli::launch_verb_test
