#include <convoy/transfer_flow.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

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
  try {
    flow.expect(message(0, 0, 5, memory));
    FAIL() << "it was accepted";
  } catch (const RefusedInput& input) {
    EXPECT_THAT(input.what(), HasSubstr("is 4 bytes of operation 0 of iteration 0"));
  }
  EXPECT_EQ(flow.abandon().size(), 1u) << "the expectation is there to be cancelled";
}

// Both ends, with a wire between them that keeps the order of a channel: everything arrives, within
// the eager bytes, whatever the order of calls.
TEST(Flows, CarryRandomMessagesInAnyOrderOfCalls) {
  constexpr std::uint32_t kChannels = 3;
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    const auto chance = [&](unsigned one_in) { return random() % one_in == 0; };
    SendFlow sends(kChannels);
    ReceiveFlow receives(kGeneration, kChannels);
    std::vector<std::string> received;
    received.reserve(300);
    std::vector<std::uint64_t> sizes[kChannels];
    std::uint64_t expected[kChannels] = {};
    std::vector<convoy_transfer> wire;
    std::size_t done = 0;
    while (done < 300) {
      const auto channel = static_cast<std::uint32_t>(random() % kChannels);
      if (chance(2) && sizes[channel].size() < 100) {
        const std::uint64_t bytes = chance(4) ? random() % 2'000'000 : random() % 5000;
        sends.add(message(channel, sizes[channel].size(), bytes));
        sizes[channel].push_back(bytes);
      }
      if (chance(3) && expected[channel] < sizes[channel].size()) {
        const std::uint64_t sequence = expected[channel]++;
        std::string& memory = received.emplace_back(sizes[channel][sequence], '.');
        const auto complete =
            receives.expect(message(channel, sequence, memory.size(), memory.data()));
        done += complete ? 1 : 0;
        sends.grant(channel, expected[channel]);
      }
      if (const auto transfer = sends.next()) wire.push_back(*transfer);
      if (!wire.empty() && chance(2)) {
        const convoy_transfer it = wire.front();
        wire.erase(wire.begin());
        void* const to = receives.begin(it.channel, it.sequence, it.tag, it.bytes);
        if (it.bytes > 0) std::memset(to, 'x', it.bytes);
        done += receives.finish(it.channel) ? 1 : 0;
      }
    }
    EXPECT_TRUE(std::ranges::all_of(
        received, [](const std::string& text) { return text.find('.') == std::string::npos; }))
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace convoy
