#include "core/simulate/run/event_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace convoy::simulate {
namespace {

bool as_it_is(const Event&) {
  return true;
}

// Times grow; now and then several are equal, and some are now.
TEST(EventQueueTest, GivesEventsByTimeAndThoseOfOneTimeInTheOrderOfPushing) {
  std::mt19937_64 random(3);
  EventQueue queue;
  std::set<std::pair<Ticks, std::uint32_t>> expected;
  std::uint32_t next = 0;
  Ticks now = 0;
  const auto push = [&](Ticks at) {
    queue.push({at, next, next, 0, EventKind::kBegin});
    expected.insert({at, next++});
  };
  for (int i = 0; i < 50; ++i) push(static_cast<Ticks>(random() % 20));
  while (!queue.empty()) {
    now = queue.advance(as_it_is);
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
    queue.push({at, i, i, 0, i % 3 == 0 ? EventKind::kBegin : EventKind::kFlowEnd});
    if (i % 3 == 0) expected.push_back(at);
  }
  std::ranges::sort(expected);
  const auto is_no_flow = [](const Event& event) { return event.kind != EventKind::kFlowEnd; };
  std::vector<Ticks> times;
  while (!queue.empty()) {
    queue.advance(is_no_flow);
    while (queue.has_more_now()) times.push_back(queue.pop().at);
  }
  EXPECT_EQ(times, expected);
}

// Every event gets a later time once, as ends of flows do, and its new number counts there.
TEST(EventQueueTest, GivesRenewedEventsAtTheirNewTimesByTheirNewNumbers) {
  std::mt19937_64 random(7);
  EventQueue queue;
  std::vector<std::pair<Ticks, std::uint64_t>> expected;
  std::vector<Event> renewed;
  constexpr std::uint32_t kEvents = 2000;
  for (std::uint32_t i = 0; i < kEvents; ++i) {
    const auto at = static_cast<Ticks>(1 + random() % 1000);  // events of now are not on the way
    const auto later = at + static_cast<Ticks>(random() % 500);
    queue.push({at, i, i, 0, EventKind::kFlowEnd});
    renewed.push_back({later, kEvents + (i * 7) % kEvents, i, 0, EventKind::kFlowEnd});
    expected.push_back({later, renewed.back().number});
  }
  std::ranges::sort(expected);
  const auto renew = [&](Event& event) {
    event = renewed[event.index];
    return true;
  };
  std::vector<std::pair<Ticks, std::uint64_t>> given;
  while (!queue.empty()) {
    const Ticks now = queue.advance(renew);
    while (queue.has_more_now()) {
      const Event event = queue.pop();
      EXPECT_EQ(event.at, now);
      given.push_back({event.at, event.number});
    }
  }
  EXPECT_EQ(given, expected);
}

TEST(EventQueueTest, StaysAtItsTimeWhenAllIsOver) {
  EventQueue queue;
  queue.push({7, 0, 0, 0, EventKind::kBegin});
  EXPECT_EQ(queue.advance(as_it_is), 7);
  queue.pop();
  queue.push({9, 1, 1, 0, EventKind::kFlowEnd});
  EXPECT_EQ(queue.advance([](const Event&) { return false; }), 7);
  EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace convoy::simulate
