// Clusters of several hosts: who addresses what, and what lowering makes of plans on them.

#include "core/plan/host_cluster.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "core/base/error.hpp"
#include "core/plan/lower/lower.hpp"
#include "tests/plan/sample_gradients.hpp"
#include "tests/plan/sample_plans.hpp"
#include "tests/plan/small_pieces.hpp"
#include "tests/support/interpreter.hpp"

namespace convoy::testing::host_cluster_test {
namespace {

TEST(HostCluster, ListsDevicesThenHostsThenParameterServers) {
  const plan::Cluster cluster = plan::make_hosts({2, 2, false, "cuda", {1, 2}});
  std::vector<std::string> names;
  for (const plan::Place& place : cluster.places) names.push_back(place.name);
  EXPECT_THAT(names, ::testing::ElementsAre("cuda:0", "cuda:1", "cuda:2", "cuda:3", "host:0",
                                            "host:1", "ps:0", "ps:1"));
  EXPECT_EQ(cluster.hosts, 3u);
  EXPECT_EQ(cluster.places[3].near_place, 5u);
  EXPECT_EQ(cluster.places[6].host, 1u);
  EXPECT_EQ(cluster.places[7].host, 2u);
}

TEST(HostCluster, AddressesMemoryOfOwnHostsOnly) {
  for (const bool peer_access : {true, false}) {
    const plan::Cluster cluster = plan::make_hosts({2, 2, peer_access, "cuda", {1, 2}});
    for (std::uint32_t p = 0; p < cluster.places.size(); ++p)
      for (std::uint32_t q = 0; q < cluster.places.size(); ++q) {
        const bool same_host = cluster.places[p].host == cluster.places[q].host;
        const bool device = cluster.places[q].kind == CONVOY_PLACE_DEVICE;
        const bool wanted = p == q || (same_host && (peer_access || !device));
        EXPECT_EQ(cluster.access[p][q], wanted) << p << " to " << q;
        EXPECT_EQ(cluster.route(p, q).kind == CONVOY_ROUTE_NETWORK, !same_host);
      }
  }
}

TEST(HostCluster, RefusesGapsBetweenHosts) {
  EXPECT_THROW(plan::make_hosts({2, 1, true, "cpu", {3}}), Error);
}

// Sums on several hosts are rings over hosts where the sample sums all at once: the bits are the
// same because these gradients add up exactly.
std::string first_difference(const plan::Plan& plan) {
  const plan::Plan lowered = plan::lower(plan, kSmallPieces);
  Interpreter a(plan, sample_options(*plan.arena, exact_gradient));
  Interpreter b(lowered, sample_options(*plan.arena, exact_gradient));
  a.run(4);
  b.run(4);
  for (std::uint32_t i = 0; i < plan.buffers.size(); ++i) {
    if (plan.buffers[i].kind == CONVOY_BUFFER_SCRATCH) continue;
    if (std::memcmp(a.bytes(i).data(), b.bytes(i).data(), a.bytes(i).size()) != 0)
      return plan.buffer_name(i);
  }
  return "none";
}

TEST(HostCluster, WhatACollectiveCopiesBetweenHostsIsReceivedWhereItBelongs) {
  const plan::Cluster cluster = plan::make_hosts({3, 1, true, "cpu", {}});
  const plan::Plan plan =
      plan::lower(write_plan(cluster, small_arena(0), write_replicated(Algorithm::kRing)));
  int copies = 0;
  for (const plan::Operation& it : plan.body) {
    if (it.kind != plan::OperationKind::kCopy) continue;
    EXPECT_EQ(it.lane, plan::kNetworkLane) << it.id;
    if (plan.buffers[it.writes.front().buffer].kind == CONVOY_BUFFER_GRADIENT) ++copies;
  }
  EXPECT_EQ(copies, 6);  // two for each host
}

TEST(HostCluster, LoweringKeepsTheBitsOfEverySample) {
  for (const plan::HostsDescription& hosts : {plan::HostsDescription{2, 1, true, "cpu", {}},
                                              plan::HostsDescription{2, 2, false, "cpu", {}},
                                              plan::HostsDescription{3, 2, true, "cpu", {3}}})
    for (const plan::ArenaMap& arena : {small_arena(16), ragged_arena()})
      for (const bool device_collectives : {true, false}) {
        plan::Cluster cluster = plan::make_hosts(hosts);
        cluster.device_collectives = device_collectives;
        for (const SamplePlan& sample : sample_plans()) {
          // Thirds are not exact, so their sum depends on the order.
          if (sample.name == "prescaled") continue;
          ASSERT_EQ(first_difference(write_plan(cluster, arena, sample.write)), "none")
              << sample.name << ", " << hosts.hosts << " hosts with " << hosts.devices_per_host;
        }
      }
}

// What an engine works on and what networks carry.
TEST(HostCluster, OnlyCopiesBetweenHostPlacesCrossTheNetwork) {
  plan::Cluster cluster = plan::make_hosts({2, 2, false, "cpu", {}});
  cluster.device_collectives = false;
  const plan::ArenaMap arena = small_arena(0);
  for (const SamplePlan& sample : sample_plans()) {
    const plan::Plan plan = plan::lower(write_plan(cluster, arena, sample.write), kSmallPieces);
    for (const plan::Operation& it : plan.body)
      for (const auto* spans : {&it.reads, &it.writes})
        for (const plan::PlanSpan& span : *spans) {
          const std::uint32_t place = plan.buffers[span.buffer].place;
          if (cluster.access[it.place][place]) continue;
          ASSERT_EQ(plan::operation_name(it.kind), "copy") << sample.name;
          ASSERT_EQ(cluster.places[place].kind, std::uint32_t{CONVOY_PLACE_HOST}) << sample.name;
          ASSERT_EQ(cluster.places[it.place].kind, std::uint32_t{CONVOY_PLACE_HOST}) << sample.name;
        }
  }
}

}  // namespace
}  // namespace convoy::testing::host_cluster_test
