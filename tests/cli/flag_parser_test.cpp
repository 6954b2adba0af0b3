#include "core/cli/flag_parser.hpp"

#include <gtest/gtest.h>

#include <map>

#include "tests/cli/usage_error.hpp"

namespace convoy {
namespace {

using enum FlagType;
using Arguments = std::vector<std::string>;

FlagTable small_table() {
  FlagTable table;
  table.add({.name = "model", .default_value = "resnet50"});
  table.add({.name = "batch_size", .type = kInteger, .default_value = "0", .minimum = 0});
  table.add({.name = "rate", .type = kFloat});
  table.add({.name = "distortions", .type = kBool, .default_value = "false"});
  table.add({.name = "dropout", .type = kBool, .default_value = "true"});
  table.add({.name = "plugin_path", .default_value = "", .from_environment = false});
  table.add({.name = "eval",
             .type = kBool,
             .default_value = "false",
             .status = FlagStatus::kNotYet,
             .reason = "there is no evaluation"});
  table.add({.name = "xla",
             .type = kBool,
             .default_value = "false",
             .status = FlagStatus::kMeaningless,
             .reason = "there is no compiler"});
  table.add({.name = "mkl",
             .type = kBool,
             .default_value = "false",
             .status = FlagStatus::kIgnored,
             .reason = "it is automatic"});
  return table;
}

FlagValues parse(const Arguments& arguments,
                 const std::map<std::string, std::string>& environment = {},
                 FlagParserOptions options = {}) {
  options.environment = [&](const std::string& name) -> std::optional<std::string> {
    const auto found = environment.find(name);
    return found == environment.end() ? std::nullopt : std::optional(found->second);
  };
  return parse_flags(small_table(), arguments, options);
}

void expect_usage_error(const Arguments& arguments, std::initializer_list<std::string> mentioned) {
  expect_error([&] { parse(arguments); }, ExitCode::kUsage, mentioned);
}

TEST(FlagParser, DefaultsHoldWithoutArguments) {
  const auto values = parse({});
  EXPECT_EQ(values.text("model"), "resnet50");
  EXPECT_EQ(values.integer("batch_size"), 0);
  EXPECT_TRUE(values.boolean("dropout"));
  EXPECT_FALSE(values.given("model"));
  EXPECT_EQ(values.optional_number("rate"), std::nullopt);
  EXPECT_THROW(values.number("rate"), std::logic_error) << "a flag without a value";
}

TEST(FlagParser, AcceptsValuesWithEqualsAndAsTheNextArgument) {
  const auto values = parse({"--model=vgg16", "--batch_size", "32", "-rate", "-1.5"});
  EXPECT_EQ(values.text("model"), "vgg16");
  EXPECT_EQ(values.integer("batch_size"), 32);
  EXPECT_EQ(values.number("rate"), -1.5);
  EXPECT_TRUE(values.given("rate"));
}

TEST(FlagParser, AcceptsEveryFormOfABoolean) {
  EXPECT_TRUE(parse({"--distortions"}).boolean("distortions"));
  EXPECT_TRUE(parse({"--distortions=True"}).boolean("distortions"));
  EXPECT_FALSE(parse({"--distortions", "--nodistortions"}).boolean("distortions"));
  EXPECT_FALSE(parse({"--nodropout"}).boolean("dropout"));
  EXPECT_FALSE(parse({"--dropout=0"}).boolean("dropout"));
}

TEST(FlagParser, LastOneWins) {
  EXPECT_EQ(parse({"--batch_size=1", "--batch_size=2"}).integer("batch_size"), 2);
}

TEST(FlagParser, ValuesMayContainEqualsSignsOrBeEmpty) {
  EXPECT_EQ(parse({"--model=a=b"}).text("model"), "a=b");
  EXPECT_EQ(parse({"--model="}).text("model"), "");
}

TEST(FlagParser, UnknownFlagNamesTheNearest) {
  expect_usage_error({"--batchsize=3"}, {"--batchsize", "did you mean --batch_size?"});
  expect_usage_error({"--something_else"}, {"--something_else", "--help"});
}

TEST(FlagParser, NoFormIsForBooleansAndTakesNoValue) {
  expect_usage_error({"--nomodel"}, {"--model is not a boolean"});
  expect_usage_error({"--nodropout=true"}, {"--dropout=true"});
}

TEST(FlagParser, MissingValueIsAnError) {
  expect_usage_error({"--batch_size"}, {"--batch_size needs a value"});
  expect_usage_error({"--model", "--distortions"}, {"--model needs a value"});
}

TEST(FlagParser, BadValuesNameFlagAndValue) {
  expect_usage_error({"--batch_size", "x"}, {"--batch_size=x", "whole number"});
  expect_usage_error({"--batch_size=-1"}, {"--batch_size=-1", "at least 0"});
}

TEST(FlagParser, ArgumentAfterABooleanIsExplained) {
  expect_usage_error({"--distortions", "False"},
                     {"'False' after --distortions", "--distortions=False", "--nodistortions"});
  expect_usage_error({"False"}, {"'False' is not a flag"});
}

TEST(FlagParser, PositionalArgumentsUpToTheLimit) {
  const auto values = parse({"resnet50", "--batch_size=3"}, {}, {.positional_limit = 1});
  EXPECT_EQ(values.positional, Arguments{"resnet50"});
  expect_error([] { parse({"a", "b"}, {}, {.positional_limit = 1}); }, ExitCode::kUsage, {"'b'"});
}

TEST(FlagParser, EnvironmentIsWeakerThanTheCommandLine) {
  const std::map<std::string, std::string> environment = {{"CONVOY_BATCH_SIZE", "8"},
                                                          {"CONVOY_MODEL", "lenet"},
                                                          {"CONVOY_PLUGIN_PATH", "/elsewhere"},
                                                          {"CONVOY_RATE", ""}};
  const auto values = parse({"--batch_size=16"}, environment);
  EXPECT_EQ(values.integer("batch_size"), 16);
  EXPECT_EQ(values.text("model"), "lenet");
  EXPECT_TRUE(values.given("model"));
  EXPECT_EQ(values.text("plugin_path"), "") << "this variable has a meaning of its own";
  EXPECT_FALSE(values.given("rate")) << "an empty variable is no value";
  expect_error(
      [] {
        parse({}, {{"CONVOY_BATCH_SIZE", "many"}});
      },
      ExitCode::kUsage, {"CONVOY_BATCH_SIZE=many"});
}

TEST(FlagParser, TolerantPassPicksOutWhatItKnows) {
  const auto values = parse({"--unknown", "value", "--model", "vgg16", "--other=1", "positional"},
                            {}, {.tolerant = true});
  EXPECT_EQ(values.text("model"), "vgg16");
  EXPECT_TRUE(values.positional.empty());
}

TEST(FlagParser, FlagsThatDoNothingFailOrGiveNotice) {
  expect_error([] { parse({"--eval"}); }, ExitCode::kUnavailable,
               {"--eval=true", "not yet", "there is no evaluation"});
  expect_error([] { parse({"--xla"}); }, ExitCode::kUsage, {"--xla", "there is no compiler"});
  const auto values = parse({"--mkl"});
  ASSERT_EQ(values.notices.size(), 1u);
  EXPECT_NE(values.notices[0].find("it is automatic"), std::string::npos) << values.notices[0];
}

TEST(FlagParser, FlagsThatDoNothingMayBeGivenTheirDefault) {
  EXPECT_TRUE(parse({"--noeval", "--xla=False", "--mkl=0"}).notices.empty());
}

TEST(FlagParser, HelpIsNoError) {
  for (const char* form : {"--help", "-h", "--helpfull"}) {
    EXPECT_TRUE(parse({form, "--eval"}).help_requested) << form;
  }
  EXPECT_FALSE(parse({}).help_requested);
}

}  // namespace
}  // namespace convoy
