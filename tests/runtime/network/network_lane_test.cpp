#include "core/runtime/network/network_lane.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/runtime/network/message_pieces.hpp"
#include "core/runtime/timeline.hpp"
#include "tests/support/in_process_network.hpp"

namespace convoy::testing::network_lane_test {
namespace {

using runtime::kSmallestPiece;
using runtime::NetworkLane;
using runtime::piece_bytes;
using runtime::value_of;

// A lane that sends to task 1, and one operation for it.
class NetworkLanes : public ::testing::Test {
 protected:
  NetworkLanes() {
    region_ = {values_.data(), values_.size(), CONVOY_F32, 0};
    wait_ = {&before_.value, 1};
    submission_.reads = &region_;
    submission_.read_count = 1;
    submission_.waits = &wait_;
    submission_.wait_count = 1;
    submission_.timeline = &timeline_.value;
    submission_.value = 5;
  }

  InProcessNetwork network_{2};
  std::unique_ptr<plugin::OpenTransport> transport_ = network_.open(0);
  NetworkLane lane_{3, {1, true}, *transport_, 16};
  std::vector<float> values_ = std::vector<float>(6);
  convoy_region region_{};
  convoy_wait wait_{};
  runtime::Timeline before_;
  runtime::Timeline timeline_;
  convoy_submission submission_{};
};

constexpr std::uint64_t kFirstToken = std::uint64_t{3} << 48;

TEST_F(NetworkLanes, AdvancesTheTimelineWithTheLastMessageOfAnOperation) {
  lane_.queue(submission_, {});
  EXPECT_EQ(lane_.ready(), nullptr);
  EXPECT_TRUE(lane_.looks_for_timelines());
  plugin::advance(&before_.value, 1);
  ASSERT_EQ(lane_.ready(), &submission_);
  lane_.start(1);
  EXPECT_FALSE(lane_.has_unstarted());
  EXPECT_EQ(NetworkLane::token_lane(kFirstToken + 1), 3u);
  EXPECT_EQ(lane_.end_message(kFirstToken, 2), 0u);
  EXPECT_EQ(value_of(timeline_), 0u);
  EXPECT_EQ(lane_.end_message(kFirstToken + 1, 2), 24u);
  EXPECT_EQ(value_of(timeline_), 5u);
  EXPECT_TRUE(lane_.is_empty());
}

TEST_F(NetworkLanes, BelievesNoTransportThatEndsAnotherMessageThanTheNext) {
  EXPECT_THROW(lane_.end_message(kFirstToken, 2), Error);  // none was given
  plugin::advance(&before_.value, 1);
  lane_.queue(submission_, {});
  lane_.start(1);
  EXPECT_THROW(lane_.end_message(kFirstToken + 1, 2), Error);
  EXPECT_EQ(value_of(timeline_), 0u);
}

// Two operations of two pieces each over two streams: what comes out of order is held back.
TEST_F(NetworkLanes, DividesLargeMessagesOverStreamsAndEndsOperationsInOrder) {
  std::vector<float> large(3 * kSmallestPiece / sizeof(float));
  region_ = {large.data(), large.size(), CONVOY_F32, 0};
  const std::uint64_t bytes = large.size() * sizeof(float);
  NetworkLane lane{3, {1, true, 0, 2}, *transport_, CONVOY_MESSAGE_BYTES};
  convoy_submission second = submission_;
  second.value = 6;
  plugin::advance(&before_.value, 1);
  for (const convoy_submission* it : {&std::as_const(submission_), &std::as_const(second)}) {
    lane.queue(*it, {});
    ASSERT_NE(lane.ready(), nullptr);
    lane.start(1);
  }
  EXPECT_EQ(lane.end_message(kFirstToken + 1, 2), 0u);
  EXPECT_EQ(lane.end_message(kFirstToken + 3, 2), 0u);
  EXPECT_THROW(lane.end_message(kFirstToken + 2, 2), Error) << "0 comes first on its stream";
  EXPECT_EQ(lane.end_message(kFirstToken, 2), bytes);
  EXPECT_EQ(value_of(timeline_), 5u);
  EXPECT_EQ(lane.end_message(kFirstToken + 2, 2), bytes);
  EXPECT_EQ(value_of(timeline_), 6u);
  EXPECT_TRUE(lane.is_empty());
}

// Small ones stay whole, and none is larger than a transport takes.
TEST(MessagePieces, AreNeitherTooSmallNorTooLarge) {
  EXPECT_EQ(piece_bytes(10, 4, CONVOY_MESSAGE_BYTES), kSmallestPiece);
  EXPECT_EQ(piece_bytes(kSmallestPiece * 8, 4, CONVOY_MESSAGE_BYTES), kSmallestPiece * 2);
  EXPECT_EQ(piece_bytes(kSmallestPiece * 8, 4, 16), 16u);
  EXPECT_EQ(piece_bytes(kSmallestPiece * 8 + 1, 4, CONVOY_MESSAGE_BYTES), kSmallestPiece * 2 + 1);
}

TEST_F(NetworkLanes, DropsOnlyWhatTheTransportDoesNotHave) {
  lane_.queue(submission_, {});
  EXPECT_TRUE(lane_.drop_unstarted(1));
  EXPECT_EQ(value_of(timeline_), 5u);
  plugin::advance(&before_.value, 1);
  submission_.value = 6;
  lane_.queue(submission_, {});
  lane_.start(1);
  EXPECT_FALSE(lane_.drop_unstarted(1));
  EXPECT_EQ(value_of(timeline_), 5u);
}

}  // namespace
}  // namespace convoy::testing::network_lane_test
