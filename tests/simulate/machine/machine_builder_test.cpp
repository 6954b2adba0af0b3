#include "core/simulate/machine/machine_builder.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "core/base/error.hpp"
#include "core/simulate/machine/machine_links.hpp"
#include "core/simulate/run/critical_path.hpp"
#include "topology/graph/graph_edit.hpp"

namespace convoy::testing {
namespace {

using simulate::MachineConstants;
using simulate::Path;
using simulate::PathKind;
using simulate::SimulatedCluster;
using topology::LinkKind;
using topology::NodeKind;

class GraphMaker {
 public:
  std::size_t node(NodeKind kind, std::string name, std::uint32_t host,
                   std::optional<std::size_t> parent = {}) {
    topology::Node it;
    it.kind = kind;
    it.name = std::move(name);
    it.host = host;
    it.parent = parent;
    machine.nodes.push_back(std::move(it));
    return machine.nodes.size() - 1;
  }
  void link(std::size_t a, std::size_t b, LinkKind kind, std::optional<double> rate) {
    machine.links.push_back({a, b, kind, 1, {rate, "test"}, {rate, "test"}});
  }
  // A host with one socket: a switch with two GPUs, one GPU on a bridge of its own, a network card.
  void host(std::uint32_t number, std::optional<std::size_t> network) {
    const std::size_t host = node(NodeKind::host, "host", number);
    const std::size_t package = node(NodeKind::package, "package0", number, host);
    const std::size_t memory = node(NodeKind::numa_node, "numa0", number, package);
    machine.nodes[memory].memory_bytes_per_second = {50e9, "test"};
    machine.nodes[memory].memory_bytes = {std::uint64_t{64} << 30, "test"};
    link(package, memory, LinkKind::internal, std::nullopt);
    const std::size_t bridge = node(NodeKind::host_bridge, "bridge0", number, package);
    link(bridge, package, LinkKind::internal, std::nullopt);
    const std::size_t pcie = node(NodeKind::pci_bridge, "switch0", number, bridge);
    link(pcie, bridge, LinkKind::pcie, 16e9);
    for (int gpu = 0; gpu < 2; ++gpu)
      link(node(NodeKind::gpu, fmt::format("gpu{}", gpu), number, pcie), pcie, LinkKind::pcie,
           16e9);
    const std::size_t other = node(NodeKind::host_bridge, "bridge1", number, package);
    link(other, package, LinkKind::internal, std::nullopt);
    link(node(NodeKind::gpu, "gpu2", number, other), other, LinkKind::pcie, 8e9);
    if (!network) return;
    const std::size_t card = node(NodeKind::nic, "eth0", number, bridge);
    link(card, bridge, LinkKind::pcie, 8e9);
    link(card, *network, LinkKind::network, 1.25e9);
  }
  topology::Machine machine;
};

MachineConstants constants() {
  MachineConstants it;
  it.devices.resize(1);
  it.devices[0].board_rates = {1.0, 0.9};
  it.device_of = [](const topology::Node&) { return 0u; };
  it.hosts.front().pcie_efficiency = 0.5;
  return it;
}

double narrowest(const SimulatedCluster& cluster, const Path& path) {
  double rate = 1e30;
  for (const std::uint32_t link : path.links)
    rate = std::min(rate, cluster.machine.links[link].bytes_per_second);
  return rate;
}

TEST(MachineBuilderTest, DevicesComeHostAfterHostWithTheirMemoriesBehind) {
  GraphMaker graph;
  const std::size_t network = graph.node(NodeKind::network, "network", 0);
  graph.host(0, network);
  graph.host(1, network);
  const SimulatedCluster it = simulate::make_gpu_cluster(graph.machine, 2, constants());
  ASSERT_EQ(it.cluster.places.size(), 6u);
  EXPECT_EQ(it.cluster.places[3].name, "cuda:3");
  EXPECT_EQ(it.cluster.places[3].host, 1u);
  EXPECT_EQ(it.cluster.places[3].near_place, 5u);
  EXPECT_EQ(it.machine.places[5].memory_bytes, std::uint64_t{64} << 30);
  EXPECT_EQ(it.machine.links[it.machine.places[5].memory].bytes_per_second, 50e9);
}

// NPS4 and sub-NUMA clustering divide a package's memory, they do not multiply it.
TEST(MachineBuilderTest, NumaNodesOfAPackageShareItsMemoryRate) {
  const auto rate = [](std::uint32_t packages, std::uint32_t numa_nodes, bool one_known) {
    GraphMaker graph;
    const std::size_t host = graph.node(NodeKind::host, "host", 0);
    for (std::uint32_t p = 0; p < packages; ++p) {
      const std::size_t package = graph.node(NodeKind::package, "package", 0, host);
      for (std::uint32_t n = 0; n < numa_nodes; ++n)
        graph.link(graph.node(NodeKind::numa_node, "numa", 0, package), package, LinkKind::internal,
                   std::nullopt);
      if (one_known) graph.machine.nodes.back().memory_bytes_per_second = {70e9, "test"};
      graph.link(graph.node(NodeKind::gpu, "gpu", 0, package), package, LinkKind::pcie, 16e9);
    }
    MachineConstants all = constants();
    all.hosts.front().memory_bytes_per_second = 160e9;
    const SimulatedCluster it = simulate::make_gpu_cluster(graph.machine, packages, all);
    return it.machine.links[it.machine.places.back().memory].bytes_per_second;
  };
  EXPECT_DOUBLE_EQ(rate(1, 1, false), 160e9);
  EXPECT_DOUBLE_EQ(rate(1, 4, false), 160e9);
  EXPECT_DOUBLE_EQ(rate(2, 4, false), 320e9);
  EXPECT_DOUBLE_EQ(rate(2, 0, false), 320e9) << "packages without NUMA nodes";
  EXPECT_DOUBLE_EQ(rate(1, 4, true), 3 * 40e9 + 70e9) << "what the machine says counts";
}

// Buffers of GPUs on several NUMA nodes of a package are on all of them.
TEST(MachineBuilderTest, TheMemoryNearADeviceIsThatOfItsPackage) {
  GraphMaker graph;
  const std::size_t host = graph.node(NodeKind::host, "host", 0);
  std::vector<std::size_t> packages;
  for (int p = 0; p < 2; ++p) {
    packages.push_back(graph.node(NodeKind::package, "package", 0, host));
    for (int n = 0; n < 4; ++n)
      graph.link(graph.node(NodeKind::numa_node, "numa", 0, packages.back()), packages.back(),
                 LinkKind::internal, std::nullopt);
    graph.link(graph.node(NodeKind::gpu, "gpu", 0, packages.back()), packages.back(),
               LinkKind::pcie, 16e9);
  }
  graph.link(packages[0], packages[1], LinkKind::socket, 20e9);
  const SimulatedCluster it = simulate::make_gpu_cluster(graph.machine, 2, constants());
  EXPECT_EQ(it.machine.places.back().memories, 2u);
  EXPECT_EQ(it.machine.near_memory(0), 0u);
  EXPECT_EQ(it.machine.near_memory(1), 1u);
}

// Cards below a GPU's switch move its data, and all cards where a link joins it to the memory.
TEST(MachineBuilderTest, CardsAreNearBelowASwitchOrOverALinkToTheMemory) {
  GraphMaker graph;
  const std::size_t network = graph.node(NodeKind::network, "network", 0);
  graph.host(0, network);
  EXPECT_FALSE(simulate::make_gpu_cluster(graph.machine, 3, constants()).machine.has_near_card(0));
  const auto named = [&](const char* name) {
    return static_cast<std::size_t>(
        std::ranges::find(graph.machine.nodes, name, &topology::Node::name) -
        graph.machine.nodes.begin());
  };
  graph.link(named("gpu2"), named("numa0"), LinkKind::c2c, 100e9);
  const std::size_t card = graph.node(NodeKind::nic, "eth1", 0, named("switch0"));
  graph.link(card, named("switch0"), LinkKind::pcie, 8e9);
  graph.link(card, network, LinkKind::network, 1.25e9);
  for (topology::Node& node : graph.machine.nodes)
    if (node.kind == NodeKind::nic) node.rdma = {true, "test"};
  const SimulatedCluster it = simulate::make_gpu_cluster(graph.machine, 3, constants());
  for (std::uint32_t gpu = 0; gpu < 3; ++gpu) EXPECT_TRUE(it.machine.has_near_card(gpu)) << gpu;
}

TEST(MachineBuilderTest, PathsTakeTheLinksOfTheGraphAtWhatTransfersReachOfThem) {
  GraphMaker graph;
  const std::size_t network = graph.node(NodeKind::network, "network", 0);
  graph.host(0, network);
  graph.host(1, network);
  const SimulatedCluster it = simulate::make_gpu_cluster(graph.machine, 3, constants());
  const Path below = it.machine.paths(0, 1);
  EXPECT_EQ(below.links.size(), 2u);
  EXPECT_EQ(narrowest(it, below), 8e9);
  const Path to_memory = it.machine.paths(2, 6);
  EXPECT_EQ(to_memory.kind, PathKind::kPcie);
  EXPECT_EQ(narrowest(it, to_memory), 4e9);
  const Path far = it.machine.paths(0, 4);
  EXPECT_EQ(far.kind, PathKind::kNetwork);
  EXPECT_NEAR(narrowest(it, far), 1.25e9 * constants().host(0).network_efficiency, 1);
  // There and back use the two directions of the same links.
  std::vector<std::uint32_t> back = it.machine.paths(4, 0).links;
  for (std::uint32_t& link : back) link ^= 1u;
  std::reverse(back.begin(), back.end());
  EXPECT_EQ(far.links, back);
  EXPECT_FALSE(it.cluster.access[0][4]);
}

// Network, PCI Express, NVLink and sockets: within a chip there is no limit that could be assumed.
TEST(MachineBuilderTest, LinksOfUnknownRateSayThatAUsualOneIsAssumed) {
  for (const LinkKind kind : {LinkKind::network, LinkKind::pcie, LinkKind::socket, LinkKind::nvlink,
                              LinkKind::c2c, LinkKind::internal}) {
    GraphMaker graph;
    const std::size_t a = graph.node(NodeKind::host, "a", 0);
    const std::size_t b = graph.node(NodeKind::host, "b", 0);
    graph.link(a, b, kind, std::nullopt);
    graph.link(a, b, kind, 9e9);
    const simulate::SimulatedHost host;
    const std::vector<simulate::SimulatedLink> links = simulate::simulated_links(
        graph.machine, [&](std::uint32_t) -> const simulate::SimulatedHost& { return host; });
    ASSERT_EQ(links.size(), 4u);
    const bool is_usual = kind != LinkKind::c2c && kind != LinkKind::internal;
    for (std::size_t i = 0; i < 4; ++i) {
      SCOPED_TRACE(fmt::format("{}, direction {}", topology::name(kind), i));
      EXPECT_EQ(links[i].assumed, is_usual && i < 2);
      const std::string words = simulate::assumed_rate(links[i]);
      const bool says = words.find("its rate is unknown") != std::string::npos;
      EXPECT_EQ(says, is_usual && i < 2) << words;
    }
  }
}

TEST(MachineBuilderTest, SaysHowToGiveRatesThatAreAssumed) {
  simulate::SimulatedMachine machine;
  machine.links = {{"known", 1e9}, {"to the network", 1e9}, {"slot", 1e9}};
  machine.links[1].wire = simulate::Wire::kNetwork;
  machine.links[1].assumed = machine.links[2].assumed = true;
  const auto advice = [&](const std::vector<simulate::LinkLoad>& loads) {
    return simulate::advice_on_rates(machine, loads);
  };
  EXPECT_EQ(advice({{0}}), "");
  EXPECT_EQ(advice({{0}, {1}}),
            "some rates are unknown: write the machine with convoy topo --json=FILE, fill in "
            "network_bytes_per_second of its network cards there, each with its source, and "
            "simulate with --topology=FILE");
  EXPECT_NE(advice({{1}, {2}}).find("network cards, and a_to_b and b_to_a of its links there"),
            std::string::npos);
}

// A card for management is nearer to the GPUs than the fast one.
TEST(MachineBuilderTest, MuchSlowerCardsAreLeftOutHoweverNearTheyAre) {
  const auto rate = [](std::optional<double> near, std::optional<double> far) {
    GraphMaker graph;
    const std::size_t network = graph.node(NodeKind::network, "network", 0);
    for (const std::uint32_t host : {0u, 1u}) {
      graph.host(host, std::nullopt);
      std::map<std::string, std::size_t> nodes;
      for (std::size_t i = 0; i < graph.machine.nodes.size(); ++i)
        if (graph.machine.nodes[i].host == host) nodes[graph.machine.nodes[i].name] = i;
      const std::size_t slow = graph.node(NodeKind::nic, "eno1", host, nodes.at("switch0"));
      graph.link(slow, nodes.at("switch0"), LinkKind::pcie, 100e9);
      graph.link(slow, network, LinkKind::network, near);
      const std::size_t fast = graph.node(NodeKind::nic, "mlx5_0", host, nodes.at("bridge1"));
      graph.link(fast, nodes.at("bridge1"), LinkKind::pcie, 100e9);
      graph.link(fast, network, LinkKind::network, far);
    }
    const SimulatedCluster it = simulate::make_gpu_cluster(graph.machine, 1, constants());
    double raw = 0;
    for (const std::uint32_t link : it.machine.paths(0, 1).links)
      if (it.machine.links[link].wire == simulate::Wire::kNetwork)
        raw = it.machine.links[link].raw_bytes_per_second;
    return raw;
  };
  EXPECT_EQ(rate(0.125e9, 50e9), 50e9);
  EXPECT_EQ(rate(std::nullopt, 50e9), 50e9) << "without a cable";
  EXPECT_EQ(rate(0.125e9, std::nullopt), 0) << "of unknown rate: a usual one";
  EXPECT_EQ(rate(25e9, 50e9), 25e9) << "near enough in rate";
  EXPECT_EQ(rate(0.125e9, 0.125e9), 0.125e9);
}

// 200 Gbit/s cards are in slots of 252, and a description may know only these.
TEST(MachineBuilderTest, CardsOfUnknownRateWithRdmaAreAboutAsFastAsTheirSlots) {
  const auto assumed = [](bool rdma) {
    GraphMaker graph;
    const std::size_t network = graph.node(NodeKind::network, "network", 0);
    const std::size_t host = graph.node(NodeKind::host, "host", 0);
    const std::size_t bridge = graph.node(NodeKind::host_bridge, "bridge", 0, host);
    graph.link(graph.node(NodeKind::gpu, "gpu", 0, bridge), bridge, LinkKind::pcie, 31.5e9);
    const std::size_t card = graph.node(NodeKind::nic, "nic", 0, bridge);
    graph.machine.nodes[card].rdma = {rdma, "test"};
    graph.link(card, bridge, LinkKind::pcie, 31.5e9);
    graph.link(card, network, LinkKind::network, std::nullopt);
    const SimulatedCluster it = simulate::make_gpu_cluster(graph.machine, 1, constants());
    return std::ranges::find(it.machine.links, "nic -> network", &simulate::SimulatedLink::name)
        ->bytes_per_second;
  };
  EXPECT_NEAR(assumed(true), 25e9, 0.01 * 25e9);
  EXPECT_LT(assumed(false), 2e9);
}

TEST(MachineBuilderTest, GpusBehindOneSwitchAreABoardWhenTheyAreAsMany) {
  GraphMaker graph;
  graph.host(0, std::nullopt);
  const SimulatedCluster it = simulate::make_gpu_cluster(graph.machine, 3, constants());
  EXPECT_EQ(it.machine.places[0].board, it.machine.places[1].board);
  EXPECT_NE(it.machine.places[0].board, it.machine.places[2].board);
}

TEST(MachineBuilderTest, PeerAccessIsWhatIsSaidElseThatOfOneSocketOutsideVirtualMachines) {
  GraphMaker graph;
  graph.host(0, std::nullopt);
  const auto access = [&](std::uint32_t from, std::uint32_t to) -> bool {
    return simulate::make_gpu_cluster(graph.machine, 3, constants()).cluster.access[from][to];
  };
  EXPECT_TRUE(access(0, 1));
  EXPECT_TRUE(access(0, 2));
  graph.machine.virtual_machine = {true, "test"};
  EXPECT_FALSE(access(0, 1));
  std::size_t first = 0;
  while (graph.machine.nodes[first].kind != NodeKind::gpu) ++first;
  graph.machine.peer_access.push_back({first, first + 1, {true, "test"}});
  EXPECT_TRUE(access(0, 1));
  EXPECT_FALSE(access(1, 0));
}

TEST(MachineBuilderTest, StrategiesSeeWhatReplicasShareAndWhichRoutesMeet) {
  using Numbers = std::vector<std::uint32_t>;
  GraphMaker graph;
  const std::size_t network = graph.node(NodeKind::network, "network", 0);
  graph.host(0, network);
  graph.host(1, network);
  const plan::Cluster cluster = simulate::make_gpu_cluster(graph.machine, 3, constants()).cluster;
  EXPECT_EQ(cluster.groups.pcie_switch, (Numbers{0, 0, 1, 2, 2, 3}));
  EXPECT_EQ(cluster.groups.numa, (Numbers{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(cluster.groups.nvlink, (Numbers{0, 1, 2, 3, 4, 5}));
  // Both go out over the host's card, one way, and in over its own card, the other way.
  const plan::Route far = cluster.route(0, 3);
  EXPECT_EQ(far.bytes_per_second, 1.25e9);
  EXPECT_NE(far.shared_group, std::uint32_t{CONVOY_NONE});
  EXPECT_EQ(far.shared_group, cluster.route(1, 4).shared_group);
  EXPECT_NE(far.shared_group, cluster.route(3, 0).shared_group);
  EXPECT_NE(far.shared_group, cluster.route(0, 1).shared_group);
}

TEST(MachineBuilderTest, RoutesOverALinkOfUnknownRateShareNothingKnown) {
  GraphMaker graph;
  graph.host(0, std::nullopt);
  for (topology::Link& link : graph.machine.links) link.a_to_b = link.b_to_a = {};
  const plan::Cluster cluster = simulate::make_gpu_cluster(graph.machine, 2, constants()).cluster;
  EXPECT_EQ(cluster.route(0, 1).shared_group, std::uint32_t{CONVOY_NONE});
}

TEST(MachineBuilderTest, TooManyDevicesAndHostsWithoutANetworkAreRefused) {
  GraphMaker graph;
  graph.host(0, std::nullopt);
  EXPECT_THROW(simulate::make_gpu_cluster(graph.machine, 4, constants()), Error);
  graph.host(1, std::nullopt);
  EXPECT_THROW(simulate::make_gpu_cluster(graph.machine, 2, constants()), Error);
}

}  // namespace
}  // namespace convoy::testing
