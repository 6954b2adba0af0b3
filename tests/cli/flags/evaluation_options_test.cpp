#include "core/job/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/cli/flags/run_flags.hpp"
#include "tests/cli/parsing.hpp"

namespace convoy::cli {
namespace {

using testing::ElementsAre;

EvaluationOptions evaluation_of(const std::vector<std::string>& arguments) {
  RunCommand command;
  FlagTable table = run_flag_table(command);
  table.add({.name = "staged_vars", .type = FlagType::kBool, .default_value = "false"});
  complete(command, parse(table, arguments), {"staged_vars"});
  return command.options.evaluation;
}

void expect_usage_error(const std::vector<std::string>& arguments,
                        const std::vector<std::string>& parts) {
  const Failure failure = failure_of([&] { evaluation_of(arguments); });
  EXPECT_EQ(failure.code, ExitCode::kUsage) << testing::PrintToString(arguments);
  for (const std::string& part : parts) EXPECT_TRUE(failure.mentions(part)) << failure.text;
}

TEST(EvaluationOptions, ARunTrainsUnlessItIsToldOtherwise) {
  const EvaluationOptions options = evaluation_of({});
  EXPECT_EQ(options.mode(), RunMode::kTraining);
  EXPECT_FALSE(options.triggers.any());
  EXPECT_EQ(options.batch_size, std::nullopt);
  EXPECT_EQ(options.num_batches, std::nullopt);
  EXPECT_EQ(options.num_epochs, std::nullopt);
  EXPECT_EQ(options.stop_at_top_1, std::nullopt);
  EXPECT_EQ(options.interval_seconds, 0);
}

TEST(EvaluationOptions, TheModeHasItsPublishedName) {
  EXPECT_STREQ(job::run_mode_name(evaluation_of({}).mode()), "training");
  EXPECT_STREQ(job::run_mode_name(evaluation_of({"--forward_only"}).mode()), "forward only");
  EXPECT_STREQ(job::run_mode_name(evaluation_of({"--eval", "--train_dir=x"}).mode()), "evaluation");
  for (const char* trigger :
       {"--eval_during_training_every_n_steps=2", "--eval_during_training_every_n_epochs=0.5",
        "--eval_during_training_at_specified_steps=2,4",
        "--eval_during_training_at_specified_epochs=1,1.5"})
    EXPECT_STREQ(job::run_mode_name(evaluation_of({trigger}).mode()), "training + evaluation")
        << trigger;
}

TEST(EvaluationOptions, TakeTheirValuesFromTheFlags) {
  const EvaluationOptions options =
      evaluation_of({"--eval_during_training_at_specified_steps=2,4", "--eval_batch_size=8",
                     "--num_eval_batches=5", "--stop_at_top_1_accuracy=0.75"});
  EXPECT_THAT(options.triggers.at_steps, ElementsAre(2, 4));
  EXPECT_EQ(options.batch_size, 8);
  EXPECT_EQ(options.num_batches, 5);
  EXPECT_EQ(options.stop_at_top_1, 0.75);
  EXPECT_EQ(evaluation_of({"--eval", "--train_dir=x", "--eval_interval_secs=30"}).interval_seconds,
            30);
  EXPECT_EQ(evaluation_of({"--num_eval_epochs=0.5"}).num_epochs, 0.5);
}

TEST(EvaluationOptions, RefuseContradictions) {
  const std::string every = "--eval_during_training_every_n_steps=2";
  expect_usage_error({"--eval", "--train_dir=x", "--forward_only"}, {"--eval", "--forward_only"});
  expect_usage_error({"--eval"}, {"--train_dir"});
  expect_usage_error({every, "--eval_during_training_every_n_epochs=1"},
                     {"every_n_steps", "every_n_epochs"});
  expect_usage_error({"--eval_during_training_at_specified_steps=1",
                      "--eval_during_training_at_specified_epochs=1"},
                     {"at_specified_steps", "at_specified_epochs"});
  expect_usage_error({every, "--eval", "--train_dir=x"}, {"every_n_steps", "--eval:"});
  expect_usage_error({every, "--forward_only"}, {"every_n_steps", "--forward_only"});
  expect_usage_error({every, "--staged_vars"}, {"every_n_steps", "--staged_vars"});
  expect_usage_error({"--stop_at_top_1_accuracy=0.5"}, {"--stop_at_top_1_accuracy=0.5"});
  expect_usage_error({"--num_eval_batches=3", "--num_eval_epochs=1"},
                     {"--num_eval_batches=3", "--num_eval_epochs=1"});
  expect_usage_error({"--freeze_when_forward_only"}, {"--forward_only"});
  expect_usage_error({"--forward_only", "--freeze_when_forward_only", "--train_dir=x"},
                     {"--freeze_when_forward_only", "--train_dir=x"});
}

TEST(EvaluationOptions, RefuseValuesOutOfBounds) {
  expect_usage_error({"--eval_during_training_every_n_steps=0"}, {"every_n_steps=0"});
  expect_usage_error({"--eval_during_training_every_n_epochs=0"}, {"every_n_epochs=0", "above 0"});
  expect_usage_error({"--eval_during_training_at_specified_steps=0,1"}, {"specified_steps=0,1"});
  expect_usage_error({"--num_eval_epochs=0"}, {"--num_eval_epochs=0", "above 0"});
  expect_usage_error({"--num_eval_epochs=-1"}, {"--num_eval_epochs=-1", "above 0"});
  expect_usage_error({"--num_eval_batches=0"}, {"--num_eval_batches=0"});
  expect_usage_error({"--stop_at_top_1_accuracy=1.5"}, {"--stop_at_top_1_accuracy=1.5"});
}

}  // namespace
}  // namespace convoy::cli
