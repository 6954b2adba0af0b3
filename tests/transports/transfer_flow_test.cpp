#include <convoy/transfer_flow.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/support/thrown_text.hpp"

namespace convoy {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint32_t kGeneration = 3;
constexpr std::uint64_t kMegabyte = 1 << 20;

convoy_transfer message(std::uint32_t channel, std::uint64_t sequence, std::uint64_t bytes,
                        void* memory = nullptr) {
  convoy_transfer transfer{};
  transfer.channel = channel;
  transfer.sequence = sequence;
  transfer.tag = {kGeneration, 1, channel, static_cast<std::uint32_t>(sequence)};
  transfer.memory = memory;
  transfer.bytes = bytes;
  transfer.token = 100 * channel + sequence;
  return transfer;
}

std::vector<std::uint64_t> all_that_may_go(SendFlow& flow) {
  std::vector<std::uint64_t> tokens;
  while (const auto transfer = flow.next()) tokens.push_back(transfer->token);
  return tokens;
}

template <typename Action>
convoy_transport_reason reason_of_refusal(Action action) {
  try {
    action();
  } catch (const RefusedInput& input) {
    return input.reason();
  }
  return CONVOY_REASON_NONE;
}

TEST(SendFlow, HoldsBackWhatExceedsTheEagerBytes) {
  SendFlow flow(2);
  flow.add(message(1, 0, kMegabyte - CONVOY_EAGER_MESSAGE_BYTES));
  flow.add(message(0, 0, 0));
  EXPECT_THAT(all_that_may_go(flow), ElementsAre(100));
  flow.grant(1, 1);
  EXPECT_THAT(all_that_may_go(flow), ElementsAre(0));
}

TEST(SendFlow, SendsWithCreditWhateverTheSize) {
  SendFlow flow(1);
  flow.add(message(0, 0, kMegabyte));
  flow.add(message(0, 1, 10));
  EXPECT_THAT(all_that_may_go(flow), IsEmpty()) << "the small one is behind the large one";
  flow.grant(0, 1);
  EXPECT_THAT(all_that_may_go(flow), ElementsAre(0, 1));
}

TEST(SendFlow, CountsEagerBytesBackOnceExpected) {
  SendFlow flow(1);
  for (std::uint64_t i = 0; i < 4; ++i) flow.add(message(0, i, 600000));
  EXPECT_THAT(all_that_may_go(flow), ElementsAre(0));
  flow.grant(0, 1);
  EXPECT_THAT(all_that_may_go(flow), ElementsAre(1));
  flow.grant(0, 3);
  EXPECT_THAT(all_that_may_go(flow), ElementsAre(2, 3));
}

TEST(SendFlow, LetsChannelsTakeTurns) {
  SendFlow flow(2);
  for (std::uint64_t i = 0; i < 2; ++i)
    for (std::uint32_t channel = 0; channel < 2; ++channel) flow.add(message(channel, i, 1));
  EXPECT_THAT(all_that_may_go(flow), ElementsAre(100, 0, 101, 1));
}

TEST(SendFlow, RefusesCreditThatCannotBe) {
  SendFlow flow(1);
  flow.grant(0, 5);
  EXPECT_EQ(reason_of_refusal([&] { flow.grant(0, 4); }), CONVOY_REASON_MALFORMED);
  EXPECT_EQ(reason_of_refusal([&] { flow.grant(1, 6); }), CONVOY_REASON_MALFORMED);
}

TEST(SendFlow, RefusesCallsThatAreWrong) {
  SendFlow flow(1);
  EXPECT_THROW(flow.add(message(1, 0, 1)), std::runtime_error);
  EXPECT_THROW(flow.add(message(0, 1, 1)), std::runtime_error);
  EXPECT_THROW(flow.add(message(0, 0, std::uint64_t{CONVOY_MESSAGE_BYTES} + 1)),
               std::runtime_error);
  flow.add(message(0, 0, 1));
}

TEST(SentMessages, EndInOrder) {
  SentMessages sent(1);
  std::vector<std::uint64_t> done;
  const auto record = [&](const convoy_transfer& it) { done.push_back(it.token); };
  for (std::uint64_t i = 0; i < 4; ++i) sent.add(message(0, i, 1));
  sent.finish(0, 2, record);
  sent.finish(0, 1, record);
  EXPECT_THAT(done, IsEmpty());
  sent.finish(0, 0, record);
  EXPECT_THAT(done, ElementsAre(0, 1, 2));
  EXPECT_EQ(sent.abandon().size(), 1u);
}

TEST(ReceiveFlow, PutsAnExpectedMessageIntoItsSpan) {
  ReceiveFlow flow(kGeneration, 1);
  char memory[4] = {};
  EXPECT_FALSE(flow.expect(message(0, 0, 4, memory)));
  EXPECT_EQ(flow.expected(0), 1u);
  const convoy_transfer it = message(0, 0, 4);
  EXPECT_EQ(flow.begin(0, 0, it.tag, 4), memory);
  EXPECT_EQ(flow.finish(0)->memory, memory);
}

TEST(ReceiveFlow, KeepsAnEarlyMessageUntilItIsExpected) {
  ReceiveFlow flow(kGeneration, 1);
  std::memcpy(flow.begin(0, 0, message(0, 0, 4).tag, 4), "abc", 4);
  EXPECT_FALSE(flow.finish(0));
  char memory[4] = {};
  EXPECT_TRUE(flow.expect(message(0, 0, 4, memory)));
  EXPECT_STREQ(memory, "abc");
}

TEST(ReceiveFlow, HandsOverAMessageThatIsExpectedWhileItArrives) {
  ReceiveFlow flow(kGeneration, 1);
  void* const early = flow.begin(0, 0, message(0, 0, 4).tag, 4);
  char first[4] = {};
  char second[2] = {};
  EXPECT_FALSE(flow.expect(message(0, 0, 4, first)));
  EXPECT_FALSE(flow.expect(message(0, 1, 2, second)));
  std::memcpy(early, "abc", 4);
  EXPECT_EQ(flow.finish(0)->memory, first);
  EXPECT_STREQ(first, "abc");
  EXPECT_EQ(flow.begin(0, 1, message(0, 1, 2).tag, 2), second);
}

TEST(ReceiveFlow, RefusesWhatIsNotExpected) {
  ReceiveFlow flow(kGeneration, 2);
  char memory[4] = {};
  flow.expect(message(0, 0, 4, memory));
  const convoy_message_tag tag = message(0, 0, 4).tag;
  convoy_message_tag other = tag;
  ++other.iteration;
  convoy_message_tag stale = tag;
  --stale.generation;
  EXPECT_EQ(reason_of_refusal([&] { flow.begin(0, 0, other, 4); }), CONVOY_REASON_UNEXPECTED);
  EXPECT_EQ(reason_of_refusal([&] { flow.begin(0, 0, tag, 5); }), CONVOY_REASON_UNEXPECTED);
  EXPECT_EQ(reason_of_refusal([&] { flow.begin(0, 1, tag, 4); }), CONVOY_REASON_UNEXPECTED);
  EXPECT_EQ(reason_of_refusal([&] { flow.begin(0, 0, stale, 4); }), CONVOY_REASON_STALE);
  EXPECT_EQ(reason_of_refusal([&] { flow.begin(2, 0, tag, 4); }), CONVOY_REASON_MALFORMED);
  EXPECT_EQ(reason_of_refusal([&] { flow.begin(1, 0, tag, kMegabyte); }), CONVOY_REASON_FLOOD);
  EXPECT_EQ(flow.begin(0, 0, tag, 4), memory) << "refusals leave the flow as it was";
}

TEST(ReceiveFlow, RefusesAnEarlyMessageThatIsAnotherThanExpected) {
  ReceiveFlow flow(kGeneration, 1);
  flow.begin(0, 0, message(0, 0, 4).tag, 4);
  flow.finish(0);
  char memory[5] = {};
  EXPECT_THAT(thrown_text<RefusedInput>([&] { flow.expect(message(0, 0, 5, memory)); }),
              HasSubstr("is 4 bytes of operation 0 of iteration 0"));
  EXPECT_EQ(flow.abandon().size(), 1u) << "the expectation is there to be cancelled";
}

TEST(ReceiveFlow, LetsExpectedMessagesBeginBeforeThoseBeforeThemHaveFinished) {
  ReceiveFlow flow(kGeneration, 1);
  char memory[2][4] = {};
  flow.expect(message(0, 0, 4, memory[0]));
  flow.expect(message(0, 1, 4, memory[1]));
  EXPECT_EQ(flow.begin(0, 0, message(0, 0, 4).tag, 4), memory[0]);
  EXPECT_EQ(flow.begin(0, 1, message(0, 1, 4).tag, 4), memory[1]);
  EXPECT_FALSE(flow.may_begin(0)) << "the third one is not expected";
  EXPECT_EQ(reason_of_refusal([&] { flow.begin(0, 2, message(0, 2, 4).tag, 4); }),
            CONVOY_REASON_UNEXPECTED);
  EXPECT_EQ(flow.finish(0)->memory, memory[0]);
  EXPECT_EQ(flow.finish(0)->memory, memory[1]);
  EXPECT_TRUE(flow.may_begin(0)) << "an early one";
}

TEST(ReceiveFlow, TellsCreditOnceThePeerMightWaitForIt) {
  ReceiveFlow flow(kGeneration, 2);
  flow.expect(message(0, 0, kMegabyte / 4));
  EXPECT_FALSE(flow.next_credit()) << "the eager bytes are enough";
  flow.expect(message(1, 0, kMegabyte / 4));
  const auto first = flow.next_credit();
  const auto second = flow.next_credit();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->expected, 1u);
  EXPECT_EQ(second->expected, 1u);
  EXPECT_NE(first->channel, second->channel);
  EXPECT_FALSE(flow.next_credit());
}

