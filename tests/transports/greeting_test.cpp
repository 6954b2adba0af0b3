#include <convoy/greeting.hpp>

#include <gtest/gtest.h>

#include <functional>

namespace convoy::greeting_test {
namespace {

convoy_transport_run run_of(std::uint32_t rank) {
  convoy_transport_run run{};
  run.key[31] = 7;
  run.rank = rank;
  run.ranks = 3;
  run.channels = 4;
  run.generation = 5;
  return run;
}

struct Greeting {
  std::uint8_t key[32] = {};
  std::uint32_t rank = 0, ranks = 0, channels = 0, generation = 0;
};

// CONVOY_REASON_NONE: it is taken.
convoy_transport_reason reason_of(const std::function<void(convoy_transport_run&)>& change) {
  convoy_transport_run theirs = run_of(1);
  change(theirs);
  Greeting greeting;
  introduce(theirs, greeting);
  try {
    require_same_run(greeting, run_of(0));
  } catch (const RefusedInput& input) {
    return input.reason();
  }
  return CONVOY_REASON_NONE;
}

TEST(RunGreeting, IsTakenFromOtherTasksOfTheRunAlone) {
  EXPECT_EQ(reason_of([](auto&) {}), CONVOY_REASON_NONE);
  EXPECT_EQ(reason_of([](auto& it) { it.rank = 2; }), CONVOY_REASON_NONE);
  EXPECT_EQ(reason_of([](auto& it) { it.rank = 3; }), CONVOY_REASON_FOREIGN);
  EXPECT_EQ(reason_of([](auto& it) { it.rank = 0; }), CONVOY_REASON_FOREIGN);
  EXPECT_EQ(reason_of([](auto& it) { it.key[0] = 1; }), CONVOY_REASON_FOREIGN);
  EXPECT_EQ(reason_of([](auto& it) { it.key[31] = 6; }), CONVOY_REASON_FOREIGN);
  EXPECT_EQ(reason_of([](auto& it) { it.ranks = 4; }), CONVOY_REASON_FOREIGN);
  EXPECT_EQ(reason_of([](auto& it) { it.channels = 3; }), CONVOY_REASON_FOREIGN);
  EXPECT_EQ(reason_of([](auto& it) { it.generation = 6; }), CONVOY_REASON_STALE);
}

}  // namespace
}  // namespace convoy::greeting_test
