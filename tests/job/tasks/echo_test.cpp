#include "core/job/tasks/echo.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "core/base/error.hpp"
#include "tests/support/in_process_network.hpp"

namespace convoy::job {
namespace {

using ::testing::HasSubstr;
using testing::InProcessNetwork;

EchoOptions options_of(std::uint32_t rank) {
  EchoOptions options;
  options.rank = rank;
  options.while_waiting = [] {};
  return options;
}

// All tasks at once, as threads; empty where a task has failed, with the reason.
struct Measured {
  std::vector<std::vector<MeasuredLink>> links;
  std::vector<std::string> failures;
};

Measured measure_all(InProcessNetwork& network, EchoOptions options) {
  Measured result{std::vector<std::vector<MeasuredLink>>(network.ranks()),
                  std::vector<std::string>(network.ranks())};
  std::vector<std::unique_ptr<plugin::OpenTransport>> transports;  // open until all are through
  for (std::uint32_t rank = 0; rank < network.ranks(); ++rank)
    transports.push_back(network.open(rank));
  std::vector<std::jthread> tasks;
  for (std::uint32_t rank = 0; rank < network.ranks(); ++rank)
    tasks.emplace_back([&, rank, options]() mutable {
      plugin::OpenTransport* const transport = transports[rank].get();
      std::vector<EchoPeer> peers;
      for (std::uint32_t peer = 0; peer < network.ranks(); ++peer)
        peers.push_back({"task " + std::to_string(peer), transport});
      options.rank = rank;
      try {
        result.links[rank] = measure_links(peers, options);
      } catch (const Error& error) {
        result.failures[rank] = error.what();
      }
    });
  tasks.clear();
  return result;
}

TEST(EchoPartners, MeetEveryOtherOnceAndOneAtATime) {
  for (std::uint32_t ranks = 1; ranks <= 9; ++ranks) {
    std::vector<std::vector<std::uint32_t>> partners;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) partners.push_back(partners_of(rank, ranks));
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      std::vector<int> met(ranks, 0);
      for (std::size_t round = 0; round < partners[rank].size(); ++round) {
        const std::uint32_t partner = partners[rank][round];
        EXPECT_EQ(partners[partner][round], rank) << "of " << ranks;
        if (partner != rank) ++met[partner];
      }
      for (std::uint32_t other = 0; other < ranks; ++other)
        EXPECT_EQ(met[other], other == rank ? 0 : 1) << rank << " and " << other;
    }
  }
}

TEST(Echo, MeasuresEveryLinkInBothDirections) {
  InProcessNetwork network(3, {.seed = 7, .longest_delay = 0.002});
  const Measured all = measure_all(network, options_of(0));
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    ASSERT_EQ(all.links[rank].size(), 3u) << all.failures[rank];
    for (std::uint32_t peer = 0; peer < 3; ++peer) {
      const MeasuredLink& link = all.links[rank][peer];
      EXPECT_EQ(link.round_trip_seconds > 0, peer != rank);
      EXPECT_EQ(link.bytes_per_second > 0, peer != rank);
      EXPECT_EQ(link.both_ways_bytes_per_second > 0, peer != rank);
      EXPECT_EQ(link.processor_seconds_per_byte > 0, peer != rank);
    }
  }
}

TEST(Echo, NamesATaskThatDoesNotAnswer) {
  InProcessNetwork network(2);
  network.drop_after(1, 0, 3);
  EchoOptions options = options_of(0);
  options.join_seconds = options.peer_seconds = 0.3;
  const Measured all = measure_all(network, options);
  EXPECT_THAT(all.failures[0], HasSubstr("the link to task 1 does not work: it does not answer"));
  EXPECT_THAT(all.failures[1], HasSubstr("the link to task 0 does not work"));
}

TEST(Echo, NamesATaskThatDies) {
  InProcessNetwork network(2);
  network.kill(1, "its process has ended");
  EchoOptions options = options_of(0);
  options.join_seconds = 0.3;  // for the dead one, which hears nothing
  const Measured all = measure_all(network, options);
  EXPECT_THAT(all.failures[0], HasSubstr("link to task 1 does not work: its process has ended"));
}

// Task 0 tries its link to task 2 first.
TEST(Echo, NamesAnotherTaskThatDiesMeanwhile) {
  ASSERT_EQ(partners_of(0, 3), (std::vector<std::uint32_t>{0, 2, 1}));
  InProcessNetwork network(3);
  network.kill(1, "its process has ended");
  EchoOptions options = options_of(0);
  options.join_seconds = 0.3;  // for the dead one, which hears nothing
  const Measured all = measure_all(network, options);
  EXPECT_EQ(all.failures[0], "task 1 is lost before the first step: its process has ended");
}

TEST(Echo, EndsWhenThereIsNoUseInWaiting) {
  InProcessNetwork network(2);
  network.stop(1);
  EchoOptions options = options_of(0);
  options.while_waiting = [] { fail(ExitCode::kInterrupted, "interrupted"); };
  EXPECT_EQ(measure_all(network, options).failures[0], "interrupted");
}

}  // namespace
}  // namespace convoy::job
