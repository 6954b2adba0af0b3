#include "core/cli/flags/flag_table.hpp"

#include <gtest/gtest.h>

#include "tests/cli/parsing.hpp"

namespace convoy::cli {
namespace {

TEST(FlagTable, RefusesANameThatIsTaken) {
  FlagTable table;
  table.add({.name = "model", .group = "Model"});
  const Failure failure =
      failure_of([&] { table.add({.name = "model", .group = "strategy ring"}); });
  EXPECT_EQ(failure.code, ExitCode::kUnavailable);
  EXPECT_TRUE(failure.mentions("strategy ring")) << failure.text;
}

TEST(FlagTable, RefusesADefaultOutsideItsBounds) {
  FlagTable table;
  EXPECT_EQ(
      failure_of([&] {
        table.add({.name = "chunks", .type = FlagType::kInt, .default_value = "0", .bounds = {1}});
      }).code,
      ExitCode::kUnavailable);
  EXPECT_EQ(failure_of([&] { table.add({.name = "mode", .type = FlagType::kEnum}); }).code,
            ExitCode::kUnavailable);
}

TEST(FlagTable, HelpShowsGroupsValuesAndDefaults) {
  FlagTable table;
  table.add({.name = "steps",
             .type = FlagType::kInt,
             .default_value = "10",
             .help = "Steps to time.",
             .group = "Length",
             .bounds = {1}});
  table.add({.name = "length", .group = "Length", .alias_of = "steps"});
  table.add({.name = "eager", .type = FlagType::kBool, .help = "Hurry.", .group = "Other"});
  table.add({.name = "xla", .group = "Old", .refusal = "no compiler"});
  table.add({.name = "mkl", .group = "Old", .notice = "ignored"});
  EXPECT_EQ(flag_help(table, "all"),
            "Length:\n"
            "  --steps  (an integer of at least 1; default 10)\n"
            "      Steps to time.\n"
            "  --length  (same as --steps)\n"
            "\n"
            "Other:\n"
            "  --eager  (switch; or --noeager)\n"
            "      Hurry.\n"
            "\n"
            "Accepted without effect:\n"
            "    --mkl\n"
            "\n"
            "Accepted only with their default values:\n"
            "    --xla\n");
}

}  // namespace
}  // namespace convoy::cli
