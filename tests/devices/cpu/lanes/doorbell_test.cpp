#include "plugins/devices/cpu/lanes/doorbell.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace convoy::cpu {
namespace {

constexpr double kLong = 60;  // seconds: only a lost wake-up lasts that long

TEST(Doorbell, DoesNotSleepWhenItRangSinceTheEpochWasRead) {
  Doorbell bell;
  const std::uint32_t epoch = bell.epoch();
  bell.ring();
  const double start = monotonic_seconds();
  bell.sleep(epoch, {}, kLong);
  EXPECT_LT(monotonic_seconds() - start, kLong / 2);
}

TEST(Doorbell, DoesNotSleepWhenAPointHolds) {
  Doorbell bell;
  const std::uint64_t timeline = 7;
  const convoy_wait point{&timeline, 7};
  const double start = monotonic_seconds();
  bell.sleep(bell.epoch(), {&point, 1}, kLong);
  EXPECT_LT(monotonic_seconds() - start, kLong / 2);
}

TEST(Doorbell, EndsItsSleepAfterTheGivenTime) {
  Doorbell bell;
  const std::uint64_t timeline = 0;
  const convoy_wait point{&timeline, 1};
  const double start = monotonic_seconds();
  bell.sleep(bell.epoch(), {&point, 1}, 0.02);
  EXPECT_GE(monotonic_seconds() - start, 0.015);
}

TEST(Doorbells, UsesDoorbellsAgain) {
  Doorbells doorbells;
  Doorbell& first = doorbells.take();
  Doorbell& second = doorbells.take();
  EXPECT_NE(&first, &second);
  Doorbells::give_back(first);
  EXPECT_EQ(&doorbells.take(), &first);
}

TEST(Doorbells, TogetherLookLessOftenTheMoreThereAre) {
  Doorbells bells;
  double looks_of_fewer = 0;  // per second
  for (int count = 1; count <= 1024; ++count) {
    bells.take();
    const double looks = count / bells.look_again_seconds();
    if (count == 32) looks_of_fewer = looks;
    if (count <= 32) continue;
    ASSERT_LT(looks, looks_of_fewer) << count;
    looks_of_fewer = looks;
  }
  EXPECT_LT(looks_of_fewer, 2000);
}

TEST(Doorbells, EndsAWaitWhenItIsTimeOrStopIsSet) {
  Doorbells doorbells;
  const std::uint64_t timeline = 0;
  std::atomic<bool> stop{false};
  const double start = monotonic_seconds();
  doorbells.wait({&timeline, 1}, 0.02, stop);
  EXPECT_GE(monotonic_seconds() - start, 0.015);
  std::thread stopping([&] {
    stop.store(true);
    doorbells.ring_all();
  });
  doorbells.wait({&timeline, 1}, kLong, stop);
  stopping.join();
  EXPECT_LT(monotonic_seconds() - start, kLong / 2);
}

// Each waits for the other's next value: one lost wake-up costs the few milliseconds after which a
// waiting thread looks again, thousands of them the time of the test.
TEST(Doorbells, WakesWhoWaitsForATimelineWhateverTheMoment) {
  Doorbells doorbells;
  constexpr std::uint64_t kRounds = 5000;
  std::uint64_t ping = 0, pong = 0;
  const std::atomic<bool> stop{false};
  std::thread answering([&] {
    for (std::uint64_t i = 1; i <= kRounds; ++i) {
      doorbells.wait({&ping, i}, kLong, stop);
      doorbells.reach(&pong, i);
    }
  });
  for (std::uint64_t i = 1; i <= kRounds; ++i) {
    doorbells.reach(&ping, i);
    doorbells.wait({&pong, i}, kLong, stop);
    ASSERT_GE(timeline_value(&pong), i);
  }
  answering.join();
}

// The host stores a value and tells of it. One lost wake-up costs the tenth of a second after which
// a waiting thread looks again where it hears of everything.
TEST(Doorbells, WakesWhoWaitsForATimelineThatTheHostTellsOf) {
  Doorbells doorbells;
  constexpr std::uint64_t kRounds = 1000;
  std::uint64_t ping = 0, heard = 0;
  const std::atomic<bool> stop{false};
  timeline_listeners().add(
      [](void* state, const std::uint64_t*, std::uint64_t value) {
        std::atomic_ref<std::uint64_t>(*static_cast<std::uint64_t*>(state)).store(value);
      },
      &heard);
  EXPECT_TRUE(all_tell());
  std::uint64_t pong = 0;
  std::thread answering([&] {
    for (std::uint64_t i = 1; i <= kRounds; ++i) {
      doorbells.wait({&ping, i}, kLong, stop);
      doorbells.reach(&pong, i);
    }
  });
  const double start = monotonic_seconds();
  for (std::uint64_t i = 1; i <= kRounds; ++i) {
    std::atomic_ref<std::uint64_t>(ping).store(i);
    doorbells.wake(&ping, i);
    doorbells.wait({&pong, i}, kLong, stop);
    ASSERT_GE(timeline_value(&pong), i);
  }
  answering.join();
  EXPECT_LT(monotonic_seconds() - start, 0.1 * kRounds / 2);
  timeline_listeners().remove(&heard);
  EXPECT_FALSE(all_tell());
  EXPECT_EQ(heard, kRounds);
}

}  // namespace
}  // namespace convoy::cpu
