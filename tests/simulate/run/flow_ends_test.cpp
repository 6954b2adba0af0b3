#include "core/simulate/run/flow_ends.hpp"

#include <gtest/gtest.h>

namespace convoy::simulate {
namespace {

Event end_of(std::uint32_t flow, Ticks at, std::uint64_t number) {
  return {at, number, flow, 0, EventKind::kFlowEnd};
}

TEST(FlowEndsTest, QueueAnEndUnlessAnEarlierOneIsQueued) {
  FlowEnds ends;
  EXPECT_TRUE(ends.tell(end_of(0, 10, 1)));
  EXPECT_FALSE(ends.tell(end_of(0, 20, 2)));
  EXPECT_FALSE(ends.tell(end_of(0, 10, 3)));
  EXPECT_TRUE(ends.tell(end_of(0, 9, 4)));
  EXPECT_TRUE(ends.tell(end_of(1, 30, 5)));
}

TEST(FlowEndsTest, GiveTheQueuedEventTheEndThatWasToldLast) {
  FlowEnds ends;
  ends.tell(end_of(3, 10, 1));
  ends.tell(end_of(3, 20, 2));
  Event event = end_of(3, 10, 1);
  ASSERT_TRUE(ends.renew(event));
  EXPECT_EQ(event.at, 20);
  EXPECT_EQ(event.number, 2u);
  EXPECT_FALSE(ends.tell(end_of(3, 25, 3)));
  EXPECT_TRUE(ends.tell(end_of(3, 15, 4)));
  EXPECT_FALSE(ends.renew(event)) << "an earlier event has taken its place";
}

TEST(FlowEndsTest, DropEventsOfAFlowThatHasFinished) {
  FlowEnds ends;
  ends.tell(end_of(0, 10, 1));
  ends.finish(0);
  Event event = end_of(0, 10, 1);
  EXPECT_FALSE(ends.renew(event));
  EXPECT_TRUE(ends.tell(end_of(0, 40, 2))) << "its number is used again";
}

}  // namespace
}  // namespace convoy::simulate
