#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <future>

#include "core/base/error.hpp"
#include "core/simulate/collectives/collective_model.hpp"
#include "core/simulate/machine/described_constants.hpp"
#include "core/simulate/machine/read_collective_library.hpp"
#include "tests/scratch_folder.hpp"

namespace convoy::testing {
namespace {

using simulate::Path;
using simulate::SimulatedCluster;

const std::filesystem::path kShared = CONVOY_SOURCE_DIR "/share";

// Hosts of the H100 platform on a network of this description, with what is said of their cards.
SimulatedCluster hosts_on(const std::string& network, std::uint32_t hosts,
                          const std::string& rdma = "\"rdma\": true") {
  std::ifstream original(kShared / "platforms" / "hgx-h100x8.json");
  std::string text{std::istreambuf_iterator<char>(original), {}};
  text.insert(text.rfind("\"peer_access\""), "\"network\": " + network + ",\n  ");
  const std::string original_rdma = "\"rdma\": true";
  for (std::size_t at = 0; (at = text.find(original_rdma, at)) != std::string::npos;
       at += rdma.size())
    text.replace(at, original_rdma.size(), rdma);
  const auto file = std::filesystem::path(scratch_folder("network")) / "platform.json";
  std::ofstream(file) << text;
  const auto catalogue = topology::Catalogue::read(kShared / "catalogue");
  const auto platform =
      topology::read_platform(kShared / "platforms", file.string(), hosts, catalogue);
  return simulate::make_gpu_cluster(platform.machine, 8,
                                    simulate::platform_constants(platform, catalogue));
}

std::vector<std::string> names(const SimulatedCluster& on, std::uint32_t from, std::uint32_t to) {
  std::vector<std::string> result;
  for (const std::uint32_t link : on.machine.paths(from, to).links)
    if (on.machine.links[link].wire == simulate::Wire::kNetwork)
      result.push_back(on.machine.links[link].name);
  return result;
}

double all_reduce_seconds(const SimulatedCluster& on, double bytes,
                          simulate::CollectiveAlgorithm* chosen = nullptr) {
  const auto library =
      simulate::read_collective_library(kShared / "catalogue" / "collectives.json");
  simulate::TaskGraph graph;
  for (const simulate::SimulatedLink& link : on.machine.links)
    graph.links.push_back({link.bytes_per_second, 0});
  simulate::RouteTable routes(on.machine, graph);
  simulate::CollectiveModel model(on.machine, *library, routes, on.cluster.replica_place);
  const auto choice = model.choose(plan::OperationKind::kAllReduce, CONVOY_ALGORITHM_DEVICE, bytes);
  if (chosen != nullptr) *chosen = choice.algorithm;
  return choice.seconds(bytes);
}

using Names = std::vector<std::string>;

TEST(NetworkTest, GpusOfAHostTakeTurnsAtCardsThatAreEquallyNear) {
  const SimulatedCluster on = hosts_on(R"({"hosts_per_leaf": 2})", 2);
  EXPECT_EQ(names(on, 0, 8), (Names{"host0/ib0 -> leaf0", "leaf0 -> host1/ib0"}));
  EXPECT_EQ(names(on, 1, 9), (Names{"host0/ib1 -> leaf0", "leaf0 -> host1/ib1"}));
}

TEST(NetworkTest, MoreCardsThanGpusAreUsedAtOnce) {
  const auto catalogue = topology::Catalogue::read(kShared / "catalogue");
  const auto platform =
      topology::read_platform(kShared / "platforms", "oci-bm.gpu4.8", 2, catalogue);
  const SimulatedCluster on = simulate::make_gpu_cluster(
      platform.machine, 8, simulate::platform_constants(platform, catalogue));
  const Names first = names(on, 0, 8);
  EXPECT_EQ(first.size(), 4u);  // two cards out, two in
  EXPECT_EQ(first.front(), "host0/rdma0 -> network");
  const Path path = on.machine.paths(1, 9);
  ASSERT_EQ(path.shares.size(), path.links.size());
  EXPECT_EQ(path.share(0), 0.5);
  for (const std::string& name : names(on, 1, 9))
    EXPECT_EQ(std::count(first.begin(), first.end(), name), 0) << name;
}

// As candidates are ranked on all processors.
TEST(NetworkTest, RoutesAreFoundAlikeFromSeveralThreads) {
  const auto every_path = [](const SimulatedCluster& on) {
    std::vector<std::vector<std::uint32_t>> paths;
    for (std::uint32_t from = 0; from < 32; ++from)
      for (std::uint32_t to = 0; to < 32; ++to)
        if (from != to) paths.push_back(on.machine.paths(from, to).links);
    return paths;
  };
  const auto expected = every_path(hosts_on(R"({"hosts_per_leaf": 2})", 4));
  const SimulatedCluster on = hosts_on(R"({"hosts_per_leaf": 2})", 4);
  std::vector<std::future<std::vector<std::vector<std::uint32_t>>>> found;
  found.reserve(8);
  for (int i = 0; i < 8; ++i)
    found.push_back(std::async(std::launch::async, [&] { return every_path(on); }));
  for (auto& paths : found) EXPECT_EQ(paths.get(), expected);
}

TEST(NetworkTest, HostsOfOneLeafDoNotPassTheSpine) {
  const SimulatedCluster on = hosts_on(R"({"hosts_per_leaf": 2})", 4);
  EXPECT_EQ(names(on, 0, 8).size(), 2u);
  EXPECT_EQ(names(on, 0, 16), (Names{"host0/ib0 -> leaf0", "leaf0 -> spine", "spine -> leaf1",
                                     "leaf1 -> host2/ib0"}));
}

TEST(NetworkTest, RailsJoinCardsOfOneNumber) {
  const SimulatedCluster on = hosts_on(R"({"hosts_per_leaf": 4, "rails": true})", 4);
  EXPECT_EQ(names(on, 3, 11), (Names{"host0/ib3 -> leaf3", "leaf3 -> host1/ib3"}));
  EXPECT_EQ(names(on, 3, 12).size(), 4u);  // to another rail: over the spine
}

TEST(NetworkTest, OversubscribedLeavesSlowCollectivesDown) {
  const double bytes = 8e9;
  const double full = all_reduce_seconds(hosts_on(R"({"hosts_per_leaf": 2})", 4), bytes);
  const double quarter =
      all_reduce_seconds(hosts_on(R"({"hosts_per_leaf": 2, "oversubscription": 4})", 4), bytes);
  EXPECT_GT(quarter, 1.5 * full);
  EXPECT_LT(quarter, 4.5 * full);
}

// The uplinks of a leaf are there whether or not hosts fill its ports.
TEST(NetworkTest, ALeafThatIsNotFullHasAllItsUplinks) {
  const auto seconds = [](std::uint32_t hosts) {
    return all_reduce_seconds(hosts_on(R"({"hosts_per_leaf": 4, "oversubscription": 4})", hosts),
                              8e9);
  };
  EXPECT_LT(seconds(5), 1.1 * seconds(8));
}

// NCCL sends with TCP from host memory only.
TEST(NetworkTest, CardsWithoutRdmaReadNoGpuAndReduceNothing) {
  const std::string network = R"({"hosts_per_leaf": 16, "reduces": true})";
  SimulatedCluster on = hosts_on(network, 16, "\"rdma\": false");
  EXPECT_FALSE(on.machine.has_near_card(0));
  simulate::CollectiveAlgorithm chosen{};
  all_reduce_seconds(on, 1e9, &chosen);
  EXPECT_NE(chosen, simulate::CollectiveAlgorithm::kInNetwork);
}

TEST(NetworkTest, SwitchesAddTheirLatencyToEveryStep) {
  const double near = all_reduce_seconds(hosts_on(R"({"hosts_per_leaf": 2})", 4), 1e4);
  const double far = all_reduce_seconds(
      hosts_on(R"({"hosts_per_leaf": 2, "switch_seconds": {"value": 1e-5, "source": "test"}})", 4),
      1e4);
  EXPECT_GT(far, near + 2 * 3e-5);  // at least two steps over leaf, spine and leaf
}

TEST(NetworkTest, SwitchesThatReduceAreUsedWhereNobodyElseCan) {
  simulate::CollectiveAlgorithm chosen{};
  all_reduce_seconds(hosts_on(R"({"hosts_per_leaf": 16, "reduces": true})", 16), 1e9, &chosen);
  EXPECT_EQ(chosen, simulate::CollectiveAlgorithm::kInNetwork);
  all_reduce_seconds(hosts_on(R"({"hosts_per_leaf": 16})", 16), 1e9, &chosen);
  EXPECT_NE(chosen, simulate::CollectiveAlgorithm::kInNetwork);
}

TEST(NetworkTest, OversubscriptionBelowOneIsRefused) {
  EXPECT_THROW(hosts_on(R"({"hosts_per_leaf": 2, "oversubscription": 0.5})", 2), Error);
}

}  // namespace
}  // namespace convoy::testing
