#include "core/runtime/timeline_bell.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <convoy/waking.hpp>
#include <thread>
#include <vector>

#include "core/runtime/timeline.hpp"

namespace convoy::timeline_bell_test {
namespace {

// What a device plug-in has, without a device.
TimelineListeners& listeners() {
  static TimelineListeners all;
  return all;
}
void host_has_advanced(const std::uint64_t* /*timeline*/, std::uint64_t /*value*/) noexcept {}
constexpr convoy_device_waking kWaking = waking_detail::kTable<listeners, host_has_advanced>;

// Longer than any test takes: a sleep that nobody ends is seen.
constexpr double kLong = 20;

template <typename Action>
double seconds_of(Action action) {
  const auto begin = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void advance_on_a_device(Timeline& timeline, std::uint64_t value) {
  std::atomic_ref<std::uint64_t>(timeline.value).store(value, std::memory_order_seq_cst);
  listeners().tell(&timeline.value, value);
}

TEST(TimelineBell, WakesForTheAwaitedPointOfADevicesTimeline) {
  TimelineBell bell(&kWaking);
  ASSERT_TRUE(bell.is_told());
  Timeline awaited;
  Timeline other;
  const std::vector<convoy_wait> points{{&awaited.value, 2}};
  std::jthread device([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    advance_on_a_device(other, 5);
    advance_on_a_device(awaited, 1);
    advance_on_a_device(awaited, 2);
  });
  EXPECT_LT(seconds_of([&] { bell.sleep(points, {}, kLong); }), kLong / 2);
  EXPECT_EQ(value_of(awaited), 2u) << "nothing else woke it";
}

TEST(TimelineBell, WakesForTimelinesOfOthers) {
  TimelineBell bell(nullptr);
  EXPECT_FALSE(bell.is_told());
  Timeline awaited;
  const std::vector<convoy_wait> points{{&awaited.value, 1}};
  std::jthread network([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    advance(&awaited.value, 1);
    bell.advanced();
  });
  EXPECT_LT(seconds_of([&] { bell.sleep(points, {}, kLong); }), kLong / 2);
  EXPECT_EQ(value_of(awaited), 1u);
}

// Whoever advances and whoever goes to sleep meet at any moment: no sleep is missed.
TEST(TimelineBell, MissesNothing) {
  TimelineBell bell(&kWaking);
  Timeline timeline;
  std::atomic<std::uint64_t> seen{0};
  constexpr std::uint64_t kSteps = 2000;
  std::jthread device([&] {
    for (std::uint64_t step = 1; step <= kSteps; ++step) {
      while (seen.load() + 1 < step) std::this_thread::yield();
      if (step % 2 == 0) {
        advance_on_a_device(timeline, step);
      } else {
        advance(&timeline.value, step);
        bell.advanced();
      }
    }
  });
  EXPECT_LT(seconds_of([&] {
              for (std::uint64_t step = 1; step <= kSteps; ++step) {
                const std::vector<convoy_wait> points{{&timeline.value, step}};
                while (!holds(points.front())) bell.sleep(points, {}, kLong);
                seen = step;
              }
            }),
            kLong);
}

TEST(TimelineBell, KeepsARingForTheNextSleep) {
  TimelineBell bell(&kWaking);
  Timeline timeline;
  bell.ring();
  EXPECT_LT(seconds_of([&] {
              bell.sleep(std::vector<convoy_wait>{{&timeline.value, 1}}, {}, kLong);
            }),
            kLong / 2);
}

}  // namespace
}  // namespace convoy::timeline_bell_test
