#include "topology/read/hwloc_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "tests/support/thrown_text.hpp"
#include "tests/topology/machine_texts.hpp"
#include "topology/graph/graph_edit.hpp"
#include "topology/graph/routes.hpp"
#include "topology/graph/uplinks.hpp"
#include "topology/read/hwloc_objects.hpp"
#include "topology/read/nvlink.hpp"
#include "topology/read/pci_class.hpp"
#include "topology/read/read_machine.hpp"

namespace convoy::topology {
namespace {

std::string refusal(const std::string& text) {
  return thrown_text([&] { read_hwloc_xml(text, "file.xml"); }, "accepted");
}

// Class and ids as hwloc writes them.
bool is_gpu_text(const std::string& type) {
  return is_gpu(parse_hwloc_pci_type(type + " [0000:0000] 00"));
}

TEST(PciClass, AdaptersThatComputeAreGpus) {
  for (const char* type :
       {"0300 [10de:2684]", "0302 [10de:1db8]", "0380 [1002:7408]", "1200 [1002:74a1]",
        "0300 [1002:66a1]", "0380 [8086:0bd5]", "0300 [8086:56a0]", "0302 [1ed5:0222]"})
    EXPECT_TRUE(is_gpu_text(type)) << type;
}

// ASPEED, Matrox, Huawei's iBMC, Silicon Motion, XGI; ES1000; Intel's and AMD's processors; QEMU,
// virtio, Hyper-V.
TEST(PciClass, DisplaysOfBoardsProcessorsAndVirtualMachinesAreNone) {
  for (const char* type :
       {"0300 [1a03:2000]", "0300 [102b:0538]", "0300 [19e5:1711]", "0300 [126f:0750]",
        "0300 [18ca:0020]", "0300 [1002:515e]", "0300 [8086:3e98]", "0380 [8086:4680]",
        "0300 [1002:164e]", "0380 [1002:1638]", "0300 [1234:1111]", "0380 [1af4:1050]",
        "0302 [1414:008e]", "0300 [0000:0000]"})
    EXPECT_FALSE(is_gpu_text(type)) << type;
}

class BothVersions : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Hwloc, BothVersions, ::testing::Values("2.0", "3.0"));

TEST_P(BothVersions, FourOfSixteenGpusShareAnUplink) {
  const Machine machine = read_hwloc_xml(dgx2_xml(GetParam()), "dgx2.xml");
  EXPECT_EQ(nodes_of(machine, NodeKind::gpu).size(), 16U);
  EXPECT_EQ(nodes_of(machine, NodeKind::package).size(), 2U);
  std::size_t of_four = 0;
  std::size_t of_two = 0;
  for (const SharedUplink& uplink : shared_uplinks(machine)) {
    if (uplink.gpus.size() == 4) ++of_four;
    if (uplink.gpus.size() == 2) ++of_two;
    EXPECT_NEAR(machine.links[uplink.link].a_to_b.value_or(0), 15.753846e9, 1);
  }
  EXPECT_EQ(of_four, 4U);
  EXPECT_EQ(of_two, 8U);
}

TEST_P(BothVersions, AnyTwoGpusOfSixteenReachEachOtherOverTheSwitches) {
  const Machine machine = read_hwloc_xml(dgx2_xml(GetParam()), "dgx2.xml");
  EXPECT_EQ(nodes_of(machine, NodeKind::nvswitch).size(), 1U);
  const auto rates = nvlink_closure(machine);
  ASSERT_EQ(rates.size(), 16U);
  for (std::size_t i = 0; i < 16; ++i)
    for (std::size_t j = 0; j < 16; ++j)
      if (i != j) {
        EXPECT_EQ(rates[i][j].bytes_per_second, 150e9) << i << " to " << j;
      }
}

TEST_P(BothVersions, DirectLinksOfPairsAndPackagesAreKept) {
  const Machine machine = read_hwloc_xml(power8_xml(GetParam()), "power8.xml");
  const auto rates = nvlink_closure(machine);
  ASSERT_EQ(rates.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j)
      if (i != j) {
        EXPECT_EQ(rates[i][j].bytes_per_second, i / 2 == j / 2 ? 40e9 : 0) << i << " to " << j;
      }
  std::size_t to_packages = 0;
  for (const Link& link : machine.links) {
    if (link.kind != LinkKind::nvlink) continue;
    EXPECT_EQ(link.a_to_b.value_or(0), 40e9);
    EXPECT_EQ(link.count, 2U);
    if (machine.nodes[link.b].kind == NodeKind::package) ++to_packages;
  }
  EXPECT_EQ(to_packages, 4U);
}

TEST_P(BothVersions, ALinkIsAsSlowAsItsSlowerEnd) {
  const Machine machine = read_hwloc_xml(power8_xml(GetParam()), "power8.xml");
  for (const std::size_t gpu : nodes_of(machine, NodeKind::gpu)) {
    const auto link = parent_links(machine)[gpu];
    ASSERT_TRUE(link);
    EXPECT_NEAR(machine.links[*link].a_to_b.value_or(0), 7.876923e9, 1);
    EXPECT_NE(machine.links[*link].a_to_b.source.find("port above"), std::string::npos);
  }
}

TEST_P(BothVersions, AMachineWithoutGpusHasMemoryCoresAndANote) {
  const Machine machine = read_hwloc_xml(plain_xml(GetParam()), "plain.xml");
  const std::vector<std::size_t> memories = nodes_of(machine, NodeKind::numa_node);
  ASSERT_EQ(memories.size(), 1U);
  EXPECT_EQ(machine.nodes[memories[0]].memory_bytes.value_or(0), 810234351616U);
  EXPECT_EQ(machine.nodes[memories[0]].cores.value_or(0), 2U);
  EXPECT_EQ(machine.nodes[memories[0]].processing_units, (std::vector<std::uint32_t>{0, 1}));
  ASSERT_EQ(nodes_of(machine, NodeKind::nic).size(), 1U);
  EXPECT_EQ(machine.nodes[nodes_of(machine, NodeKind::nic)[0]].name, "eth0");
  EXPECT_EQ(machine.notes, std::vector<std::string>{});
  EXPECT_EQ(parse_machine(plain_xml(GetParam()), "plain.xml").notes,
            std::vector<std::string>{"no GPU was found"});
}

// The kernel keeps the rates of InfiniBand under the RDMA device's name.
TEST_P(BothVersions, ACardIsNamedByItsRdmaDeviceRatherThanItsInterface) {
  const Machine machine = read_hwloc_xml(rdma_card_xml(GetParam()), "cards.xml");
  const std::vector<std::size_t> cards = nodes_of(machine, NodeKind::nic);
  ASSERT_EQ(cards.size(), 1U);
  EXPECT_EQ(machine.nodes[cards[0]].name, "mlx5_0");
  EXPECT_TRUE(machine.nodes[cards[0]].rdma.value_or(false));
}

TEST(HwlocReader, SpeedsOfAFlatBusAreUnknown) {
  const Machine machine = parse_machine(flat_bus_xml(8), "vm.xml");
  EXPECT_TRUE(machine.virtual_machine.value_or(false));
  EXPECT_TRUE(shared_uplinks(machine).empty());
  for (const Link& link : machine.links)
    if (link.kind == LinkKind::pcie) {
      EXPECT_FALSE(link.a_to_b.known());
    }
  ASSERT_EQ(machine.notes.size(), 2U);
  EXPECT_NE(machine.notes[0].find("flat bus"), std::string::npos);
}

TEST(HwlocReader, RatesThatOldHwlocDoublesAreHalved) {
  for (const auto& [hwloc, megabytes] :
       {std::pair("2.9.0", 600000U), std::pair("2.10.0", 300000U)}) {
    const Machine machine = read_hwloc_xml(a100_pair_xml(hwloc, megabytes), "a100.xml");
    EXPECT_EQ(nvlink_closure(machine)[0][1].bytes_per_second, 300e9) << hwloc;
    const bool says_so =
        machine.links.back().a_to_b.source.find("halved") != std::string::npos ||
        machine.links[machine.links.size() - 2].a_to_b.source.find("halved") != std::string::npos;
    EXPECT_EQ(says_so, megabytes == 600000U) << hwloc;
  }
}

TEST(HwlocReader, TooMuchForAllBricksIsHalvedWhateverTheVersion) {
  for (const char* hwloc : {"2.5.0", "2.8.1", "unknown"}) {
    const Machine machine = read_hwloc_xml(a100_pair_xml(hwloc, 600000), "a100.xml");
    EXPECT_EQ(nvlink_closure(machine)[0][1].bytes_per_second, 300e9) << hwloc;
  }
}

// Half of the bricks: their doubled rate is no more than a GPU can have.
TEST(HwlocReader, OldVersionsAreHalvedAlsoWhereTheRateIsPossible) {
  const Machine old = read_hwloc_xml(a100_pair_xml("2.7.1", 300000), "a100.xml");
  EXPECT_EQ(nvlink_closure(old)[0][1].bytes_per_second, 150e9);
  const Machine fixed = read_hwloc_xml(a100_pair_xml("2.9.1", 300000), "a100.xml");
  EXPECT_EQ(nvlink_closure(fixed)[0][1].bytes_per_second, 300e9);
}

TEST(HwlocReader, OldVersionsUnderstateFastGpusThatThePortAboveKnowsBetter) {
  for (const auto& [hwloc, rate] : {std::pair("2.9.0", 31.5), std::pair("2.11.0", 15.753846)}) {
    const Machine machine = read_hwloc_xml(port_and_gpu_xml(hwloc, 31.5, 15.753846), "a100.xml");
    const std::size_t gpu = nodes_of(machine, NodeKind::gpu)[0];
    const Link& link = machine.links[*parent_links(machine)[gpu]];
    EXPECT_NEAR(link.a_to_b.value_or(0), rate * 1e9, 1) << hwloc;
  }
}

TEST(HwlocReader, DataPassFromPowersMemoryOverNvlinkNotPcie) {
  const Machine machine = read_hwloc_xml(power8_xml("3.0"), "power8.xml");
  const Route route = find_route(machine, nodes_of(machine, NodeKind::gpu)[0],
                                 nodes_of(machine, NodeKind::numa_node)[0]);
  EXPECT_EQ(route.kind, RouteKind::nvlink);
  EXPECT_EQ(route.bytes_per_second, 40e9);
}

TEST(HwlocReader, AThousandGpusAreRead) {
  const Machine machine = read_hwloc_xml(flat_bus_xml(1000), "many.xml");
  EXPECT_EQ(nodes_of(machine, NodeKind::gpu).size(), 1000U);
}

TEST(HwlocReader, SetsOfMoreProcessorsThanLinuxKnowsAreNotBelieved) {
  std::string set = "0xffffffff";
  for (int word = 1; word < 256; ++word) set += ",0xffffffff";
  EXPECT_EQ(parse_hwloc_set(set).size(), 8192U);
  EXPECT_TRUE(parse_hwloc_set(set + ",0xffffffff").empty());
  EXPECT_EQ(parse_hwloc_set("0x1,,0x2"), [] {
    std::vector<bool> units(65);
    units[1] = units[64] = true;
    return units;
  }());
}

TEST(HwlocReader, NodesComeAfterTheirParents) {
  for (const std::string& text : {dgx2_xml("2.0"), power8_xml("3.0"), flat_bus_xml(3)}) {
    const Machine machine = read_hwloc_xml(text, "file.xml");
    for (std::size_t i = 0; i < machine.nodes.size(); ++i)
      if (machine.nodes[i].parent) {
        EXPECT_LT(*machine.nodes[i].parent, i);
      }
  }
}

TEST(HwlocReader, DamagedTextIsRefusedWithTheReason) {
  const std::string good = dgx2_xml("2.0");
  EXPECT_THAT(refusal(good.substr(0, good.size() / 2)), ::testing::HasSubstr("truncated"));
  EXPECT_THAT(refusal(dgx2_xml("4.0")), ::testing::HasSubstr("version '4.0'"));
  EXPECT_THAT(refusal("<topology><object type='Machine'/></topology>"),
              ::testing::HasSubstr("version '1'"));
  EXPECT_THAT(refusal("<topology version='2.0'/>"), ::testing::HasSubstr("no object of type"));
  EXPECT_THAT(refusal("<html/>"), ::testing::HasSubstr("<html>"));
  EXPECT_THAT(refusal("<topology version='2.0'><object type='Machine'><object type='PCIDev' "
                      "pci_busid='0000:01:00.0'/></object></topology>"),
              ::testing::HasSubstr("without the bridge above"));
}

TEST(HwlocReader, TextNestedWithoutEndIsRefused) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "<object type='Group'>";
  std::string whole = "<topology version='2.0'>" + text;
  for (int i = 0; i < 100000; ++i) whole += "</object>";
  EXPECT_THAT(refusal(whole + "</topology>"), ::testing::HasSubstr("nested deeper"));
}

}  // namespace
}  // namespace convoy::topology
