#include "core/cli/flag_help.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "core/cli/run_flags.hpp"

namespace convoy {
namespace {

TEST(FlagHelp, ShowsGroupsFormsDefaultsAndBounds) {
  FlagTable table;
  table.add({.name = "rate",
             .type = FlagType::kFloat,
             .minimum = 0,
             .maximum = 1,
             .group = "Second",
             .help = "How fast."});
  table.add({.name = "fast",
             .type = FlagType::kBool,
             .default_value = "true",
             .aliases = {"quick"},
             .group = "First",
             .help = "Hurry."});
  table.add({.name = "kind",
             .type = FlagType::kEnum,
             .allowed = {"a", "b"},
             .group = "Second",
             .help = "Which."});
  table.add({.name = "later", .status = FlagStatus::kNotYet});
  EXPECT_EQ(flag_help(table, "Introduction.\n"),
            "Introduction.\n"
            "\nSecond:\n"
            "  --rate=<number>\n"
            "      How fast. From 0 to 1.\n"
            "  --kind=a|b\n"
            "      Which.\n"
            "\nFirst:\n"
            "  --[no]fast  (default true)\n"
            "      Hurry. Also --quick.\n"
            "\nKnown, not available yet:\n"
            "      later\n");
}

TEST(FlagHelp, RunHelpFitsOneHundredColumnsAndHidesNothing) {
  const FlagTable table = run_flag_table();
  const std::string help = flag_help(table, "");
  for (const auto& flag : table.definitions()) {
    EXPECT_NE(help.find(flag.name), std::string::npos) << flag.name;
    if (flag.status == FlagStatus::kActive) {
      EXPECT_FALSE(flag.help.empty()) << flag.name;
    } else {
      EXPECT_FALSE(flag.reason.empty()) << flag.name;
    }
  }
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
}

}  // namespace
}  // namespace convoy
