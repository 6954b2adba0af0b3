#include "core/report/compare/difference.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <utility>

#include "core/base/error.hpp"
#include "tests/report/noisy_machine.hpp"

namespace convoy::compare {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kRepetitions = 500;
// Of comparisons of equal programs, so many see a difference at most.
constexpr double kMostFalse = 0.05;

// The share of comparisons that end so.
double share_of(Verdict verdict, double slowdown, std::size_t runs) {
  int found = 0;
  for (std::uint64_t repetition = 0; repetition < kRepetitions; ++repetition) {
    Machine machine(repetition);
    const Side first = machine.side(0.1, runs);
    const Side second = machine.side(0.1 * slowdown, runs);
    found += compare(first, second).verdict == verdict ? 1 : 0;
  }
  return found / static_cast<double>(kRepetitions);
}

TEST(Difference, SeesNoneBetweenRepeatsOfTheSameProgram) {
  EXPECT_GE(share_of(Verdict::kNoDifference, 1, 5), 1 - kMostFalse);
}

TEST(Difference, FindsAThreePercentSlowdownInFiveRepeats) {
  EXPECT_GE(share_of(Verdict::kSlower, 1.03, 5), 0.9);
}

TEST(Difference, SeesNoneBetweenTwoSingleRunsOfTheSameProgram) {
  EXPECT_GE(share_of(Verdict::kNoDifference, 1, 1), 1 - kMostFalse);
}

TEST(Difference, FindsATenPercentSlowdownInSingleRuns) {
  EXPECT_GE(share_of(Verdict::kSlower, 1.10, 1), 0.9);
}

// One run does not show how much runs differ; five of the other side do.
TEST(Difference, OfOneRunAndSeveralKnowsWhatRunsDifferBy) {
  int none = 0;
  for (std::uint64_t repetition = 0; repetition < kRepetitions; ++repetition) {
    Machine machine(repetition, {.between_runs = 0.05});
    const Side several = machine.side(0.1, 5);
    const Side one = machine.side(0.1, 1);
    const Difference difference =
        repetition % 2 == 0 ? compare(several, one) : compare(one, several);
    none += difference.verdict == Verdict::kNoDifference ? 1 : 0;
  }
  EXPECT_GE(none / static_cast<double>(kRepetitions), 1 - kMostFalse);
}

TEST(Difference, ASingleRunOfFewStepsIsRefused) {
  const Side few{"few.json", {{0.1, 0.11, 0.2}}, {}};
  const Side enough{"enough.json", {{0.1, 0.11, 0.1, 0.2}}, {}};
  EXPECT_NO_THROW(compare(enough, enough));
  for (const auto& [first, second] : {std::pair(few, enough), std::pair(enough, few)}) {
    try {
      compare(first, second);
      ADD_FAILURE() << "not refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kUsage);
      EXPECT_THAT(error.what(), HasSubstr("few.json: a single run of 3 timed steps"));
    }
  }
}

// Comparisons of five pairs of runs on a machine whose speed wanders by 3 % from one pair to the
// next.
struct Turns {
  Noise noise{.between_runs = 0.004};
  std::size_t steps = 200;
  bool times_known = true;
  DifferenceOptions options{};
};

Difference compare_turns(const Turns& turns, double slowdown, std::uint64_t seed) {
  Machine machine(seed, turns.noise);
  std::mt19937_64 random(seed + 1000000);
  std::normal_distribution<double> normal(0, 0.03);
  Side first{"first", {}, {}};
  Side second{"second", {}, {}};
  for (int pair = 0; pair < 5; ++pair) {
    const double speed = 0.1 * std::exp(normal(random));
    first.runs.push_back(machine.run(speed, turns.steps));
    second.runs.push_back(machine.run(speed * slowdown, turns.steps));
    if (!turns.times_known) continue;
    first.began.emplace_back(10 * pair + pair % 2);
    second.began.emplace_back(10 * pair + 1 - pair % 2);
  }
  return compare(first, second, turns.options);
}

double share_of_turns(Verdict verdict, double slowdown, const Turns& turns) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < kRepetitions; ++seed)
    found += compare_turns(turns, slowdown, seed).verdict == verdict ? 1 : 0;
  return found / static_cast<double>(kRepetitions);
}

TEST(Difference, OfRunsThatTookTurnsLeavesAloneWhatDrifts) {
  EXPECT_GE(share_of_turns(Verdict::kNoDifference, 1, {}), 1 - kMostFalse);
  EXPECT_GE(share_of_turns(Verdict::kSlower, 1.03, {}), 0.9);
  EXPECT_LT(share_of_turns(Verdict::kSlower, 1.03, {.times_known = false}), 0.5);
}

