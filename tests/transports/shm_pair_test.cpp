// One end of a pair beside a peer that writes into the shared memory what no peer should.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <random>
#include <vector>

#include "plugins/transports/shm/pair.hpp"

namespace convoy::shm {
namespace {

using ::testing::HasSubstr;

class HostilePeer : public testing::Test {
 protected:
  HostilePeer() {
    auto mine = std::make_unique<Region>();
    theirs_ = std::make_unique<Region>(::dup(mine->descriptor()));
    int sockets[2] = {};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, sockets) != 0)
      throw std::runtime_error("socketpair");
    bell_ = Descriptor(sockets[1]);
    writer_ = std::make_unique<RingWriter>(theirs_->state().rings[1], theirs_->ring(1));
    pair_.establish(std::move(mine), Descriptor(sockets[0]), 0, 0);
  }

  // 16 numbers of a frame: kind, channel, sequence (2), tag (4), bytes (2), address (2), payload
  // (2).
  void write(std::vector<std::uint32_t> words) {
    words.resize(16);
    std::memcpy(writer_->next(), words.data(), 64);
    writer_->publish(64);
  }

  std::vector<convoy_transport_event> events() {
    std::vector<convoy_transport_event> room(16);
    room.resize(events_.take(room));
    return room;
  }

  void expect_refused(const std::string& text) {
    pair_.progress();
    const auto all = events();
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].kind, CONVOY_EVENT_REFUSED);
    EXPECT_THAT(all[0].text, HasSubstr(text));
    EXPECT_EQ(all[1].kind, CONVOY_EVENT_PEER_LOST);
    EXPECT_TRUE(pair_.lost());
  }

  TransportEvents events_;
  Pair pair_{1, 0, 2, events_};
  std::unique_ptr<Region> theirs_;
  Descriptor bell_;
  std::unique_ptr<RingWriter> writer_;
};

TEST_F(HostilePeer, WritesAFrameOfNoKind) {
  write({77});
  expect_refused("no known kind");
}

TEST_F(HostilePeer, WritesMoreThanThereIsRoomFor) {
  theirs_->state().rings[1].written.store(kRingBytes + 64);
  expect_refused("more than there is room for");
}

TEST_F(HostilePeer, HasReadWhatWasNeverWritten) {
  theirs_->state().rings[0].read.store(4096);
  char byte = 0;
  convoy_transfer transfer{};
  transfer.peer = 1;
  transfer.memory = &byte;
  transfer.bytes = 1;
  pair_.send(transfer);
  pair_.progress();
  EXPECT_TRUE(pair_.lost());
}

TEST_F(HostilePeer, WritesAPartOfNoMessage) {
  write({2, 0, 0, 0, 0, 0, 0, 0, 8, 0});
  expect_refused("without its message");
}

TEST_F(HostilePeer, OffersMemoryThatCannotBeRead) {
  write({3, 0, 0, 0, 0, 0, 0, 0, 50000, 0, 4096, 0});
  expect_refused("an offer came that nobody can take");
}

TEST_F(HostilePeer, TakesWhatItWasNotOffered) {
  write({4, 1, 3});
  expect_refused("what it was not offered");
}

TEST_F(HostilePeer, EndsWithoutClosing) {
  bell_ = Descriptor();
  pair_.hear();
  pair_.progress();
  const auto all = events();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].reason, CONVOY_REASON_DIED);
}

// Its number may be another process's by then, here this one's.
TEST(EndedPeer, IsNoSenderThoughItsBellHasRung) {
  TransportEvents events;
  auto mine = std::make_unique<Region>();
  Region theirs(::dup(mine->descriptor()));
  int sockets[2] = {};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, sockets), 0);
  Pair pair(1, 0, 2, events);
  pair.establish(std::move(mine), Descriptor(sockets[0]), 0, ::getpid());

  std::vector<char> sent(20'000);
  std::vector<char> received(sent.size());
  convoy_transfer expected{};
  expected.peer = 1;
  expected.memory = received.data();
  expected.bytes = received.size();
  pair.expect(expected);
  const auto address = reinterpret_cast<std::uint64_t>(sent.data());
  const std::uint32_t offer[16] = {3,
                                   0,
                                   0,
                                   0,
                                   0,
                                   0,
                                   0,
                                   0,
                                   20'000,
                                   0,
                                   static_cast<std::uint32_t>(address),
                                   static_cast<std::uint32_t>(address >> 32)};
  RingWriter writer(theirs.state().rings[1], theirs.ring(1));
  std::memcpy(writer.next(), offer, sizeof offer);
  writer.publish(sizeof offer);
  {
    const Descriptor ends(sockets[1]);
    ring_bell(ends);
  }
  pair.progress();

  std::vector<convoy_transport_event> room(4);
  room.resize(events.take(room));
  ASSERT_EQ(room.size(), 2u);
  EXPECT_EQ(room[0].kind, CONVOY_EVENT_PEER_LOST);
  EXPECT_EQ(room[1].kind, CONVOY_EVENT_CANCELLED);
}

// Whatever stands in the ring, nothing is done, and nothing outside the rings is touched.
TEST(HostileBytes, AreRefused) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    TransportEvents events;
    auto mine = std::make_unique<Region>();
    Region theirs(::dup(mine->descriptor()));
    int sockets[2] = {};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, sockets), 0);
    const Descriptor bell(sockets[1]);
    Pair pair(1, 0, 2, events);
    pair.establish(std::move(mine), Descriptor(sockets[0]), 0, 0);
    std::mt19937 random(seed);
    auto* words = reinterpret_cast<std::uint32_t*>(theirs.ring(1));
    for (std::uint64_t i = 0; i < 4096; ++i)
      words[i] = static_cast<std::uint32_t>(random() % (i % 3 == 0 ? 7 : 1 << 20));
    theirs.state().rings[1].written.store(random() % 16384 / 64 * 64 + 64);
    while (pair.progress()) {
    }
    std::vector<convoy_transport_event> room(64);
    room.resize(events.take(room));
    for (const convoy_transport_event& event : room) EXPECT_NE(event.kind, CONVOY_EVENT_DONE);
  }
}

}  // namespace
}  // namespace convoy::shm
