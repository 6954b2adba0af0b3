#include "core/cli/flags/run_flags.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/cli/parsing.hpp"

namespace convoy::cli {
namespace {

// Whose fields the tables here are bound to.
FlagTable run_table() {
  static RunCommand command;
  return run_flag_table(command);
}

FlagTable complete_table() {
  FlagTable table = run_table();
  add_missing_strategy_flags(table, "example",
                             {{"gradient_repacking", {.strategies = {"replicated"}}}});
  return table;
}

TEST(RunFlags, KnowEveryFlagOfTfCnnBenchmarks) {
  const FlagTable table = complete_table();
  std::ifstream file(std::string(CONVOY_SOURCE_DIR) +
                     "/tests/cli/data/tf_cnn_benchmarks_flags.txt");
  int names = 0;
  for (std::string name; std::getline(file, name);) {
    if (name.starts_with('#')) continue;
    ++names;
    EXPECT_TRUE(table.contains(name)) << name;
  }
  EXPECT_EQ(names, 138);
}

// Else a value may be cut to the field behind, or overflow where it is added to another.
TEST(RunFlags, BoundEveryIntegerThatIsUsed) {
  const FlagTable table = run_table();
  ASSERT_FALSE(table.flags().empty());
  for (const FlagDefinition& flag : table.flags()) {
    if (flag.type != FlagType::kInt || !flag.refusal.empty() || !flag.notice.empty()) continue;
    EXPECT_TRUE(std::isfinite(flag.bounds.least) && std::isfinite(flag.bounds.most)) << flag.name;
  }
}

// No chip has such a rate, and what is computed of it would be infinite.
TEST(RunFlags, BoundTheRateOfADevice) {
  const Failure failure = failure_of([] { parse(run_table(), {"--images_per_sec=1e308"}); });
  EXPECT_EQ(failure.code, ExitCode::kUsage);
  EXPECT_TRUE(failure.mentions("a number from 1e-06 to 1000000000000")) << failure.text;
}

TEST(RunFlags, OfAnotherUpdateRuleAreSaidToHaveNoEffect) {
  const auto notices = [](const std::vector<std::string>& arguments) {
    RunCommand command;
    return notices_on_other_optimizers(parse(run_flag_table(command), arguments));
  };
  EXPECT_TRUE(notices({}).empty());
  EXPECT_TRUE(notices({"--optimizer=momentum", "--momentum=0.8"}).empty());
  EXPECT_EQ(notices({"--momentum=0.9"}),
            std::vector<std::string>{"--momentum=0.9: without effect, it is for "
                                     "--optimizer=momentum, and the optimizer is sgd"});
  EXPECT_EQ(notices({"--optimizer=adam", "--rmsprop_decay=0.5", "--adam_beta1=0.5"}).size(), 1u);
}

TEST(RunFlags, RefuseWhatIsNotThereYetBeforeARunStarts) {
  for (const char* flag : {"--collect_eval_results_async", "--graph_file=/tmp/x", "--fp16_vars",
                           "--xla", "--trt_mode=FP16"}) {
    const Failure failure = failure_of([&] { parse(complete_table(), {flag}); });
    EXPECT_EQ(failure.code, ExitCode::kUsage) << flag;
    EXPECT_TRUE(failure.mentions(flag)) << failure.text;
  }
}

TEST(RunFlags, RefuseWhatDescribesHostsToOthers) {
  for (const char* flag : {"--hosts=2", "--server_protocol=grpc+verbs", "--horovod_device=gpu"}) {
    const Failure failure = failure_of([&] { parse(complete_table(), {flag}); });
    EXPECT_EQ(failure.code, ExitCode::kUsage) << flag;
    EXPECT_TRUE(failure.mentions(flag)) << failure.text;
  }
}

TEST(RunFlags, AcceptDefaultsOfWhatIsNotThereSilently) {
  const ParsedFlags flags =
      parse(complete_table(), {"--noeval", "--use_fp16=False", "--job_name=", "--task_index=0",
                               "--local_parameter_device=GPU", "--nostaged_vars",
                               "--fp16_inc_loss_scale_every_n=1000", "--max_ckpts_to_keep=5"});
  EXPECT_TRUE(flags.notices().empty());
}

TEST(RunFlags, ReportHarmlessFlags) {
  const ParsedFlags flags =
      parse(complete_table(), {"--mkl=True", "--kmp_blocktime=1", "--save_summaries_steps=10"});
  EXPECT_EQ(flags.notices().size(), 3u);
  EXPECT_FALSE(flags.effective().contains("mkl"));
}

TEST(RunFlags, OptionsOfAStrategyComeFromItsManifest) {
  FlagTable table = run_table();
  table.add({.name = "all_reduce_spec", .default_value = "ring", .group = "strategy example"});
  add_missing_strategy_flags(table, "example",
                             {{"gradient_repacking", {.strategies = {"replicated"}}}});
  EXPECT_EQ(parse(table, {"--all_reduce_spec=nccl"}).value("all_reduce_spec"), "nccl");
  const Failure failure = failure_of([&] { parse(table, {"--gradient_repacking=8"}); });
  EXPECT_EQ(failure.code, ExitCode::kUsage);
  for (const char* part : {"--gradient_repacking=8", "--variable_update=example has no such option",
                           "--variable_update=replicated"})
    EXPECT_TRUE(failure.mentions(part)) << failure.text;
}

TEST(RunFlags, OptionsThatNoStrategyHasAreNotBlamedOnTheChosenOne) {
  for (const char* strategy : {"auto", "replicated"}) {
    FlagTable table = run_table();
    add_missing_strategy_flags(table, strategy, {});
    const Failure failure =
        failure_of([&] { parse(table, {"--compact_gradient_transfer=false"}); });
    EXPECT_EQ(failure.code, ExitCode::kUsage);
    EXPECT_TRUE(failure.mentions("no installed strategy has it")) << failure.text;
    EXPECT_FALSE(failure.mentions("--variable_update")) << failure.text;
  }
}

TEST(RunFlags, HelpNamesEveryFlag) {
  const FlagTable table = complete_table();
  const std::string help = flag_help(table, "all");
  for (const FlagDefinition& flag : table.flags()) {
    EXPECT_NE(help.find("--" + flag.name), std::string::npos) << flag.name;
  }
}

}  // namespace
}  // namespace convoy::cli
