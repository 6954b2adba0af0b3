#include "core/select/trial_schedule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>

namespace convoy::select {
namespace {

// Seconds of a candidate's step: `in_turn` counts from 0 in every turn, `step` in the whole trial.
using StepTime = std::function<double(std::size_t candidate, std::int64_t in_turn, std::int64_t)>;

struct Course {
  std::string turns;  // "ABCABC"
  std::size_t winner = 0;
};

Course run(TrialSchedule& schedule, const StepTime& time) {
  Course course;
  while (!schedule.over()) {
    const std::size_t candidate = schedule.current();
    course.turns += static_cast<char>('A' + candidate);
    const std::int64_t steps = schedule.turn_steps();
    for (std::int64_t i = 0; i < steps; ++i) schedule.add(time(candidate, i, schedule.steps()));
  }
  course.winner = schedule.winner();
  return course;
}

// Noise of up to 4 % that has nothing to do with the turns.
double alike(std::size_t, std::int64_t, std::int64_t step) {
  const auto mixed = static_cast<std::uint64_t>(step + 1) * 0x9e3779b97f4a7c15u >> 40;
  return 1 + 0.01 * static_cast<double>(mixed % 5);
}

TEST(TrialSchedule, InterleavesCandidatesAndStaysWithinItsSteps) {
  for (const std::int64_t most : {9, 13, 17, 21, 40, 1000})
    for (std::size_t candidates = 2; candidates <= most_tried(5, most); ++candidates) {
      TrialSchedule schedule(candidates, most);
      const Course course = run(schedule, alike);
      EXPECT_LE(schedule.steps(), std::min(most, kMostTrialSteps)) << candidates << " of " << most;
      const std::string round = std::string("ABCDE").substr(0, candidates);
      EXPECT_EQ(course.turns.substr(0, 2 * candidates), round + round) << most;
      for (std::size_t i = 0; i < candidates; ++i) EXPECT_GE(schedule.counted(i), 2u) << i;
    }
}

TEST(TrialSchedule, ComparesAsManyAsTheStepsAllow) {
  EXPECT_EQ(most_tried(5, 40), 5u);
  EXPECT_EQ(most_tried(9, 1000), 9u);
  EXPECT_EQ(most_tried(5, 15), 3u);
  EXPECT_EQ(most_tried(5, 9), 2u);
  EXPECT_EQ(most_tried(5, 8), 0u);
  EXPECT_EQ(most_tried(5, 0), 0u);
  EXPECT_EQ(most_tried(1, 40), 0u);
}

TEST(TrialSchedule, TheFirstStepAfterASwitchDoesNotCount) {
  TrialSchedule schedule(2, 40);
  const Course course =
      run(schedule, [](std::size_t candidate, std::int64_t in_turn, std::int64_t step) {
        const bool cold = in_turn == 0 || step == 1;
        return cold ? 100.0 : (candidate == 0 ? 1.02 : 1.0) + 0.02 * static_cast<double>(step % 3);
      });
  EXPECT_EQ(course.winner, 1u);
  EXPECT_LT(schedule.median(0), 2);
  EXPECT_LT(schedule.median(1), 2);
}

TEST(TrialSchedule, TakesTheSmallestMedianWhateverOneSlowStepSays) {
  TrialSchedule schedule(3, 40);
  const Course course =
      run(schedule, [](std::size_t candidate, std::int64_t in_turn, std::int64_t step) {
        if (candidate == 1 && in_turn == 2) return 9.0;
        return alike(candidate, in_turn, step) - (candidate == 1 ? 0.05 : 0);
      });
  EXPECT_EQ(course.winner, 1u);
}

TEST(TrialSchedule, OfEqualsTakesTheOneThatWasExpectedToBeFast) {
  TrialSchedule schedule(2, 40);
  const Course course = run(schedule, [](std::size_t candidate, std::int64_t, std::int64_t) {
    return candidate == 0 ? 1.004 : 1.0;
  });
  EXPECT_EQ(course.winner, 0u);
  TrialSchedule other(2, 40);
  EXPECT_EQ(run(other, [](std::size_t candidate, std::int64_t,
                          std::int64_t) { return candidate == 0 ? 1.006 : 1.0; })
                .winner,
            1u);
}

TEST(TrialSchedule, EndsEarlyWhenOneIsClearlyBest) {
  TrialSchedule far(3, 40);
  const Course once = run(far, [](std::size_t candidate, std::int64_t, std::int64_t) {
    return candidate == 2 ? 1.0 : 2.0;
  });
  EXPECT_EQ(once.turns, "ABC");
  EXPECT_EQ(once.winner, 2u);
  TrialSchedule near(2, 40);
  const Course twice = run(near, [](std::size_t candidate, std::int64_t, std::int64_t step) {
    return (candidate == 1 ? 1.0 : 1.05) + 0.001 * static_cast<double>(step % 5);
  });
  EXPECT_EQ(twice.turns, "ABAB");
  EXPECT_EQ(twice.winner, 1u);
}

// What the scatter of steps does is no reason to drop anybody early.
TEST(TrialSchedule, NoiseAloneHardlyEverDropsACandidate) {
  constexpr int kTrials = 200;
  std::mt19937 random(1);
  for (const std::size_t candidates : {2u, 3u, 5u}) {
    int dropped = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      TrialSchedule schedule(candidates, 40);
      run(schedule, [&random](std::size_t, std::int64_t, std::int64_t) {
        return std::uniform_real_distribution<double>(0.98, 1.02)(random);
      });
      std::size_t most = 0;
      for (std::size_t i = 0; i < candidates; ++i) most = std::max(most, schedule.counted(i));
      for (std::size_t i = 0; i < candidates; ++i) dropped += schedule.counted(i) < most;
    }
    EXPECT_LE(dropped, kTrials / 20) << candidates << " candidates";
  }
}

TEST(TrialSchedule, FindsASmallAdvantageInNoise) {
  constexpr int kTrials = 200;
  std::mt19937 random(2);
  int found = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    TrialSchedule schedule(3, 40);
    const Course course =
        run(schedule, [&random](std::size_t candidate, std::int64_t, std::int64_t) {
          const double noise = std::uniform_real_distribution<double>(-0.02, 0.02)(random);
          return (candidate == 2 ? 0.98 : 1.0) + noise;
        });
    found += course.winner == 2;
  }
  EXPECT_GE(found, kTrials * 9 / 10);
}

