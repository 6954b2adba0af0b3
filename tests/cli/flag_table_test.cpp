#include "core/cli/flag_table.hpp"

#include <gtest/gtest.h>

#include "tests/cli/usage_error.hpp"

namespace convoy {
namespace {

using enum FlagType;

FlagTable small_table() {
  FlagTable table;
  table.add({.name = "batch_size", .type = kInteger, .default_value = "0", .minimum = 0});
  table.add({.name = "distortions", .type = kBool, .default_value = "false"});
  table.add({.name = "tf_random_seed", .type = kInteger, .aliases = {"seed"}});
  table.add({.name = "staged_vars",
             .type = kBool,
             .default_value = "false",
             .status = FlagStatus::kMeaningless});
  return table;
}

TEST(FlagTable, FindsByNameAndAlias) {
  const FlagTable table = small_table();
  ASSERT_NE(table.find("seed"), nullptr);
  EXPECT_EQ(table.find("seed"), table.find("tf_random_seed"));
  EXPECT_EQ(table.find("nothing"), nullptr);
}

TEST(FlagTable, NearestNameIsATypingErrorAway) {
  const FlagTable table = small_table();
  EXPECT_EQ(table.nearest("batchsize"), "batch_size");
  EXPECT_EQ(table.nearest("sed"), "seed");
  EXPECT_EQ(table.nearest("nodistortion"), "nodistortions");
  EXPECT_EQ(table.nearest("completely_different"), std::nullopt);
}

TEST(FlagTable, DefiningANameTwiceIsADefect) {
  FlagTable table = small_table();
  EXPECT_THROW(table.add({.name = "seed"}), std::logic_error);
  EXPECT_THROW(table.add({.name = "random", .aliases = {"batch_size"}}), std::logic_error);
}

TEST(FlagTable, OptionsOfSeveralPluginsUnite) {
  FlagTable table = small_table();
  table.add_option({.name = "spec", .type = kEnum, .allowed = {"a", "b"}}, "first");
  table.add_option({.name = "spec", .type = kEnum, .allowed = {"b", "c"}}, "second");
  EXPECT_EQ(table.find("spec")->allowed, (std::vector<std::string>{"a", "b", "c"}));
}

TEST(FlagTable, OptionReplacesAFlagThatDoesNothing) {
  FlagTable table = small_table();
  table.add_option({.name = "staged_vars", .type = kBool, .default_value = "false"}, "staged");
  EXPECT_EQ(table.find("staged_vars")->status, FlagStatus::kActive);
}

TEST(FlagTable, OptionThatClashesNamesItsOwner) {
  FlagTable table = small_table();
  expect_error([&] { table.add_option({.name = "batch_size", .type = kInteger}, "mine"); },
               ExitCode::kUnavailable, {"mine", "batch_size", "convoy itself"});
  table.add_option({.name = "depth", .type = kInteger}, "first");
  expect_error([&] { table.add_option({.name = "depth", .type = kString}, "second"); },
               ExitCode::kUnavailable, {"second", "depth", "first"});
}

TEST(CheckedValue, BooleansHaveManySpellings) {
  const FlagDefinition flag = {.name = "x", .type = kBool};
  for (const char* yes : {"true", "True", "TRUE", "t", "1", "yes"}) {
    EXPECT_EQ(checked_value(flag, yes, "--x"), "true") << yes;
  }
  for (const char* no : {"false", "False", "f", "0", "no"}) {
    EXPECT_EQ(checked_value(flag, no, "--x"), "false") << no;
  }
  expect_error([&] { checked_value(flag, "maybe", "--x=maybe"); }, ExitCode::kUsage,
               {"--x=maybe", "true or false"});
}

TEST(CheckedValue, EnumsIgnoreCaseAndReturnTheirOwnSpelling) {
  const FlagDefinition flag = {.name = "x", .type = kEnum, .allowed = {"cpu", "NCHW"}};
  EXPECT_EQ(checked_value(flag, "CPU", ""), "cpu");
  EXPECT_EQ(checked_value(flag, "nchw", ""), "NCHW");
  expect_error([&] { checked_value(flag, "tpu", "--x=tpu"); }, ExitCode::kUsage,
               {"--x=tpu", "cpu, NCHW"});
}

TEST(CheckedValue, NumbersKeepTheirBounds) {
  const FlagDefinition count = {.name = "x", .type = kInteger, .minimum = 1};
  EXPECT_EQ(checked_value(count, "17", ""), "17");
  for (const char* bad : {"0", "-3"}) {
    expect_error([&] { checked_value(count, bad, "--x"); }, ExitCode::kUsage, {"at least 1"});
  }
  for (const char* bad : {"", "2.5", "7x", "99999999999999999999"}) {
    expect_error([&] { checked_value(count, bad, "--x"); }, ExitCode::kUsage, {"whole number"});
  }
  const FlagDefinition share = {.name = "x", .type = kFloat, .minimum = 0, .maximum = 1};
  EXPECT_EQ(checked_value(share, "1e-3", ""), "1e-3");
  for (const char* bad : {"1.01", "-0.1", "nan", "inf"}) {
    expect_error([&] { checked_value(share, bad, "--x"); }, ExitCode::kUsage, {"from 0 to 1"});
  }
}

}  // namespace
}  // namespace convoy
