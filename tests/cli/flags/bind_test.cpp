#include "core/cli/flags/bind.hpp"

#include <gtest/gtest.h>

#include "tests/cli/parsing.hpp"

namespace convoy::cli::bind_test {
namespace {

enum class Colour { kRed, kGreen };

struct Fields {
  bool fast = true;
  std::optional<bool> loud;
  std::string name = "nobody";
  std::uint32_t count = 7;
  std::int64_t steps = 10;
  double rate = 0.5;
  std::optional<double> limit;
  std::optional<std::uint32_t> batch;
  Colour colour = Colour::kGreen;
};

FlagTable table_of(Fields& fields) {
  FlagTable table;
  table.add_all({bind_flag("fast", fields.fast, ""), bind_flag("loud", fields.loud, ""),
                 bind_flag("name", fields.name, ""),
                 bind_flag("count", fields.count, Bounds{0, 4294967295.0}, ""),
                 bind_flag("steps", fields.steps, Bounds{1, 1e15}, ""),
                 bind_flag("rate", fields.rate, Bounds{0, 1}, ""),
                 bind_flag("limit", fields.limit, Bounds{}, "", "3"),
                 bind_unset_by_zero("batch_size", fields.batch, ""),
                 bind_choice<Colour>("colour", fields.colour,
                                     {{"red", Colour::kRed}, {"green", Colour::kGreen}}, "")});
  return table;
}

Fields fields_of(const std::vector<std::string>& arguments) {
  Fields fields;
  parse(table_of(fields), arguments);
  return fields;
}

TEST(Bind, AFieldIsItsFlagsDefault) {
  Fields fields;
  const ParsedFlags flags = parse(table_of(fields), {});
  EXPECT_EQ(flags.value("fast"), "true");
  EXPECT_EQ(flags.value("loud"), "");
  EXPECT_EQ(flags.value("name"), "nobody");
  EXPECT_EQ(flags.value("count"), "7");
  EXPECT_EQ(flags.value("rate"), "0.5");
  EXPECT_EQ(flags.value("limit"), "3");
  EXPECT_EQ(flags.value("batch_size"), "0");
  EXPECT_EQ(flags.value("colour"), "green");
  EXPECT_EQ(fields.limit, std::nullopt);
}

TEST(Bind, AGivenValueGoesToItsField) {
  const Fields fields = fields_of({"--nofast", "--loud", "--name=somebody", "--count=4294967295",
                                   "--steps=1000000000000000", "--rate=0.25", "--limit=4",
                                   "--batch_size=8", "--colour=RED"});
  EXPECT_FALSE(fields.fast);
  EXPECT_EQ(fields.loud, true);
  EXPECT_EQ(fields.name, "somebody");
  EXPECT_EQ(fields.count, 4294967295u);
  EXPECT_EQ(fields.steps, 1000000000000000);
  EXPECT_EQ(fields.rate, 0.25);
  EXPECT_EQ(fields.limit, 4);
  EXPECT_EQ(fields.batch, 8u);
  EXPECT_EQ(fields.colour, Colour::kRed);
  EXPECT_EQ(fields_of({"--batch_size=8", "--batch_size=0"}).batch, std::nullopt);
}

TEST(Bind, RefusesWhatDoesNotFitTheField) {
  for (const char* argument :
       {"--count=4294967296", "--count=4294967297", "--count=-1", "--count=9223372036854775807"}) {
    const Failure failure = failure_of([&] { fields_of({argument}); });
    EXPECT_EQ(failure.code, ExitCode::kUsage) << argument;
    EXPECT_EQ(failure.text, std::string(argument) + ": it must be an integer from 0 to 4294967295");
  }
  EXPECT_TRUE(failure_of([] { fields_of({"--rate=2"}); }).mentions("a number from 0 to 1"));
  EXPECT_TRUE(failure_of([] { fields_of({"--colour=blue"}); }).mentions("red or green"));
}

TEST(Bind, BoundsThatAFieldCannotHoldAreAMistakeOfTheProgram) {
  std::uint32_t field = 0;
  EXPECT_ANY_THROW(bind_flag("field", field, Bounds{0, 4294967296.0}, ""));
  EXPECT_ANY_THROW(bind_flag("field", field, Bounds{-1, 5}, ""));
  EXPECT_ANY_THROW(bind_flag("field", field, Bounds{0}, ""));
}

}  // namespace
}  // namespace convoy::cli::bind_test
