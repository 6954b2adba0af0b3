#include "core/report/compare/difference.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/statistics.hpp"
#include "core/report/compare/autocovariance.hpp"
#include "core/report/compare/block_bootstrap.hpp"

namespace convoy::compare {
namespace {

using testing::HasSubstr;

// Steps as machines make them: runs differ from each other, a step depends on the one before, some
// are disturbed.
struct Noise {
  double between_runs = 0.006;
  double within_run = 0.03;
  double correlation = 0.6;
  double disturbed = 0.02;  // of the steps
  double by = 0.4;          // what a disturbance adds, the logarithm of a factor: its mean
  double freedom = 0;       // runs differ by Student's t with so many degrees; 0: normally
  double stretches = 0;     // of the runs: for a third of its steps others take 30 % of the machine
};

class Machine {
 public:
  explicit Machine(std::uint64_t seed, Noise noise = {}) : random_(seed), noise_(noise) {}

  std::vector<double> run(double seconds, std::size_t steps = 200) {
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    std::exponential_distribution<double> exponential;
    const double speed = seconds * std::exp(noise_.between_runs * of_run());
    const std::size_t stretch = uniform(random_) < noise_.stretches ? random_() % steps : steps;
    const double fresh = std::sqrt(1 - noise_.correlation * noise_.correlation);
    double state = normal(random_);
    std::vector<double> times;
    for (std::size_t i = 0; i < steps; ++i) {
      state = noise_.correlation * state + fresh * normal(random_);
      const bool slow = uniform(random_) < noise_.disturbed;
      const double longer = slow ? std::exp(noise_.by * exponential(random_)) : 1;
      const bool shared = i >= stretch && i < stretch + steps / 3;
      times.push_back((shared ? 1.3 : 1) * longer * speed * std::exp(noise_.within_run * state));
    }
    return times;
  }

  Side side(double seconds, std::size_t runs) {
    Side result{"side", {}, {}};
    for (std::size_t i = 0; i < runs; ++i) result.runs.push_back(run(seconds));
    return result;
  }

 private:
  double of_run() {
    if (noise_.freedom == 0) return std::normal_distribution<double>()(random_);
    return std::student_t_distribution<double>(noise_.freedom)(random_);
  }

  std::mt19937_64 random_;
  Noise noise_;
};

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

// The mean over several series, because one of them knows its own deviation only roughly.
double mean_deviation(double correlation) {
  constexpr int kSeries = 10;
  double sum = 0;
  for (std::uint64_t seed = 0; seed < kSeries; ++seed) {
    Machine machine(seed, {.between_runs = 0, .correlation = correlation, .disturbed = 0});
    sum += log_quantile_deviation(machine.run(0.1, 1000), 0.5);
  }
  return sum / kSeries;
}

TEST(BlockBootstrap, CorrelatedStepsTellLessThanIndependentOnes) {
  // The median of n independent normal values has the deviation 1.25 s / sqrt(n); a correlation of
  // 0.9 makes that of their mean sqrt(19) times as large.
  const double alone = 1.2533 * 0.03 / std::sqrt(1000);
  EXPECT_NEAR(mean_deviation(0) / alone, 1, 0.2);
  EXPECT_GT(mean_deviation(0.9) / alone, 2.5);
}

TEST(BlockBootstrap, BlocksAreAsLongAsStepsDependOnEachOther) {
  Machine independent(3, {.correlation = 0, .disturbed = 0});
  Machine correlated(3, {.correlation = 0.9, .disturbed = 0});
  const std::vector<double> series = correlated.run(0.1, 2000);
  EXPECT_GT(block_length(series), 2 * block_length(independent.run(0.1, 2000)));
  EXPECT_EQ(log_quantile_deviation(series, 0.5), log_quantile_deviation(series, 0.5));
  EXPECT_EQ(log_quantile_deviation({1, 2, 3}, 0.5), 0);
}

// As it is defined: every sample is drawn value by value, and sorted.
double deviation_of_sorted_samples(const std::vector<double>& series, double fraction,
                                   std::size_t resamples) {
  const std::size_t block = block_length(series);
  std::mt19937_64 random(series.size());
  std::vector<double> logs;
  for (std::size_t i = 0; i < resamples; ++i) {
    std::vector<double> sample;
    while (sample.size() < series.size()) {
      const std::size_t first = random() % series.size();
      for (std::size_t j = 0; j < block && sample.size() < series.size(); ++j)
        sample.push_back(series[(first + j) % series.size()]);
    }
    logs.push_back(std::log(quantile(sample, fraction)));
  }
  double squares = 0;
  for (const double value : logs) squares += std::pow(value - mean(logs), 2);
  return std::sqrt(squares / static_cast<double>(resamples - 1));
}

TEST(BlockBootstrap, CountsValuesInsteadOfSortingEverySample) {
  Machine machine(5, {.correlation = 0.95});
  std::vector<double> alike = machine.run(0.1, 300);
  for (double& seconds : alike) seconds = std::round(seconds * 200) / 200;
  for (const std::vector<double>& series :
       {machine.run(0.1, 4), machine.run(0.1, 37), machine.run(0.1, 500), alike})
    for (const double fraction : {0.0, 0.2, 0.5, 0.99, 1.0})
      EXPECT_DOUBLE_EQ(log_quantile_deviation(series, fraction, 50),
                       deviation_of_sorted_samples(series, fraction, 50))
          << series.size() << " values, " << fraction;
}

TEST(Autocovariance, IsTheSumOfTheProductsAtEveryLag) {
  Machine machine(6, {.correlation = 0.8});
  for (const std::size_t size : {1u, 2u, 7u, 64u, 300u}) {
    const std::vector<double> series = machine.run(0.1, size);
    const std::vector<double> covariances = autocovariances(series, size);
    const double centre = mean(series);
    ASSERT_EQ(covariances.size(), size);
    for (std::size_t lag = 0; lag < size; ++lag) {
      double direct = 0;
      for (std::size_t i = lag; i < size; ++i)
        direct += (series[i] - centre) * (series[i - lag] - centre);
      EXPECT_NEAR(covariances[lag], direct, 1e-12 * covariances[0] + 1e-30) << size << ", " << lag;
    }
  }
}

}  // namespace
}  // namespace convoy::compare
