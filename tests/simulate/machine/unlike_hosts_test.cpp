#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "core/base/error.hpp"
#include "core/simulate/collectives/collective_model.hpp"
#include "core/simulate/machine/described_constants.hpp"
#include "core/simulate/machine/read_collective_library.hpp"

namespace convoy::testing {
namespace {

namespace unlike {
const std::filesystem::path kFolder = CONVOY_SOURCE_DIR "/share";

topology::Platform read(const std::string& name, std::uint32_t hosts) {
  return topology::read_platform(kFolder / "platforms", name, hosts,
                                 topology::Catalogue::read(kFolder / "catalogue"));
}

simulate::SimulatedCluster cluster(const topology::Platform& platform, std::uint32_t gpus) {
  return simulate::make_gpu_cluster(
      platform.machine, gpus,
      simulate::platform_constants(platform, topology::Catalogue::read(kFolder / "catalogue")));
}

double all_reduce_seconds(const std::string& name, std::uint32_t hosts) {
  const simulate::SimulatedCluster on = cluster(read(name, hosts), 8);
  const auto library =
      simulate::read_collective_library(kFolder / "catalogue" / "collectives.json");
  simulate::TaskGraph graph;
  for (const simulate::SimulatedLink& link : on.machine.links)
    graph.links.push_back({link.bytes_per_second, 0});
  simulate::RouteTable routes(on.machine, graph);
  simulate::CollectiveModel model(on.machine, *library, routes, on.cluster.replica_place);
  constexpr double kBytes = 256e6;
  return model.choose(plan::OperationKind::kAllReduce, CONVOY_ALGORITHM_DEVICE, kBytes)
      .seconds(kBytes);
}

std::string refusal(const std::string& name, std::uint32_t hosts) {
  try {
    read(name, hosts);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    return error.what();
  }
  return "taken";
}
}  // namespace unlike

TEST(UnlikeHosts, AreListedWithTheirNumbers) {
  EXPECT_EQ(topology::hosts_of_platform("dgx1-p100:2+hgx-h100x8:3"), 5u);
  EXPECT_EQ(topology::hosts_of_platform("dgx1-p100+hgx-h100x8"), 2u);
  EXPECT_EQ(topology::hosts_of_platform("dgx1-p100"), std::nullopt);
  EXPECT_NE(unlike::refusal("dgx1-p100:two", 2).find("\"two\" is not a number of hosts"),
            std::string::npos);
  EXPECT_NE(unlike::refusal("dgx1-p100:0+hgx-h100x8", 1).find("\"0\""), std::string::npos);
  EXPECT_NE(unlike::refusal("dgx1-p100:1+hgx-h100x8:1", 3).find("has 2 hosts, not 3"),
            std::string::npos);
  EXPECT_NE(unlike::refusal("dgx1-p100:1+nothing:1", 2).find("no platform \"nothing\""),
            std::string::npos);
}

TEST(UnlikeHosts, HaveTheirOwnDevicesConstantsAndLinks) {
  const topology::Platform platform = unlike::read("dgx1-p100:1+hgx-h100x8:2", 3);
  EXPECT_EQ(platform.gpus_per_host, 8u);
  ASSERT_EQ(platform.kinds.size(), 2u);
  EXPECT_EQ(platform.kinds[1].hosts, 2u);
  const simulate::SimulatedCluster on = unlike::cluster(platform, 2);
  const simulate::SimulatedMachine& machine = on.machine;
  ASSERT_EQ(on.cluster.hosts, 3u);
  ASSERT_EQ(machine.devices.size(), 2u);
  EXPECT_EQ(machine.devices[machine.places[0].device].generation, "pascal");
  EXPECT_EQ(machine.devices[machine.places[2].device].generation, "hopper");
  EXPECT_EQ(machine.places[2].device, machine.places[4].device);
  EXPECT_NE(machine.hosts[0].name, machine.hosts[1].name);
  EXPECT_EQ(machine.hosts[1].name, machine.hosts[2].name);
  const auto rate_of_pcie = [&](std::uint32_t place) {
    const std::uint32_t host_place = machine.host_places[machine.places[place].host];
    return machine.links[machine.paths(place, host_place).links.front()].bytes_per_second;
  };
  EXPECT_LT(rate_of_pcie(0), rate_of_pcie(2));
  EXPECT_EQ(rate_of_pcie(2), rate_of_pcie(4));
  EXPECT_EQ(on.cluster.route(0, 4).kind, std::uint32_t{CONVOY_ROUTE_NETWORK});
}

TEST(UnlikeHosts, ThatComeFirstAreThoseOfASmallerCluster) {
  const topology::Platform both = unlike::read("dgx1-p100:1+hgx-h100x8:2", 2);
  ASSERT_EQ(both.kinds.size(), 2u);
  EXPECT_EQ(both.kinds[1].hosts, 1u);
  EXPECT_EQ(unlike::read("dgx1-p100:1+hgx-h100x8:2", 1).kinds.size(), 1u);
}

// NCCL and RCCL do not talk to each other.
TEST(UnlikeHosts, OfTwoVendorsHaveNoCollectives) {
  const auto reason = [](const char* platform) {
    return unlike::cluster(unlike::read(platform, 2), 8).cluster.no_device_collectives;
  };
  EXPECT_EQ(reason("hgx-h100x8:1+dgx1-p100:1"), "");
  EXPECT_NE(reason("hgx-h100x8:1+mi300x8:1").find("several vendors"), std::string::npos);
}

TEST(UnlikeHosts, ReduceAtThePaceOfTheSlowest) {
  const double slow = unlike::all_reduce_seconds("dgx1-p100", 2);
  const double fast = unlike::all_reduce_seconds("hgx-h100x8", 2);
  ASSERT_LT(1.5 * fast, slow);
  const double mixed = unlike::all_reduce_seconds("hgx-h100x8:1+dgx1-p100:1", 2);
  EXPECT_NEAR(mixed, slow, 0.25 * slow);
  EXPECT_NEAR(unlike::all_reduce_seconds("dgx1-p100:1+hgx-h100x8:1", 2), mixed, 0.05 * mixed);
}

}  // namespace
}  // namespace convoy::testing
