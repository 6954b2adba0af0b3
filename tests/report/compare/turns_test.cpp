#include "core/report/compare/turns.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

namespace convoy::compare {
namespace {

struct RunInTurns {
  std::vector<double> steps;
  std::vector<std::size_t> ends;

  void take_turn(std::initializer_list<double> seconds) {
    if (!steps.empty()) ends.push_back(steps.size());
    steps.insert(steps.end(), seconds);
  }
  TurnsOfRun turns() const { return {steps, ends}; }
};

// Turns of two runs on a machine that slows down by 1 % from each turn to the next; a step of the
// second takes 3 % longer.
std::pair<RunInTurns, RunInTurns> slowing_down(int turns) {
  std::pair<RunInTurns, RunInTurns> runs;
  double seconds = 0.1;
  for (int i = 0; i < turns; ++i) {
    runs.first.take_turn({1.5 * seconds, seconds});
    seconds *= 1.01;
    runs.second.take_turn({2 * 1.03 * seconds, 1.03 * seconds});
    seconds *= 1.01;
  }
  return runs;
}

TEST(Turns, LeaveOutWhatDriftsInTheMachine) {
  const auto [first, second] = slowing_down(30);
  const auto difference = difference_by_turns(first.turns(), second.turns(), 0);
  ASSERT_TRUE(difference);
  EXPECT_NEAR(*difference, std::log(1.03), 1e-9);
}

TEST(Turns, ThatOthersDisturbedCountLittle) {
  auto [first, second] = slowing_down(30);
  for (std::size_t i = 10; i < 20; ++i) second.steps[i] *= 3;  // five turns
  const auto difference = difference_by_turns(first.turns(), second.turns(), 0);
  ASSERT_TRUE(difference);
  EXPECT_NEAR(*difference, std::log(1.03), 1e-9);
}

TEST(Turns, TheFirstOnesAndThoseOfOneRunAloneAreLeftOut) {
  auto [first, second] = slowing_down(30);
  first.steps[0] = second.steps[0] = second.steps[1] = 100;
  for (int i = 0; i < 40; ++i) second.take_turn({100});
  const auto difference = difference_by_turns(first.turns(), second.turns(), 0);
  ASSERT_TRUE(difference);
  EXPECT_NEAR(*difference, std::log(1.03), 1e-9);
}

TEST(Turns, ShowNothingWhenTheyAreFew) {
  const auto most = static_cast<int>(kFewestTurns) + 1;  // the last stands before none
  const auto [first, second] = slowing_down(most);
  EXPECT_FALSE(difference_by_turns(first.turns(), second.turns(), 0.5));
  const auto [longer, other] = slowing_down(most + 1);
  EXPECT_TRUE(difference_by_turns(longer.turns(), other.turns(), 0.5));
}

}  // namespace
}  // namespace convoy::compare