TEST(ReceiveFlow, TellsCreditWhereEarlyMessagesFillTheEagerBytes) {
  ReceiveFlow flow(kGeneration, 2);
  flow.expect(message(0, 0, kMegabyte / 4));
  EXPECT_FALSE(flow.next_credit());
  flow.begin(1, 0, message(1, 0, kMegabyte / 2).tag, kMegabyte / 2);
  ASSERT_TRUE(flow.next_credit());
}

// Both ends, with a wire between them that keeps the order of a channel.
class Ends {
 public:
  static constexpr std::uint32_t kChannels = 3;
  static constexpr std::size_t kMessages = 300;

  Ends(std::uint32_t seed, bool tells_all) : random_(seed), tells_all_(tells_all) {}

  // Makes calls in any order until all has come.
  void run() {
    while (done_ < kMessages) {
      const auto channel = static_cast<std::uint32_t>(random_() % kChannels);
      if (chance(2) && sizes_[channel].size() < kMessages / kChannels) add(channel);
      if (chance(3) && expected_[channel] < sizes_[channel].size()) expect(channel);
      if (const auto transfer = sends_.next()) wire_.push_back(*transfer);
      if (chance(2)) begin();
      if (chance(2)) finish(channel);
      if (const auto credit = tells_all_ ? std::nullopt : receives_.next_credit())
        sends_.grant(credit->channel, credit->expected);
    }
  }
  bool all_has_come() const {
    return std::ranges::all_of(
        received_, [](const std::string& text) { return text.find('.') == std::string::npos; });
  }