TEST(TrialSchedule, LeavesTheStepsOfWhoDropsOutToTheOthers) {
  TrialSchedule schedule(3, 40);
  const Course course = run(schedule, [](std::size_t candidate, std::int64_t, std::int64_t) {
    return candidate == 1 ? 3.0 : 1.0;
  });
  EXPECT_EQ(course.turns.substr(0, 7), "ABCACAC");
  EXPECT_EQ(course.turns.find('B', 2), std::string::npos);
  EXPECT_GT(schedule.counted(0), 6u);
}

TEST(TrialSchedule, GoesOnWithoutWhoCannotRun) {
  TrialSchedule schedule(3, 40);
  for (std::int64_t i = schedule.turn_steps(); i > 0; --i) schedule.add(1);
  ASSERT_EQ(schedule.current(), 1u);
  schedule.drop_current();
  EXPECT_EQ(schedule.current(), 2u);
  for (std::int64_t i = schedule.turn_steps(); i > 0; --i) schedule.add(1.01);
  EXPECT_EQ(schedule.current(), 0u);
  schedule.drop_current();
  EXPECT_TRUE(schedule.over());
  EXPECT_EQ(schedule.winner(), 2u);
}

TEST(TrialSchedule, GoesOnWithTheNextRoundWhenTheLastOneCannotRun) {
  TrialSchedule schedule(3, 40);
  for (int turn = 0; turn < 2; ++turn)
    for (std::int64_t i = schedule.turn_steps(); i > 0; --i) schedule.add(1);
  ASSERT_EQ(schedule.current(), 2u);
  schedule.drop_current();
  EXPECT_FALSE(schedule.over());
  EXPECT_EQ(schedule.current(), 0u);
}

}  // namespace
}  // namespace convoy::select
