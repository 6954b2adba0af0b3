#include "core/simulate/event_queue.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <utility>

namespace convoy::simulate {
namespace {

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
    now = queue.advance();
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

}  // namespace
}  // namespace convoy::simulate
