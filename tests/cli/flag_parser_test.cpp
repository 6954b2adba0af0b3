#include "core/cli/flag_parser.hpp"

#include <gtest/gtest.h>

#include "tests/cli/parsing.hpp"

namespace convoy {
namespace {

FlagTable example_table() {
  FlagTable table;
  table.add({.name = "eager", .type = FlagType::kBool, .default_value = "false"});
  table.add({.name = "steps",
             .type = FlagType::kInt,
             .default_value = "10",
             .minimum = 1,
             .maximum = 100});
  table.add({.name = "rate", .type = FlagType::kFloat, .minimum = 0});
  table.add({.name = "folder", .default_value = ""});
  table.add({.name = "device",
             .type = FlagType::kEnum,
             .default_value = "gpu",
             .allowed = {"cpu", "gpu"}});
  table.add({.name = "length", .alias_of = "steps"});
  return table;
}

Failure parse_failure(const std::vector<std::string>& arguments, const Variables& variables = {}) {
  return failure_of([&] { parse(example_table(), arguments, variables); });
}

TEST(FlagParser, GivesDefaultsWhenNothingIsGiven) {
  const ParsedFlags flags = parse(example_table(), {});
  EXPECT_FALSE(flags.boolean("eager"));
  EXPECT_EQ(flags.integer("steps"), 10);
  EXPECT_EQ(flags.optional_number("rate"), std::nullopt);
  EXPECT_EQ(flags.text("device"), "gpu");
  EXPECT_FALSE(flags.is_given("steps"));
}

TEST(FlagParser, AcceptsEveryFormOfABoolean) {
  for (const char* form : {"--eager", "--eager=true", "--eager=True", "--eager=1", "-eager"}) {
    EXPECT_TRUE(parse(example_table(), {form}).boolean("eager")) << form;
  }
  for (const char* form : {"--noeager", "--eager=false", "--eager=False", "--eager=0"}) {
    const ParsedFlags flags = parse(example_table(), {"--eager", form});
    EXPECT_FALSE(flags.boolean("eager")) << form;
  }
}

TEST(FlagParser, AcceptsValuesAfterAnEqualsSignOrASpace) {
  EXPECT_EQ(parse(example_table(), {"--steps=20"}).integer("steps"), 20);
  EXPECT_EQ(parse(example_table(), {"--steps", "20"}).integer("steps"), 20);
  EXPECT_EQ(parse(example_table(), {"--folder="}).text("folder"), "");
  EXPECT_EQ(parse(example_table(), {"--folder=a=b"}).text("folder"), "a=b");
  EXPECT_DOUBLE_EQ(parse(example_table(), {"--rate", "1e-3"}).number("rate"), 0.001);
}

TEST(FlagParser, TheLastOccurrenceWins) {
  EXPECT_EQ(parse(example_table(), {"--steps=20", "--length=30"}).integer("steps"), 30);
}

TEST(FlagParser, EnumValuesMayHaveAnyCase) {
  EXPECT_EQ(parse(example_table(), {"--device=CPU"}).text("device"), "cpu");
}

TEST(FlagParser, TheEnvironmentComesSecond) {
  const Variables variables = {{"CONVOY_STEPS", "40"}, {"CONVOY_FOLDER", ""}};
  const ParsedFlags flags = parse(example_table(), {}, variables);
  EXPECT_EQ(flags.integer("steps"), 40);
  EXPECT_TRUE(flags.is_given("steps"));
  EXPECT_FALSE(flags.is_given("folder"));
  EXPECT_EQ(parse(example_table(), {"--steps=50"}, variables).integer("steps"), 50);
}

TEST(FlagParser, NamesAVariableWithABadValue) {
  const Failure failure = parse_failure({}, {{"CONVOY_STEPS", "many"}});
  EXPECT_EQ(failure.code, ExitCode::kUsage);
  EXPECT_TRUE(failure.mentions("CONVOY_STEPS=many")) << failure.text;
}

TEST(FlagParser, RefusesIntegersThatDoNotFitTheirField) {
  FlagTable table;
  table.add({.name = "count", .type = FlagType::kInt, .default_value = "7"});
  const auto narrow = [&](const char* argument) {
    return parse(table, {argument}).integer_as<std::uint32_t>("count");
  };
  EXPECT_EQ(narrow("--count=4294967295"), 4294967295u);
  EXPECT_EQ(narrow("--count=0"), 0u);
  for (const char* argument :
       {"--count=4294967296", "--count=4294967297", "--count=-1", "--count=9223372036854775807"}) {
    const Failure failure = failure_of([&] { narrow(argument); });
    EXPECT_EQ(failure.code, ExitCode::kUsage) << argument;
    EXPECT_EQ(failure.text, std::string(argument) + ": it must be an integer from 0 to 4294967295");
  }
  const Failure failure =
      failure_of([&] { parse(table, {"--count=2147483648"}).integer_as<std::int32_t>("count"); });
  EXPECT_TRUE(failure.mentions("from -2147483648 to 2147483647")) << failure.text;
}

TEST(FlagParser, SuggestsTheNearestName) {
  const Failure failure = parse_failure({"--setps=20"});
  EXPECT_EQ(failure.code, ExitCode::kUsage);
  EXPECT_TRUE(failure.mentions("--setps")) << failure.text;
  EXPECT_TRUE(failure.mentions("did you mean --steps?")) << failure.text;
  EXPECT_TRUE(parse_failure({"--noeagr"}).mentions("--noeager"));
  EXPECT_FALSE(parse_failure({"--something_else"}).mentions("did you mean"));
}

TEST(FlagParser, RefusesValuesOutOfBounds) {
  for (const char* form : {"--steps=0", "--steps=101", "--steps=ten", "--steps=1.5",
                           "--steps=", "--steps=99999999999999999999"}) {
    const Failure failure = parse_failure({form});
    EXPECT_EQ(failure.code, ExitCode::kUsage) << form;
    EXPECT_TRUE(failure.mentions(form)) << failure.text;
    EXPECT_TRUE(failure.mentions("an integer from 1 to 100")) << failure.text;
  }
  EXPECT_TRUE(parse_failure({"--rate=-1"}).mentions("a number of at least 0"));
  EXPECT_TRUE(parse_failure({"--rate=nan"}).mentions("a number"));
  EXPECT_TRUE(parse_failure({"--device=tpu"}).mentions("cpu or gpu"));
  EXPECT_TRUE(parse_failure({"--eager=perhaps"}).mentions("true or false"));
}

TEST(FlagParser, ExplainsAValueThatDoesNotBelongToABoolean) {
  const Failure failure = parse_failure({"--eager", "False"});
  EXPECT_EQ(failure.code, ExitCode::kUsage);
  EXPECT_TRUE(failure.mentions("--eager=False or --noeager")) << failure.text;
}

TEST(FlagParser, RefusesWhatIsNotAFlag) {
  for (const char* argument : {"resnet50", "-", "--"}) {
    EXPECT_EQ(parse_failure({argument}).code, ExitCode::kUsage) << argument;
  }
}

TEST(FlagParser, RefusesAMissingValue) {
  EXPECT_TRUE(parse_failure({"--steps"}).mentions("--steps needs a value"));
  EXPECT_TRUE(parse_failure({"--folder", "--eager"}).mentions("--folder needs a value"));
  EXPECT_EQ(parse_failure({"--noeager=true"}).code, ExitCode::kUsage);
}

TEST(FlagParser, RefusesOrReportsFlagsThatAreOnlyKnown) {
  FlagTable table = example_table();
  table.add({.name = "eval",
             .type = FlagType::kBool,
             .default_value = "false",
             .refusal = "not yet",
             .refusal_code = ExitCode::kUnavailable});
  table.add(
      {.name = "mkl", .type = FlagType::kBool, .default_value = "false", .notice = "ignored"});
  const Failure failure = failure_of([&] { parse(table, {"--eval"}); });
  EXPECT_EQ(failure.code, ExitCode::kUnavailable);
  EXPECT_EQ(failure.text, "--eval: not yet");
  EXPECT_EQ(failure_of([&] { parse(table, {"--noeval"}); }).text, "");
  EXPECT_EQ(parse(table, {"--mkl"}).notices(), (std::vector<std::string>{"--mkl: ignored"}));
  EXPECT_TRUE(parse(table, {"--nomkl"}).notices().empty());
}

TEST(FlagParser, GivesTheEffectiveValues) {
  const auto values = parse(example_table(), {"--steps=20", "--eager"}).effective();
  EXPECT_EQ(values.at("steps"), "20");
  EXPECT_EQ(values.at("eager"), "true");
  EXPECT_EQ(values.at("device"), "gpu");
  EXPECT_FALSE(values.contains("rate"));
}

TEST(FlagParser, TheFirstPassFindsOneFlagAmongUnknownOnes) {
  const std::vector<std::string> arguments = {"--unknown", "x",       "--model=a",
                                              "stray",     "--model", "b"};
  const Variables variables = {{"CONVOY_PLUGIN_PATH", "/opt/plugins"}};
  const EnvironmentLookup environment = environment_of(variables);
  EXPECT_EQ(find_flag(arguments, "model", environment), "b");
  EXPECT_EQ(find_flag(arguments, "plugin_path", environment), "/opt/plugins");
  EXPECT_EQ(find_flag(arguments, "variable_update", environment), std::nullopt);
}

TEST(FlagParser, SeesARequestForHelpAnywhere) {
  EXPECT_TRUE(wants_help(std::vector<std::string>{"--unknown", "--help"}));
  EXPECT_FALSE(wants_help(std::vector<std::string>{"--model=help"}));
}

}  // namespace
}  // namespace convoy
