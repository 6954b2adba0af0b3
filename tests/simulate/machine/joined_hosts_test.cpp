#include "core/simulate/machine/joined_hosts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/plan/host_cluster.hpp"
#include "core/plan/lower/lower.hpp"
#include "tests/plan/sample_models.hpp"
#include "tests/simulate/hand_machine.hpp"

namespace convoy::testing {
namespace {

using simulate::Path;
using simulate::PathKind;
using simulate::SimulatedCluster;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

// Two hosts of two devices and one of a parameter server: places cpu:0 to cpu:3, host:0, host:1,
// ps:0.
SimulatedCluster three_hosts() {
  simulate::SimulatedDevice device;
  device.name = "two threads";
  simulate::SimulatedHost host;
  host.memory_bytes_per_second = 20e9;
  return simulate::join_hosts(
      simulate::make_cpu_cluster(2, device, host), plan::make_hosts({2, 2, true, "cpu", {2}}),
      {{{}, {1e9, 4e9}, {2e9, 7e9}}, {{3e9, 4e9}, {}, {4e9, 10e9}}, {{5e9, 7e9}, {6e9, 10e9}, {}}},
      {});
}

double slowest(const SimulatedCluster& on, const Path& path) {
  double rate = 1e30;
  for (const std::uint32_t link : path.links)
    rate = std::min(rate, on.machine.links.at(link).bytes_per_second);
  return rate;
}

// Of the links that both paths take.
std::vector<double> shared_rates(const SimulatedCluster& on, const Path& one, const Path& other) {
  std::vector<double> rates;
  for (const std::uint32_t link : one.links)
    if (std::ranges::count(other.links, link) > 0)
      rates.push_back(on.machine.links[link].bytes_per_second);
  return rates;
}

TEST(JoinedHosts, HaveThePartsOfTheOneTheyAreLike) {
  const SimulatedCluster on = three_hosts();
  ASSERT_EQ(on.machine.places.size(), 7u);
  EXPECT_EQ(on.machine.hosts.size(), 3u);
  for (std::uint32_t p = 0; p < 7; ++p) {
    EXPECT_EQ(on.machine.places[p].host, on.cluster.places[p].host) << p;
    EXPECT_EQ(on.machine.places[p].device != CONVOY_NONE, p < 4) << p;
    EXPECT_EQ(on.machine.links.at(on.machine.places[p].memory).bytes_per_second, 20e9) << p;
  }
  EXPECT_EQ(on.machine.places[0].memory, on.machine.places[4].memory) << "devices use the host's";
  EXPECT_NE(on.machine.places[4].memory, on.machine.places[5].memory) << "which is another one's";
  EXPECT_EQ(on.machine.places[0].board, on.machine.places[1].board);
  EXPECT_NE(on.machine.places[0].board, on.machine.places[2].board);
  EXPECT_TRUE(on.machine.paths(0, 1).links.empty());
  for (const simulate::SimulatedLink& link : on.machine.links)
    EXPECT_GT(link.bytes_per_second, 0) << link.name;
}

TEST(JoinedHosts, ReachEachOtherAsFastAsWasMeasured) {
  const SimulatedCluster on = three_hosts();
  EXPECT_EQ(on.machine.paths(0, 2).kind, PathKind::kNetwork);
  EXPECT_EQ(slowest(on, on.machine.paths(0, 2)), 1e9);
  EXPECT_EQ(slowest(on, on.machine.paths(2, 0)), 3e9);
  EXPECT_EQ(slowest(on, on.machine.paths(1, 6)), 2e9);
  EXPECT_EQ(slowest(on, on.machine.paths(6, 5)), 6e9);
}

// Of a host with several memories, its devices know the near one; those that do not reach each
// other go over it.
TEST(JoinedHosts, HaveTheSameMemoriesNearTheirDevices) {
  SimulatedCluster one = simulate::make_cpu_cluster(2, {}, {});
  one.machine.places.back().memories = 2;
  one.machine.reaches = [](std::uint32_t, std::uint32_t) { return false; };
  one.machine.near_memory = [](std::uint32_t device) { return 1 - device; };
  const SimulatedCluster on = simulate::join_hosts(one, plan::make_hosts({2, 2, true, "cpu", {}}),
                                                   {{{}, {1e9, 2e9}}, {{1e9, 2e9}, {}}}, {});
  ASSERT_TRUE(on.machine.near_memory);
  std::vector<std::uint32_t> near;
  for (std::uint32_t device = 0; device < 4; ++device)
    near.push_back(on.machine.near_memory(device));
  EXPECT_EQ(near, (std::vector<std::uint32_t>{1, 0, 1, 0}));
  for (std::uint32_t host = 0; host < 2; ++host)
    EXPECT_EQ(on.machine.places.at(on.machine.host_places.at(host)).memories, 2u) << host;
}

// What is foreseen of tasks whose devices reduce together: one collective over all links.
TEST(JoinedHosts, RunACollectiveOfAllTheirDevicesOverTheMeasuredLinks) {
  constexpr std::uint64_t kElements = 1 << 20;
  const HandMachine one = hand_machine(1, 2, true);
  const SimulatedCluster on =
      simulate::join_hosts({one.cluster, one.machine}, plan::make_hosts({2, 2, false, "cuda", {}}),
                           {{{}, {1e9, 2e9}}, {{1e9, 2e9}, {}}}, {});
  const plan::ArenaMap arena = equal_arena(1, kElements);
  const plan::Plan plan = plan::lower(write_plan(on.cluster, arena, [](Planner& p) {
    p.compute();
    p.all_reduce(p.all_gradients(p.arena()), {.algorithm = Algorithm::kTwoLevel});
  }));
  EXPECT_EQ(std::ranges::count(plan.body, plan::OperationKind::kAllReduce, &plan::Operation::kind),
            1);
  simulate::SimulationOptions options;
  options.software = free_software();
  const simulate::SimulationResult result =
      simulate::simulate(plan, on.machine, {equal_layers(1, 1e-3, 2e-3)}, options);
  // Each host sends half of the elements twice.
  const double network = 4.0 * kElements / 1e9;
  EXPECT_GT(result.critical.collective, 0.9 * network);
  EXPECT_LT(result.critical.collective, 3 * network);
}

TEST(JoinedHosts, OfOneMemoryHaveNoNearOne) {
  EXPECT_FALSE(three_hosts().machine.near_memory);
}

// Both directions of a link share what it reaches while both are busy.
TEST(JoinedHosts, ShareALinkWithWhatComesBack) {
  const SimulatedCluster on = three_hosts();
  const std::vector<double> shared =
      shared_rates(on, on.machine.paths(4, 5), on.machine.paths(5, 4));
  EXPECT_THAT(shared, UnorderedElementsAre(4e9, 7e9, 10e9)) << "the link's, and what hosts reach";
}

// Two transfers from one host share what its best link reaches.
TEST(JoinedHosts, ShareTheirWayToTheNetwork) {
  const SimulatedCluster on = three_hosts();
  const std::vector<double> shared =
      shared_rates(on, on.machine.paths(4, 5), on.machine.paths(0, 6));
  EXPECT_THAT(shared, ElementsAre(2e9, 7e9)) << "what it sends, and both directions";
}

}  // namespace
}  // namespace convoy::testing
