#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/text/json.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/simulate/collectives/platform_collectives.hpp"

namespace convoy::testing {
namespace {

using simulate::CollectiveAlgorithm;
using simulate::Protocol;

constexpr double kLarge = 1e9;

// A platform whose devices all reach each other, over root ports only if the library is told so.
std::string with_peers(const std::string& name, bool over_root) {
  nlohmann::json platform =
      parse_json(std::ifstream(kShareFolder / "platforms" / (name + ".json")));
  platform["peer_access"] = {{"between", "all"}, {"over_root", over_root}, {"source", "a test"}};
  const auto file = std::filesystem::path(scratch_folder("peers")) / "platform.json";
  std::ofstream(file) << platform;
  return file.string();
}

TEST(CollectiveModelTest, SmallSpansTakeLowLatencyLargeOnesTheWholeWire) {
  Collectives it("dgx1-v100", 1, 8);
  EXPECT_EQ(it.choose(1 << 10).protocol, Protocol::kLl);
  EXPECT_EQ(it.choose(4 << 20).protocol, Protocol::kLl128);
  EXPECT_EQ(it.choose(kLarge).protocol, Protocol::kSimple);
  EXPECT_LT(it.choose(1 << 10).seconds(1 << 10), 60e-6);
}

TEST(CollectiveModelTest, SwitchesReduceOnHopperAndNotOnAmpere) {
  EXPECT_EQ(Collectives("hgx-h100x8", 1, 8).choose(kLarge).algorithm,
            CollectiveAlgorithm::kInSwitch);
  EXPECT_EQ(Collectives("dgx-a100", 1, 8).choose(kLarge).algorithm, CollectiveAlgorithm::kRing);
}

TEST(CollectiveModelTest, PlansMayAskForAnAlgorithm) {
  Collectives it("hgx-h100x8", 2, 8);
  const auto algorithm = [&](std::uint32_t asked) {
    return it.choose(kLarge, plan::OperationKind::kAllReduce, asked).algorithm;
  };
  EXPECT_EQ(algorithm(CONVOY_ALGORITHM_RING), CollectiveAlgorithm::kRing);
  EXPECT_EQ(algorithm(CONVOY_ALGORITHM_TREE), CollectiveAlgorithm::kTree);
  EXPECT_EQ(algorithm(CONVOY_ALGORITHM_TWO_LEVEL), CollectiveAlgorithm::kInSwitch);
  EXPECT_EQ(algorithm(CONVOY_ALGORITHM_DEVICE), CollectiveAlgorithm::kInSwitch);
}

// Collectives take longer over a link than copies of as many bytes.
TEST(CollectiveModelTest, LinksCarryTheBytesThatTheDevicesExchange) {
  const auto expect = [](Collectives it, const char* link, std::uint32_t algorithm, double bytes) {
    const simulate::LinkShare share = it.over(link, algorithm);
    EXPECT_NEAR(share.bytes, bytes, 1e-9) << link;
    EXPECT_GT(share.weight, 1.01 * share.bytes) << link;
  };
  constexpr std::uint32_t kRing = CONVOY_ALGORITHM_RING;
  constexpr std::uint32_t kBest = CONVOY_ALGORITHM_DEVICE;
  // A ring of n: 2 (n - 1) / n.
  expect({"hgx-h100x8", 1, 4}, "gpu0 -> nvswitch", kRing, 1.5);
  expect({"dgx-a100", 1, 8}, "nvswitch -> gpu3", kRing, 1.75);
  // NVSwitches that reduce: every device sends its own and its part of the sum.
  expect({"hgx-h100x8", 1, 8}, "gpu0 -> nvswitch", kBest, 1.125);
  expect({"gb200-nvl72", 1, 72}, "nvswitch -> gpu71", kBest, 1 + 1.0 / 72);
  // Root ports of Intel's processors let less through than they carry.
  expect({with_peers("a100-pciex8", true), 1, 3}, "gpu2 -> bridge2", kRing, 4.0 / 3);
}

TEST(CollectiveModelTest, ARackReducesInItsSwitchesAtTheBusRateOfEightGpus) {
  Collectives rack("gb200-nvl72", 1, 72);
  EXPECT_EQ(rack.choose(64 * kLarge).algorithm, CollectiveAlgorithm::kInSwitch);
  const double eight = Collectives("gb200-nvl72", 1, 8).bus_rate(64 * kLarge);
  EXPECT_NEAR(rack.bus_rate(64 * kLarge) / eight, 1, 0.01);
}

// The trays of a rack start their collectives by themselves: one process would take 228 us for 72.
TEST(CollectiveModelTest, TheTraysOfARackLaunchAtTheSameTime) {
  constexpr double kSmall = 1 << 20;
  EXPECT_LT(Collectives("gb200-nvl72", 1, 72).choose(kSmall).seconds(kSmall), 150e-6);
}

// With eight cards rings carry eight times what one does; the GPUs of a host take turns.
TEST(CollectiveModelTest, RingsBetweenHostsUseAllCards) {
  Collectives it("hgx-h100x8", 4, 8);
  EXPECT_GT(it.bus_rate(8 * kLarge, CONVOY_ALGORITHM_RING), 0.85 * 8 * 50e9);
  EXPECT_LT(it.bus_rate(8 * kLarge, CONVOY_ALGORITHM_RING), 8 * 50e9);
}

// Where every two GPUs have a link of their own and every GPU a card, channels use each link once:
// 56 links at 71 % of 64 GB/s make eight chains of seven links. Four GPUs of a host have 12 links.
TEST(CollectiveModelTest, RingsBetweenHostsUseAllLinksOfACompleteMesh) {
  constexpr double kLink = 0.71 * 64e9;
  EXPECT_NEAR(Collectives("mi300x8", 2, 8).bus_rate(64 * kLarge, CONVOY_ALGORITHM_RING), 8 * kLink,
              0.02 * 8 * kLink);
  EXPECT_NEAR(Collectives("mi300x8", 3, 4).bus_rate(64 * kLarge, CONVOY_ALGORITHM_RING), 4 * kLink,
              0.02 * 4 * kLink);
}

// AMD's devices have RCCL, which takes its latencies from NCCL.
TEST(CollectiveModelTest, AmdsDevicesReduceWithRccl) {
  const auto library =
      simulate::read_collective_library(kShareFolder / "catalogue" / "collectives.json");
  EXPECT_TRUE(library->described("cdna3").starts_with("rccl (ROCm/rccl"));
  EXPECT_TRUE(library->described("hopper").starts_with("nccl-2 (NVIDIA/nccl"));
}

// Cards with the same number are on the same rail: channels that leave a host by one of them come
// into the next host by its like, so that nothing crosses from one rail to another.
TEST(CollectiveModelTest, ChainsThatCrossAHostKeepToTheirRails) {
  nlohmann::json platform =
      nlohmann::json::parse(std::ifstream(kShareFolder / "platforms" / "mi300x8.json"));
  platform["network"] = {{"hosts_per_leaf", 4}, {"rails", true}};
  const auto file = std::filesystem::path(scratch_folder("rails")) / "platform.json";
  std::ofstream(file) << platform;
  Collectives it(file.string(), 4, 8);
  for (const std::uint32_t algorithm : {CONVOY_ALGORITHM_RING, CONVOY_ALGORITHM_TREE}) {
    EXPECT_NE(it.over("host0/rdma5 -> leaf5", algorithm).link, simulate::kNone);
    EXPECT_EQ(it.over("leaf5 -> spine", algorithm).link, simulate::kNone);
  }
  Collectives odd(file.string(), 3, 8);  // from the last host to the first one
  EXPECT_NE(odd.over("leaf5 -> spine", CONVOY_ALGORITHM_RING).link, simulate::kNone);
}

// The H100 platform with the cards of its first package alone, to which the other GPUs are routed,
// too.
std::string cards_on_one_socket() {
  nlohmann::json platform =
      parse_json(std::ifstream(kShareFolder / "platforms" / "hgx-h100x8.json"));
  for (nlohmann::json& bridge : platform.at("packages").at(1).at("host_bridges"))
    for (nlohmann::json& pci_switch : bridge.at("switches")) pci_switch.erase("network_cards");
  const auto file = std::filesystem::path(scratch_folder("cards_on_one_socket")) / "platform.json";
  std::ofstream(file) << platform;
  return file.string();
}

// What comes from GPUs far from the cards goes over NVLink to one that is near.
TEST(CollectiveModelTest, RingsLeaveAHostFromGpusNextToItsCards) {
  Collectives it(cards_on_one_socket(), 2, 8);
  EXPECT_GT(it.bus_rate(8 * kLarge, CONVOY_ALGORITHM_RING), 0.85 * 4 * 50e9);
  EXPECT_LT(it.bus_rate(8 * kLarge, CONVOY_ALGORITHM_RING), 4 * 50e9);
}

// Rails carry each byte over the network once and a bit, a ring over all devices twice.
TEST(CollectiveModelTest, RailsOfTwoHostsPassTheNetworkOnceInsteadOfTwice) {
  Collectives rails("ec2-p4d.24xlarge", 2, 8, {CollectiveAlgorithm::kRails});
  EXPECT_EQ(rails.choose(8 * kLarge).algorithm, CollectiveAlgorithm::kRails);
  Collectives nccl("ec2-p4d.24xlarge", 2, 8);
  EXPECT_NEAR(rails.bus_rate(8 * kLarge) / nccl.bus_rate(8 * kLarge, CONVOY_ALGORITHM_RING),
              2 * 15.0 / 16, 0.05);
}

TEST(CollectiveModelTest, OtherCollectivesSendHalfOfWhatAllReduceSends) {
  Collectives it("dgx-a100", 1, 8);
  const double all_reduce = it.choose(kLarge).seconds(kLarge);
  for (const plan::OperationKind kind :
       {plan::OperationKind::kAllGather, plan::OperationKind::kReduceScatter})
    EXPECT_NEAR(it.choose(kLarge, kind).seconds(kLarge) / all_reduce, 0.5, 0.03);
  for (const plan::OperationKind kind :
       {plan::OperationKind::kBroadcast, plan::OperationKind::kReduce})
    EXPECT_NEAR(it.choose(kLarge, kind).seconds(kLarge) / all_reduce, 4.0 / 7, 0.03);
}

// A10G of a virtual machine reach each other only over their host's memory: what leaves the two
// GPUs of a switch passes its uplink twice, where those that reach each other pass it once.
TEST(CollectiveModelTest, DevicesWithoutPeerAccessAreStagedInTheirHost) {
  const double bus = Collectives("ec2-g5.48xlarge", 1, 8).bus_rate(kLarge);
  EXPECT_GT(bus, 7e9);
  EXPECT_LT(bus, 9e9);
}

// A device that writes to host memory while it reads from there reaches 64 % of its link; in a
// broadcast, it does one of the two.
TEST(CollectiveModelTest, StagingBothWaysReachesLessOfTheLink) {
  Collectives it("l40sx4", 1, 2);
  const double both = it.bus_rate(8 * kLarge);
  EXPECT_NEAR(both, 0.64 * 0.76 * 31.508e9, 0.5e9);
  const double broadcast =
      8 * kLarge / it.choose(8 * kLarge, plan::OperationKind::kBroadcast).seconds(8 * kLarge);
  EXPECT_NEAR(both / broadcast, 0.64, 0.02);
}

// Over root ports, NCCL uses the peer access of two devices of an AMD host and not of more, unless
// it is told to.
TEST(CollectiveModelTest, PeerAccessOverRootPortsIsForTwoDevicesOrByRequest) {
  const auto rate = [](bool over_root, std::uint32_t gpus) {
    return Collectives(with_peers("rtx4090x8", over_root), 1, gpus).bus_rate(8 * kLarge);
  };
  EXPECT_NEAR(rate(true, 2) / rate(false, 2), 1, 1e-9);
  EXPECT_GT(rate(true, 4) / rate(false, 4), 1.2);
}

// The cards of Polaris are below other switches than its GPUs, so what they send passes host
// memory; those of GH200 read its GPU's memory over the link between processor and GPU.
TEST(CollectiveModelTest, WhatCardsFarFromGpusSendPassesHostMemory) {
  const double polaris = Collectives("polaris", 4, 4).bus_rate(8 * kLarge);
  EXPECT_GT(polaris, 0.5 * 2 * 25e9);
  EXPECT_LT(polaris, 0.65 * 2 * 25e9);
  EXPECT_GT(Collectives("gh200x4", 2, 4).bus_rate(8 * kLarge), 0.85 * 4 * 25e9);
}

TEST(CollectiveModelTest, ChannelsOfFewFastCardsAreDoubled) {
  const auto channels = [](const std::string& platform) {
    return Collectives(platform, 2, 8)
        .choose(kLarge, plan::OperationKind::kAllReduce, CONVOY_ALGORITHM_RING)
        .channels;
  };
  EXPECT_EQ(channels(cards_on_one_socket()), 8u);  // four cards of 50 GB/s
  EXPECT_EQ(channels("hgx-h100x8"), 8u);           // eight
  EXPECT_EQ(channels("ec2-p3dn.24xlarge"), 1u);    // one of 12.5 GB/s
}

// Buffers lie in the memories near the devices: four GPUs of one socket have half of the host's
// memory.
TEST(CollectiveModelTest, DevicesOfOneSocketAreStagedInItsMemoryAlone) {
  const auto overhead = [](std::uint32_t gpus) {
    const simulate::LinkShare memory =
        Collectives("rtx5090x8", 1, gpus).over("memory of host:0", CONVOY_ALGORITHM_RING);
    return memory.weight / memory.bytes;
  };
  EXPECT_NEAR(overhead(4) / overhead(8), 2, 1e-9);
}

// Flags between data are of no use where bytes of a message overtake each other.
TEST(CollectiveModelTest, CardsThatDeliverOutOfOrderLeaveSimpleAlone) {
  EXPECT_EQ(Collectives("ec2-p4d.24xlarge", 1, 8).choose(1 << 10).protocol, Protocol::kLl);
  Collectives between("ec2-p4d.24xlarge", 2, 8);
  for (const double bytes : {1024.0, 1e6, kLarge})
    for (const auto kind : {plan::OperationKind::kAllReduce, plan::OperationKind::kAllGather})
      EXPECT_EQ(between.choose(bytes, kind).protocol, Protocol::kSimple) << bytes;
}

// Two A100 have an NVLink bridge, the third one is behind another root port of an Intel processor,
// which passes on five bytes in the time of six.
TEST(CollectiveModelTest, RootPortsOfIntelProcessorsCostASixth) {
  EXPECT_GT(Collectives("a100-pciex8", 1, 2).bus_rate(8 * kLarge), 150e9);
  const std::string peers = with_peers("a100-pciex8", true);
  EXPECT_NEAR(Collectives(peers, 1, 3).bus_rate(8 * kLarge), 31.508e9 * 0.76 / 1.2, 0.5e9);
}

TEST(CollectiveModelTest, PcieMachinesReduceAtTheRateOfOneLink) {
  const double bus = Collectives("l40sx8", 1, 8).bus_rate(kLarge);
  EXPECT_GT(bus, 15e9);
  EXPECT_LT(bus, 25e9);
}

}  // namespace
}  // namespace convoy::testing