// Five pairs of runs with thirty turns of three steps each, on a machine whose speed changes by
// tenths for some turns at a time.
std::pair<Side, Side> in_turns(double slowdown, bool turns_known, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::pair<Side, Side> sides{{"first", {}, {}}, {"second", {}, {}}};
  for (int pair = 0; pair < 5; ++pair) {
    double speed = 0;
    for (Side* side : {&sides.first, &sides.second}) {
      side->runs.emplace_back();
      side->began.emplace_back(10 * pair + (side == &sides.first ? pair % 2 : 1 - pair % 2));
      side->turns.emplace_back();
    }
    for (int turn = 0; turn < 60; ++turn) {
      speed = 0.9 * speed + 0.05 * normal(random);
      Side& side = (turn + pair) % 2 == 0 ? sides.first : sides.second;
      const double seconds = 0.1 * (&side == &sides.first ? 1 : slowdown);
      if (turn > 1 && turns_known) side.turns.back().push_back(side.runs.back().size());
      for (int step = 0; step < 3; ++step)
        side.runs.back().push_back(seconds * std::exp(speed + 0.02 * normal(random)));
    }
  }
  return sides;
}

double share_in_turns(Verdict verdict, double slowdown, bool turns_known) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < kRepetitions; ++seed) {
    const auto [first, second] = in_turns(slowdown, turns_known, seed);
    found += compare(first, second).verdict == verdict ? 1 : 0;
  }
  return found / static_cast<double>(kRepetitions);
}

TEST(Difference, OfTurnsLeavesAloneWhatDriftsWithinRuns) {
  EXPECT_GE(share_in_turns(Verdict::kNoDifference, 1, true), 1 - kMostFalse);
  EXPECT_GE(share_in_turns(Verdict::kSlower, 1.03, true), 0.9);
  EXPECT_LT(share_in_turns(Verdict::kSlower, 1.03, false), 0.8);
  const auto [first, second] = in_turns(1, true, 1);
  EXPECT_THAT(compare(first, second).method, HasSubstr("10 % quantile of each turn"));
}

// As measured on one processor of a busy machine: few steps, every third run slowed for a while,
// differences of pairs with heavy tails.
TEST(Difference, OfFastStepsIsFoundOnABusyMachine) {
  const Noise busy{.between_runs = 0.004,
                   .within_run = 0.015,
                   .disturbed = 0.1,
                   .by = 0.6,
                   .freedom = 4,
                   .stretches = 0.3};
  const Turns fast{.noise = busy, .steps = 30};
  EXPECT_GE(share_of_turns(Verdict::kNoDifference, 1, fast), 1 - kMostFalse);
  EXPECT_GE(share_of_turns(Verdict::kSlower, 1.03, fast), 0.9);
  const Turns medians{.noise = busy, .steps = 30, .options = {.confidence = 0.99, .quantile = 0.5}};
  EXPECT_GE(share_of_turns(Verdict::kNoDifference, 1, medians), 1 - kMostFalse);
  EXPECT_LT(share_of_turns(Verdict::kSlower, 1.03, medians), 0.7);
}

// The confidence is the share of comparisons whose interval holds the true change.
TEST(Difference, HasTheConfidenceThatItStates) {
  for (const double freedom : {0.0, 3.0})
    for (const double confidence : {0.9, 0.96, 0.99}) {
      const Turns turns{.noise = {.between_runs = 0.01, .freedom = freedom},
                        .options = {.confidence = confidence}};
      const double kept = share_of_turns(Verdict::kNoDifference, 1, turns);
      EXPECT_GE(kept, confidence - 0.01) << freedom;
      EXPECT_LE(kept, confidence + (freedom == 0 ? 0.02 : 0.06)) << freedom;
    }
}

// Others take the processors during most steps, so that medians are of disturbed ones.
double share_of_disturbed(Verdict verdict, double slowdown, double quantile) {
  int found = 0;
  for (std::uint64_t repetition = 0; repetition < kRepetitions; ++repetition) {
    Machine machine(repetition, {.between_runs = 0.004, .disturbed = 0.65, .by = 1});
    const Side first = machine.side(0.1, 5);
    const Side second = machine.side(0.1 * slowdown, 5);
    found += compare(first, second, {.quantile = quantile}).verdict == verdict ? 1 : 0;
  }
  return found / static_cast<double>(kRepetitions);
}

TEST(Difference, OfFastStepsIsSeenWhereMostStepsAreDisturbed) {
  EXPECT_GE(share_of_disturbed(Verdict::kNoDifference, 1, 0.1), 1 - kMostFalse);
  EXPECT_GE(share_of_disturbed(Verdict::kSlower, 1.03, 0.1), 0.9);
  EXPECT_GE(share_of_disturbed(Verdict::kNoDifference, 1, 0.5), 1 - kMostFalse);
  EXPECT_LT(share_of_disturbed(Verdict::kSlower, 1.03, 0.5), 0.4);
}

