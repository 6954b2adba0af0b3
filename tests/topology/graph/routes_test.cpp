#include "topology/graph/routes.hpp"

#include <gtest/gtest.h>

#include "tests/topology/described.hpp"

namespace convoy::topology {
namespace {

Route between(const Machine& machine, const char* from, const char* to, std::uint32_t to_host = 0) {
  return find_route(machine, convoy::testing::node(machine, from),
                    convoy::testing::node(machine, to, to_host));
}

TEST(RoutesTest, PairsOfTheDgx1GoTheWayThatTheirBoardHas) {
  const Machine machine = convoy::testing::described("dgx1-p100").machine;
  const Route direct = between(machine, "gpu0", "gpu3");
  EXPECT_EQ(direct.kind, RouteKind::nvlink);
  EXPECT_EQ(direct.hops.size(), 1u);
  EXPECT_EQ(direct.bytes_per_second, 20e9);
  EXPECT_EQ(between(machine, "gpu0", "gpu4").kind, RouteKind::nvlink);
  // No link, and no GPU relays for others.
  const Route far = between(machine, "gpu0", "gpu5");
  EXPECT_EQ(far.kind, RouteKind::socket);
  EXPECT_EQ(far.bytes_per_second, 8e9);
  EXPECT_EQ(between(machine, "gpu0", "numa0").kind, RouteKind::host_bridge);
  EXPECT_EQ(between(machine, "gpu0", "numa1").kind, RouteKind::socket);
}

TEST(RoutesTest, SwitchesComeBeforeHostBridges) {
  const Machine machine = convoy::testing::described("ec2-p2.8xlarge").machine;
  EXPECT_EQ(between(machine, "gpu0", "gpu1").kind, RouteKind::pcie_switch);
  EXPECT_EQ(between(machine, "gpu0", "gpu1").hops.size(), 2u);
  EXPECT_EQ(between(machine, "gpu0", "gpu2").kind, RouteKind::host_bridge);
  EXPECT_EQ(between(machine, "gpu0", "gpu7").kind, RouteKind::host_bridge);
}

TEST(RoutesTest, NvswitchJoinsAllPairsAtFullRate) {
  const Machine machine = convoy::testing::described("hgx-h200x8").machine;
  const Route route = between(machine, "gpu0", "gpu7");
  EXPECT_EQ(route.kind, RouteKind::nvlink);
  EXPECT_EQ(route.hops.size(), 2u);
  EXPECT_EQ(route.bytes_per_second, 18 * 25e9);
}

TEST(RoutesTest, HostsAreReachedOverTheNearestNetworkCards) {
  const Machine machine = convoy::testing::described("dgx1-p100", 2).machine;
  const Route route = between(machine, "gpu6", "gpu2", 1);
  EXPECT_EQ(route.kind, RouteKind::network);
  EXPECT_EQ(route.hops.size(), 6u);  // GPU, switch, card, network, card, switch, GPU
  EXPECT_EQ(route.bytes_per_second, 12.5e9);
}

TEST(RoutesTest, WayBackIsTheWayThereReversed) {
  const Machine machine = convoy::testing::described("dgx2-v100").machine;
  const Route there = between(machine, "gpu3", "numa1");
  const Route back = between(machine, "numa1", "gpu3");
  ASSERT_EQ(there.hops.size(), back.hops.size());
  for (std::size_t i = 0; i < there.hops.size(); ++i) {
    EXPECT_EQ(there.hops[i].link, back.hops[back.hops.size() - 1 - i].link) << i;
    EXPECT_NE(there.hops[i].forward, back.hops[back.hops.size() - 1 - i].forward) << i;
  }
}

TEST(RoutesTest, WiderComesBeforeShorter) {
  Machine machine;
  for (const NodeKind kind : {NodeKind::gpu, NodeKind::gpu, NodeKind::nvswitch}) {
    Node node;
    node.kind = kind;
    machine.nodes.push_back(node);
  }
  const auto link = [&](std::size_t a, std::size_t b, double rate) {
    machine.links.push_back({a, b, LinkKind::nvlink, 1, {rate, "test"}, {rate, "test"}});
  };
  link(0, 1, 10e9);
  link(0, 2, 40e9);
  link(2, 1, 30e9);
  EXPECT_EQ(find_route(machine, 0, 1).hops.size(), 2u);
  EXPECT_EQ(find_route(machine, 0, 1).bytes_per_second, 30e9);
}

TEST(RoutesTest, UnknownRatesAndMissingLinksAreSaid) {
  Machine machine = convoy::testing::described("gce-k80x8").machine;
  EXPECT_EQ(find_route(machine, 3, 3).kind, RouteKind::same_node);
  for (Link& link : machine.links) link.a_to_b = link.b_to_a = {};
  const Route unknown = between(machine, "gpu0", "gpu7");
  EXPECT_EQ(unknown.kind, RouteKind::socket);
  EXPECT_FALSE(unknown.bytes_per_second.has_value());
  machine.links.clear();
  EXPECT_EQ(between(machine, "gpu0", "gpu7").kind, RouteKind::unconnected);
}

}  // namespace
}  // namespace convoy::topology