 private:
  struct Moving {
    void* to;
    std::uint64_t bytes;
  };

  bool chance(unsigned one_in) { return random_() % one_in == 0; }
  void add(std::uint32_t channel) {
    const std::uint64_t bytes = chance(4) ? random_() % 2'000'000 : random_() % 5000;
    sends_.add(message(channel, sizes_[channel].size(), bytes));
    sizes_[channel].push_back(bytes);
  }
  void expect(std::uint32_t channel) {
    const std::uint64_t sequence = expected_[channel]++;
    std::string& memory = received_.emplace_back(sizes_[channel][sequence], '.');
    done_ += receives_.expect(message(channel, sequence, memory.size(), memory.data())) ? 1 : 0;
    if (tells_all_) sends_.grant(channel, expected_[channel]);
  }
  void begin() {
    if (wire_.empty() || !receives_.may_begin(wire_.front().channel)) return;
    const convoy_transfer it = wire_.front();
    wire_.pop_front();
    void* const to = receives_.begin(it.channel, it.sequence, it.tag, it.bytes);
    moving_[it.channel].push_back({to, it.bytes});
  }
  void finish(std::uint32_t channel) {
    if (moving_[channel].empty()) return;
    const Moving it = moving_[channel].front();
    moving_[channel].pop_front();
    if (it.bytes > 0) std::memset(it.to, 'x', it.bytes);
    done_ += receives_.finish(channel) ? 1 : 0;
  }

  std::mt19937 random_;
  bool tells_all_;
  SendFlow sends_{kChannels};
  ReceiveFlow receives_{kGeneration, kChannels};
  std::deque<std::string> received_;
  std::vector<std::uint64_t> sizes_[kChannels];
  std::uint64_t expected_[kChannels] = {};
  std::deque<convoy_transfer> wire_;
  std::deque<Moving> moving_[kChannels];
  std::size_t done_ = 0;
};

// Everything arrives, within the eager bytes, whether all that is expected is told or only what
// must be.
TEST(Flows, CarryRandomMessagesInAnyOrderOfCalls) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    for (const bool tells_all : {false, true}) {
      Ends ends(seed, tells_all);
      ends.run();
      EXPECT_TRUE(ends.all_has_come()) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace convoy