// One of the first side's runs was disturbed: the medians of the sides would differ the other way.
TEST(Difference, IsThatOfTheTwoRatesBesideIt) {
  const Side first{"a", {{0.4}, {0.5}, {0.9}}, {}};
  const Side second{"b", {{0.4}, {0.51}, {0.53}}, {}};
  const Difference difference = compare(first, second);
  EXPECT_LT(difference.change, 0);
  EXPECT_NEAR(difference.second_seconds / difference.first_seconds, 1 + difference.change, 1e-12);
}

TEST(Difference, SaysWhichStepsItIsAbout) {
  const Side first{"a", {{1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 6}}, {}};
  const Difference median = compare(first, first, {.quantile = 0.5});
  EXPECT_DOUBLE_EQ(median.first_seconds, 3.5);
  EXPECT_THAT(median.method, HasSubstr("the medians of runs"));
  const Difference fast = compare(first, first);
  EXPECT_DOUBLE_EQ(fast.first_seconds, 1.5);
  EXPECT_THAT(fast.method, HasSubstr("the 10 % quantiles of runs"));
}

TEST(Difference, PairsOnlyRunsThatTookTurns) {
  Machine machine(1);
  const Side first{"a", machine.side(0.1, 3).runs, {1, 2, 5}};
  const auto method = [&](const std::vector<std::optional<double>>& began) {
    return compare(first, Side{"b", machine.side(0.1, 3).runs, began}).method;
  };
  EXPECT_THAT(method({6, 3, 1.5}), HasSubstr("3 pairs of runs"));
  EXPECT_THAT(method({6, 7, 8}), HasSubstr("Welch"));
  EXPECT_THAT(method({6, std::nullopt, 1.5}), HasSubstr("Welch"));
  EXPECT_THAT(method({1, 2, 5}), HasSubstr("Welch")) << "which came first is unknown";
}

TEST(Difference, SaysByHowMuchAndHowSure) {
  Machine machine(1, {.between_runs = 0.002});
  const Difference difference = compare(machine.side(0.1, 5), machine.side(0.09, 5));
  EXPECT_EQ(difference.verdict, Verdict::kFaster);
  EXPECT_NEAR(difference.change, -0.1, 0.02);
  EXPECT_LT(difference.low, difference.change);
  EXPECT_GT(difference.high, difference.change);
  EXPECT_NEAR(difference.speed_ratio(), 1 / 0.9, 0.03);
  EXPECT_THAT(verdict_text(difference), testing::MatchesRegex("faster by .* % \\+- .* %"));
  const Difference none = compare(machine.side(0.1, 1), machine.side(0.1, 1));
  EXPECT_THAT(verdict_text(none), HasSubstr("no difference seen"));
  EXPECT_THAT(none.method, HasSubstr("--repeat=5"));
  EXPECT_EQ(resolution_text(difference), "");
  EXPECT_THAT(resolution_text(none), testing::MatchesRegex("a change of less than .* % cannot.*"));
  EXPECT_THAT(resolution_text(compare(machine.side(0.1, 3), machine.side(0.1, 3))),
              HasSubstr("more of them"));
}

// Percentages of a wide interval go farther up than down.
TEST(Difference, AWideIntervalHasBothItsEnds) {
  const Side first{"a", {{0.1}, {0.11}}, {}};
  const Side second{"b", {{0.1}, {0.4}}, {}};
  const Difference two = compare(first, second);
  ASSERT_EQ(two.verdict, Verdict::kNoDifference);
  EXPECT_THAT(verdict_text(two),
              testing::MatchesRegex("no difference seen: time \\+.* %, from -.* to \\+.* %"));
  EXPECT_THAT(resolution_text(two), testing::MatchesRegex("a change from -.* to \\+.* % cannot.*"));
  Difference wide;  // the factor is 2.8 either way
  wide.change = 0.7;
  wide.low = std::exp(std::log(1.7) - std::log(2.8)) - 1;
  wide.high = std::exp(std::log(1.7) + std::log(2.8)) - 1;
  EXPECT_EQ(resolution_text(wide),
            "a change from -64.3 to +180.0 % cannot be seen with these runs");
  EXPECT_THAT(resolution_text(two), HasSubstr("too few runs to tell: --repeat=5"));
  Difference slower;
  slower.change = 3;
  slower.low = 0.5;
  slower.high = 20;
  slower.verdict = Verdict::kSlower;
  EXPECT_EQ(verdict_text(slower), "slower by 300.0 %, time from +50.0 to +2000.0 %");
}

TEST(Difference, ConstantTimesDifferWithoutDoubt) {
  const Side first{"a", {{0.1, 0.1}, {0.1, 0.1}}, {}};
  const Side second{"b", {{0.2, 0.2}, {0.2, 0.2}}, {}};
  EXPECT_EQ(compare(first, second).verdict, Verdict::kSlower);
  EXPECT_EQ(compare(first, first).verdict, Verdict::kNoDifference);
}

}  // namespace
}  // namespace convoy::compare
