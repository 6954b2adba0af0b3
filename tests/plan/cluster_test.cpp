#include "core/plan/cluster.hpp"

#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/plan/host_cluster.hpp"
#include "tests/plan/sample_models.hpp"

namespace convoy::testing::cluster_test {
namespace {

using Groups = std::vector<std::vector<std::uint32_t>>;

// As a strategy sees them.
Groups groups_of(const plan::Cluster& cluster, Sharing what) {
  const plan::ArenaMap arena = small_arena(0);
  Groups result;
  write_plan(cluster, arena, [&](Planner& p) {
    result.clear();
    for (const auto& group : p.groups(what)) {
      result.emplace_back();
      for (const auto r : group) result.back().push_back(r.index());
    }
    p.compute();
  });
  return result;
}

TEST(ReplicaGroups, AreOnePerHost) {
  EXPECT_EQ(groups_of(plan::make_single_host(3, true, "cpu"), Sharing::kHost), (Groups{{0, 1, 2}}));
  EXPECT_EQ(groups_of(plan::make_hosts({3, 2, false, "cuda", {}}), Sharing::kHost),
            (Groups{{0, 1}, {2, 3}, {4, 5}}));
}

TEST(ReplicaGroups, OfWhatNothingIsKnownAreOfOneReplica) {
  const plan::Cluster cluster = plan::make_single_host(3, false, "cuda");
  for (const Sharing what : {Sharing::kNuma, Sharing::kSwitch, Sharing::kNvlink})
    EXPECT_EQ(groups_of(cluster, what), (Groups{{0}, {1}, {2}}));
}

TEST(ReplicaGroups, ComeInTheOrderOfTheirFirstReplicas) {
  plan::Cluster cluster = plan::make_single_host(4, false, "cuda");
  cluster.groups.numa = {7, 2, 7, 2};
  EXPECT_EQ(groups_of(cluster, Sharing::kNuma), (Groups{{0, 2}, {1, 3}}));
}

TEST(ReplicaGroups, OfOneHostAreThoseOfEveryHost) {
  plan::HostsDescription hosts{2, 3, false, "cuda", {2}};
  hosts.groups.pcie_switch = {0, 1, 1};
  EXPECT_EQ(groups_of(plan::make_hosts(hosts), Sharing::kSwitch),
            (Groups{{0}, {1, 2}, {3}, {4, 5}}));
  EXPECT_EQ(groups_of(plan::make_hosts(hosts), Sharing::kNuma),
            (Groups{{0}, {1}, {2}, {3}, {4}, {5}}));
}

TEST(ReplicaGroups, OfAKindThatDoesNotExistAreRefused) {
  const plan::Cluster cluster = plan::make_single_host(1, true, "cpu");
  const plan::ArenaMap arena = small_arena(0);
  EXPECT_THROW(write_plan(cluster, arena, [](Planner& p) { p.groups(static_cast<Sharing>(9)); }),
               Error);
}

}  // namespace
}  // namespace convoy::testing::cluster_test
