#include "core/base/text/json.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace convoy {
namespace {

TEST(JsonText, IsReadFromStreamsAndStringsAlike) {
  const std::string text = R"({"b": [1, 2.5], "a": "x"})";
  std::istringstream stream(text);
  EXPECT_EQ(parse_json(stream), parse_json(text));
  EXPECT_EQ(parse_json(text).at("b")[1], 2.5);
  EXPECT_EQ(json_text(parse_json(text)), R"({"a":"x","b":[1,2.5]})");
}

TEST(JsonText, KeepsTheOrderOfMembersWhereAsked) {
  std::istringstream stream(R"({"b": 1, "a": 2})");
  EXPECT_EQ(json_text(parse_ordered_json(stream), 1), "{\n \"b\": 1,\n \"a\": 2\n}");
}

TEST(JsonText, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(json_text(nlohmann::json("ab\xff")), "\"ab\xef\xbf\xbd\"");
}

TEST(JsonText, SaysWhereItIsWrong) {
  try {
    parse_json("{\"a\": 1,\n\"b\" 2}");
    FAIL() << "two members and one colon";
  } catch (const nlohmann::json::parse_error& error) {
    EXPECT_NE(std::string(error.what()).find("line 2"), std::string::npos) << error.what();
  }
}

TEST(JsonText, IsRefusedWhenItsLevelsHaveNoEnd) {
  const std::string open(1000000, '[');
  EXPECT_THROW(parse_json(open), nlohmann::json::parse_error);
  EXPECT_THROW(parse_ordered_json("{\"a\": " + open), nlohmann::json::parse_error);
  const std::string text = "\"" + open + "\\\"" + open + "\"";
  EXPECT_EQ(json_text(parse_json(text)), text) << "brackets in texts are no levels";
  const std::string deep = std::string(200, '[') + std::string(200, ']');
  EXPECT_EQ(json_text(parse_json(deep)), deep);
}

TEST(JsonCount, IsAWholeNumberThatItsTypeHolds) {
  const auto count = [](const char* text) { return json_count(parse_json(text)); };
  EXPECT_EQ(count("0"), 0U);
  EXPECT_EQ(count("18446744073709551615"), 18446744073709551615U);
  EXPECT_EQ(json_count(parse_ordered_json("3")), 3U);
  EXPECT_EQ(json_count(nlohmann::json(3)), 3U) << "a signed number of a program";
  for (const char* none : {"-1", "2.0", "2.6e25", "18446744073709551616", "\"3\"", "null", "true"})
    EXPECT_EQ(count(none), std::nullopt) << none;
}

TEST(JsonCount, IsNoneAboveItsBound) {
  EXPECT_EQ(json_count(parse_json("7"), 7), 7U);
  EXPECT_EQ(json_count(parse_json("8"), 7), std::nullopt);
}

}  // namespace
}  // namespace convoy
