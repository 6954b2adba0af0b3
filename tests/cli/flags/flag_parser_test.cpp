#include "core/cli/flags/flag_parser.hpp"

#include <gtest/gtest.h>

#include "tests/cli/parsing.hpp"

namespace convoy::cli {
namespace {

FlagTable example_table() {
  FlagTable table;
  table.add({.name = "eager", .type = FlagType::kBool, .default_value = "false"});
  table.add({.name = "steps", .type = FlagType::kInt, .default_value = "10", .bounds = {1, 100}});
  table.add({.name = "rate", .type = FlagType::kFloat, .bounds = {0}});
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
  EXPECT_EQ(flags.value("eager"), "false");
  EXPECT_EQ(flags.value("steps"), "10");
  EXPECT_EQ(flags.value("rate"), "");
  EXPECT_EQ(flags.value("device"), "gpu");
  EXPECT_FALSE(flags.is_given("steps"));
}

TEST(FlagParser, AcceptsEveryFormOfABoolean) {
  for (const char* form : {"--eager", "--eager=true", "--eager=True", "--eager=1", "-eager"}) {
    EXPECT_EQ(parse(example_table(), {form}).value("eager"), "true") << form;
  }
  for (const char* form : {"--noeager", "--eager=false", "--eager=False", "--eager=0"}) {
    const ParsedFlags flags = parse(example_table(), {"--eager", form});
    EXPECT_EQ(flags.value("eager"), "false") << form;
  }
}

TEST(FlagParser, AcceptsValuesAfterAnEqualsSignOrASpace) {
  EXPECT_EQ(parse(example_table(), {"--steps=20"}).value("steps"), "20");
  EXPECT_EQ(parse(example_table(), {"--steps", "20"}).value("steps"), "20");
  EXPECT_EQ(parse(example_table(), {"--folder="}).value("folder"), "");
  EXPECT_EQ(parse(example_table(), {"--folder=a=b"}).value("folder"), "a=b");
  EXPECT_EQ(parse(example_table(), {"--rate", "1e-3"}).value("rate"), "0.001");
  EXPECT_EQ(parse(example_table(), {"--rate=5", "--folder", "-x"}).value("folder"), "-x");
}

TEST(FlagParser, AnEmptyValueOfAFlagThatAnotherTableHasDoesNotHideTheWantedOne) {
  const std::vector<std::string> line = {"--fault=", "--steps=5", "--note="};
  const auto none = [](const std::string&) -> const char* { return nullptr; };
  EXPECT_EQ(find_flag(line, "steps", none), "5");
  EXPECT_EQ(find_flag(line, "note", none), "");
  EXPECT_FALSE(find_switch(line, "eager", none));
  const Failure failure = parse_failure({"--fault="});
  EXPECT_TRUE(failure.mentions("unknown flag --fault")) << failure.text;
}

TEST(FlagParser, AFlagWithoutItsDashesIsToldWhereTheyBelong) {
  const Failure failure = parse_failure({"steps=5"});
  EXPECT_EQ(failure.code, ExitCode::kUsage);
  EXPECT_TRUE(failure.mentions("did you mean --steps=5?")) << failure.text;
  EXPECT_FALSE(parse_failure({"stops=5"}).mentions("did you mean"));
}

TEST(FlagParser, ThePathOfAPlugInIsToldItsFlag) {
  FlagTable table;
  table.add({.name = "variable_update", .type = FlagType::kString});
  const Failure failure = failure_of([&] { parse(table, {"./mine.so"}); });
  EXPECT_EQ(failure.code, ExitCode::kUsage);
  EXPECT_TRUE(failure.mentions("did you mean --variable_update=./mine.so")) << failure.text;
  EXPECT_FALSE(parse_failure({"./mine.so"}).mentions("--variable_update"));
  EXPECT_TRUE(parse_failure({"old.json"}).mentions("convoy diff OLD NEW"));
}

TEST(FlagParser, TheLastOccurrenceWins) {
  EXPECT_EQ(parse(example_table(), {"--steps=20", "--length=30"}).value("steps"), "30");
}

TEST(FlagParser, EnumValuesMayHaveAnyCase) {
  EXPECT_EQ(parse(example_table(), {"--device=CPU"}).value("device"), "cpu");
}

TEST(FlagParser, TheEnvironmentComesSecond) {
  const Variables variables = {{"CONVOY_STEPS", "40"}, {"CONVOY_FOLDER", ""}};
  const ParsedFlags flags = parse(example_table(), {}, variables);
  EXPECT_EQ(flags.value("steps"), "40");
  EXPECT_TRUE(flags.is_given("steps"));
  EXPECT_FALSE(flags.is_given("folder"));
  EXPECT_EQ(parse(example_table(), {"--steps=50"}, variables).value("steps"), "50");
}

// As --num_gpus does with CONVOY_NUM_DEVICES.
TEST(FlagParser, TheEnvironmentComesSecondOfTwoFlagsThatSayTheSame) {
  FlagTable table;
  table.add({.name = "batches", .type = FlagType::kInt, .instead_of = "epochs"});
  table.add({.name = "epochs", .type = FlagType::kInt, .instead_of = "batches"});
  const Variables variables = {{"CONVOY_EPOCHS", "3"}};
  EXPECT_FALSE(parse(table, {"--batches=5"}, variables).is_given("epochs"));
  EXPECT_EQ(parse(table, {"--epochs=4"}, variables).value("epochs"), "4");
  const ParsedFlags both = parse(table, {"--batches=5", "--epochs=4"}, variables);
  EXPECT_TRUE(both.is_given("batches") && both.is_given("epochs"));
}

TEST(FlagParser, NamesAVariableWithABadValue) {
  const Failure failure = parse_failure({}, {{"CONVOY_STEPS", "many"}});
  EXPECT_EQ(failure.code, ExitCode::kUsage);
  EXPECT_TRUE(failure.mentions("CONVOY_STEPS=many")) << failure.text;
}

TEST(FlagParser, SuggestsTheNearestName) {
  const Failure failure = parse_failure({"--setps=20"});
  EXPECT_EQ(failure.code, ExitCode::kUsage);
  EXPECT_TRUE(failure.mentions("--setps")) << failure.text;
  EXPECT_TRUE(failure.mentions("did you mean --steps?")) << failure.text;
  EXPECT_TRUE(parse_failure({"--noeagr"}).mentions("--noeager"));
  EXPECT_FALSE(parse_failure({"--something_else"}).mentions("did you mean"));
  for (const char* const nameless : {"-=x", "-=", "--=x"}) {
    const Failure none = parse_failure({nameless});
    EXPECT_EQ(none.code, ExitCode::kUsage) << nameless;
    EXPECT_TRUE(none.mentions("there is no flag's name before the =")) << none.text;
  }
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
  EXPECT_TRUE(parse_failure({"--noeager", "False"}).mentions("after --noeager:"));
}

TEST(FlagParser, RefusesWhatIsNotAFlag) {
  for (const char* argument : {"resnet50", "-", "--"}) {
    EXPECT_EQ(parse_failure({argument}).code, ExitCode::kUsage) << argument;
  }
}

TEST(FlagParser, RefusesAMissingValue) {
  EXPECT_TRUE(parse_failure({"--steps"}).mentions("--steps needs a value"));
  EXPECT_TRUE(
      parse_failure({"--folder", "--eager"}).mentions("--folder needs a value, as in --folder="));
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

TEST(FlagParser, KeepsPositionalArgumentsWhereTheyAreAllowed) {
  const std::vector<std::string> arguments = {"one", "--steps=20", "two"};
  const ParsedFlags flags = parse_flags(example_table(), arguments, Positional::kAllowed);
  EXPECT_EQ(flags.positional(), (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(flags.value("steps"), "20");
}

TEST(FlagParser, SaysWhichVariablesHaveNoEffect) {
  constexpr std::string_view kFlags[] = {"train_dir", "trace_file", "report"};
  const EnvironmentLookup environment = [](const std::string& name) -> const char* {
    if (name == "CONVOY_TRAIN_DIR") return "/tmp/x";
    return name == "CONVOY_REPORT" ? "" : nullptr;
  };
  EXPECT_EQ(notices_on_variables(kFlags, "it is for one run", environment),
            std::vector<std::string>{"CONVOY_TRAIN_DIR=/tmp/x: without effect, it is for one run"});
  EXPECT_TRUE(notices_on_variables(kFlags, "it is for one run", no_environment).empty());
}

}  // namespace
}  // namespace convoy::cli
