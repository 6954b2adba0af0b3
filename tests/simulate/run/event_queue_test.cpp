#include "core/simulate/run/event_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace convoy::simulate {
namespace {

bool never(const Event&) {
  return false;
}

// Times grow; now and then several are equal, and some are now.
TEST(EventQueueTest, GivesEventsByTimeAndThoseOfOneTimeInTheOrderOfPushing) {
  std::mt19937_64 random(3);
  EventQueue queue;
  std::set<std::pair<Ticks, std::uint32_t>> expected;
  std::uint32_t next = 0;
  Ticks now = 0;
  const auto push = [&](Ticks at) {
    queue.push({at, next, 0, EventKind::kBegin});
    expected.insert({at, next++});
  };
  for (int i = 0; i < 50; ++i) push(static_cast<Ticks>(random() % 20));
  while (!queue.empty()) {
    now = queue.advance(never);
    while (queue.has_more_now()) {
      ASSERT_FALSE(expected.empty());
      const Event event = queue.pop();
      EXPECT_EQ(event.at, now);
      EXPECT_EQ(std::pair(event.at, std::uint32_t{event.index}), *expected.begin());
      expected.erase(expected.begin());
      if (next >= 5000) continue;
      const auto far = static_cast<Ticks>(random() % 8 == 0 ? random() % 1000000000 : random() % 9);
      push(now + far);
      if (random() % 4 == 0) push(now);
    }
  }
  EXPECT_TRUE(expected.empty()) << expected.size() << " events left";
  EXPECT_GE(next, 5000u);
}

// As ends of flows, most of which are told anew before they come.
TEST(EventQueueTest, DropsEventsThatAreOver) {
  std::mt19937_64 random(5);
  EventQueue queue;
  std::vector<Ticks> expected;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const auto at = static_cast<Ticks>(random() % 100000);
    queue.push({at, i, 0, i % 3 == 0 ? EventKind::kBegin : EventKind::kFlowEnd});
    if (i % 3 == 0) expected.push_back(at);
  }
  std::ranges::sort(expected);
  const auto is_over = [](const Event& event) { return event.kind == EventKind::kFlowEnd; };
  std::vector<Ticks> times;
  while (!queue.empty()) {
    queue.advance(is_over);
    while (queue.has_more_now()) times.push_back(queue.pop().at);
  }
  EXPECT_EQ(times, expected);
}

TEST(EventQueueTest, StaysAtItsTimeWhenAllIsOver) {
  EventQueue queue;
  queue.push({7, 0, 0, EventKind::kBegin});
  EXPECT_EQ(queue.advance(never), 7);
  queue.pop();
  queue.push({9, 1, 0, EventKind::kFlowEnd});
  EXPECT_EQ(queue.advance([](const Event&) { return true; }), 7);
  EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace convoy::simulate
