#include "core/qualify/judge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/qualify/qualification_json.hpp"

namespace convoy::qualify {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Measurement rate(const std::string& subject, double value,
                 std::optional<ExpectedRate> expected = std::nullopt) {
  return {.kind = Kind::kLink,
          .subject = subject,
          .what = "copy",
          .unit = "B/s",
          .rate = value,
          .expected = std::move(expected)};
}

HostQualification host(const std::string& name, std::vector<Measurement> measurements) {
  HostQualification it;
  it.name = name;
  it.measurements = std::move(measurements);
  return it;
}

TEST(Judge, OfTwoTheFasterOneIsTheYardstick) {
  std::vector<HostQualification> hosts = {host("a", {rate("0", 100), rate("1", 60)})};
  judge(hosts, 0.7);
  EXPECT_FALSE(hosts[0].measurements[0].slow);
  EXPECT_TRUE(hosts[0].measurements[1].slow);
  EXPECT_DOUBLE_EQ(hosts[0].measurements[1].share, 0.6);
  EXPECT_FALSE(all_pass(hosts));
}

TEST(Judge, OneThatIsFasterThanAllOthersMakesNoneOfThemSlow) {
  std::vector<HostQualification> hosts = {
      host("a", {rate("0", 100), rate("1", 99), rate("2", 101), rate("3", 900)})};
  judge(hosts, 0.7);
  EXPECT_TRUE(all_pass(hosts));
}

TEST(Judge, ForesightCountsLessItsError) {
  const ExpectedRate expected{100, 0.25, "the catalogue"};
  std::vector<HostQualification> hosts = {host("a", {rate("0", 60, expected)})};
  judge(hosts, 0.75);
  EXPECT_DOUBLE_EQ(hosts[0].measurements[0].share, 0.8);
  EXPECT_TRUE(all_pass(hosts));
  judge(hosts, 0.81);
  EXPECT_FALSE(all_pass(hosts));
  EXPECT_THAT(
      slow_sentences(hosts),
      ElementsAre("0: copy at 60 % of the expected rate, 80 % of the minimum that its error of "
                  "25 % leaves; no reason for it can be seen"));
}

TEST(Judge, SentencesNameTheExpectedRateAndTheMinimum) {
  const auto sentence = [](double measured, double error) {
    std::vector<HostQualification> hosts = {
        host("a", {rate("0", measured, ExpectedRate{100, error, "simulated"})})};
    judge(hosts, 0.7);
    return slow_sentences(hosts).at(0);
  };
  EXPECT_THAT(sentence(60, 0), HasSubstr("at 60 % of the expected rate; "));
  EXPECT_THAT(
      sentence(36, 0.4),
      HasSubstr("36 % of the expected rate, 60 % of the minimum that its error of 40 % leaves"));
  EXPECT_THAT(
      sentence(2, 1.5),
      HasSubstr("2 % of the expected rate, 40 % of the minimum that is required, 5 % of it"));
  EXPECT_DOUBLE_EQ(least_rate({100, 0.25, ""}), 75);
}

// Predictions may be wrong by more than they say: what is left to reach stays above zero.
TEST(Judge, ForesightThatIsAsWrongAsItsRateOrMoreAsksForLittle) {
  for (const double error : {1.0, 2.0}) {
    const ExpectedRate expected{100, error, "simulated"};
    std::vector<HostQualification> hosts = {host("a", {rate("0", 60, expected)}),
                                            host("b", {rate("0", 60, expected)})};
    judge(hosts, 0.7);
    for (const HostQualification& it : hosts) {
      EXPECT_DOUBLE_EQ(it.measurements[0].share, 1) << "as its like, error " << error;
      EXPECT_FALSE(it.measurements[0].slow) << error;
    }
    hosts = {host("a", {rate("0", 2, expected)})};
    judge(hosts, 0.7);
    EXPECT_NEAR(hosts[0].measurements[0].share, 0.4, 1e-9) << error;
    EXPECT_TRUE(hosts[0].measurements[0].slow) << error;
  }
}

// A narrow link that reaches what it can is no slow one beside wide ones.
TEST(Judge, LinksOfOtherWidthsAreComparedByWhatIsForeseenOfThem) {
  const auto of = [](double width) { return ExpectedRate{width, 0, "simulated"}; };
  std::vector<HostQualification> hosts = {host("a", {rate("0", 36, of(40)), rate("1", 35, of(40)),
                                                     rate("2", 9, of(10)), rate("3", 20, of(40))})};
  judge(hosts, 0.7);
  std::vector<bool> slow;
  for (const Measurement& it : hosts[0].measurements) slow.push_back(it.slow);
  EXPECT_THAT(slow, ElementsAre(false, false, false, true));
  EXPECT_DOUBLE_EQ(*hosts[0].measurements[2].peers, 9);
}

TEST(Judge, HostsAreRankedAndTheSlowOneIsNamedWithItsReason) {
  std::vector<HostQualification> hosts = {host("a", {rate("0", 100)}), host("b", {rate("0", 40)}),
                                          host("c", {rate("0", 98)})};
  hosts[1].clues = {{"0", "its link has 4 of 16 lanes", "reseat the card"},
                    {"1", "something else", ""},
                    {"", "governor: powersave", ""}};
  judge(hosts, 0.7);
  EXPECT_EQ(hosts[0].name, "b");
  EXPECT_LT(hosts[0].score, hosts[1].score);
  EXPECT_THAT(slow_sentences(hosts),
              ElementsAre(HasSubstr("b: 0: copy at 41 % of what others reach; 0: its link has 4 of "
                                    "16 lanes: reseat the card")));
}

// What all devices do together may be slow for any of them.
TEST(Judge, WhatIsSlowOfAllDevicesHasTheReasonsOfEach) {
  std::vector<HostQualification> hosts = {host("a", {rate("all devices", 10), rate("x", 100)})};
  hosts[0].devices = {{"cpu:1", "", ""}};
  hosts[0].clues = {{"cpu:1", "here", ""}, {"core 1", "there", ""}, {"", "everywhere", ""}};
  judge(hosts, 0.7);
  EXPECT_THAT(hosts[0].measurements[0].reasons, ElementsAre("cpu:1: here", "everywhere"));
}

// "cpu:1" is no part of "cpu:11", and a link has both its ends.
TEST(Judge, CluesBelongToWholeNames) {
  std::vector<HostQualification> hosts = {host(
      "a",
      {rate("cpu:11 -> cpu:2", 10), rate("cpu:2 -> cpu:1", 10), rate("x", 100), rate("y", 100)})};
  hosts[0].clues = {{"cpu:1", "here", ""}};
  judge(hosts, 0.7);
  EXPECT_THAT(hosts[0].measurements[0].reasons, IsEmpty());
  EXPECT_THAT(hosts[0].measurements[1].reasons, ElementsAre("cpu:1: here"));
}

TEST(QualificationJson, AHostReadsBackAsItWasMeasured) {
  HostQualification sent = host("a", {rate("0", 100, ExpectedRate{120, 0.1, "simulated"})});
  sent.measurements[0].bytes = 4096;
  sent.devices = {{"cpu:0", "EPYC", "0-3"}};
  sent.clues = {{"cpu:0", "hot", "look at fans"}};
  sent.notices = {"one thing"};
  EXPECT_DOUBLE_EQ(host_json(sent)["measurements"][0]["foreseen"]["least"].get<double>(), 108);
  const HostQualification got = read_host(host_json(sent));
  EXPECT_EQ(host_json(got).dump(), host_json(sent).dump());
}

}  // namespace
}  // namespace convoy::qualify
