#include <gtest/gtest.h>

#include "tests/topology/described.hpp"
#include "tests/topology/machine_texts.hpp"
#include "topology/catalogue/catalogue_facts.hpp"
#include "topology/detect/detect.hpp"
#include "topology/graph/graph_edit.hpp"
#include "topology/graph/routes.hpp"
#include "topology/read/hwloc_reader.hpp"
#include "topology/read/nvlink.hpp"

namespace convoy::topology {
namespace {

// Two GPUs on a flat bus, as /sys shows them, and what the driver adds.
Machine machine_with_driver() {
  Machine machine = read_hwloc_xml(flat_bus_xml(2), "hwloc");
  read_nvml(machine, CONVOY_FAKE_NVML);
  return machine;
}

bool has_note(const Machine& machine, const std::string& part) {
  for (const std::string& note : machine.notes)
    if (note.find(part) != std::string::npos) return true;
  return false;
}

TEST(Nvml, LinksBetweenGpusAndOverSwitchesAddUp) {
  const Machine machine = machine_with_driver();
  const auto rates = nvlink_closure(machine);
  ASSERT_EQ(rates.size(), 3u);
  EXPECT_EQ(rates[0][1].bytes_per_second, 300e9) << "12 bricks of NVLink 3";
  EXPECT_EQ(rates[1][0].bytes_per_second, 300e9);
  EXPECT_FALSE(rates[0][2].connected);
}

TEST(Nvml, VersionsAreNotGenerations) {
  Node ampere;
  ampere.id = PciId{0x10de, 0x20b0};
  Node blackwell;
  blackwell.id = PciId{0x10de, 0x2901};
  EXPECT_EQ(nvml_brick_rate(ampere, 1), 20e9);
  for (const unsigned version : {2U, 3U, 4U, 5U, 6U, 7U})
    EXPECT_EQ(nvml_brick_rate(ampere, version), 25e9) << version;
  EXPECT_EQ(nvml_brick_rate(blackwell, 7), 50e9);
}

TEST(Nvml, NamesMemoryAndPeerAccessComeFromTheDriver) {
  const Machine machine = machine_with_driver();
  const std::vector<std::size_t> gpus = nodes_of(machine, NodeKind::gpu);
  EXPECT_EQ(machine.nodes[gpus[0]].model, "NVIDIA A100-SXM4-40GB");
  EXPECT_EQ(machine.nodes[gpus[0]].memory_bytes.value_or(0), 42949672960U);
  ASSERT_EQ(machine.peer_access.size(), 6u);
  for (const PeerAccess& it : machine.peer_access)
    EXPECT_EQ(it.possible.value_or(false), it.from != gpus[2] && it.to != gpus[2])
        << it.from << " to " << it.to;
}

TEST(Nvml, GpusThatOnlyTheDriverShowsAndMigAreNoted) {
  const Machine machine = machine_with_driver();
  const std::vector<std::size_t> gpus = nodes_of(machine, NodeKind::gpu);
  ASSERT_EQ(gpus.size(), 3u);
  EXPECT_TRUE(has_note(machine, "gpu2 is known from the driver only"));
  EXPECT_TRUE(has_note(machine, "gpu1 is split by MIG"));
  EXPECT_EQ(find_route(machine, gpus[0], gpus[2]).kind, RouteKind::host_bridge);
}

TEST(Nvml, AMissingLibraryIsNotedOnlyWhereThereAreNvidiaGpus) {
  Machine with = read_hwloc_xml(flat_bus_xml(2), "hwloc");
  read_nvml(with, "libnonexistent.so");
  EXPECT_TRUE(has_note(with, "libnonexistent.so cannot be used"));
  Machine without = read_hwloc_xml(plain_xml("2.0"), "hwloc");
  read_nvml(without, "libnonexistent.so");
  EXPECT_FALSE(has_note(without, "libnonexistent.so"));
}

TEST(CatalogueFacts, ABoardOfEightHangsOnSwitchesAndTheSourceSaysThatItIsAssumed) {
  Machine machine = convoy::testing::described("hgx-h200x8").machine;
  std::erase_if(machine.links, [](const Link& link) { return link.kind == LinkKind::nvlink; });
  std::erase_if(machine.nodes, [](const Node& node) { return node.kind == NodeKind::nvswitch; });
  add_catalogue_facts(machine, convoy::testing::shared_catalogue());
  EXPECT_EQ(nvlink_closure(machine)[0][7].bytes_per_second, 18 * 25e9);
  EXPECT_TRUE(machine.links.back().a_to_b.source.starts_with("assumed: "))
      << machine.links.back().a_to_b.source;
  EXPECT_TRUE(has_note(machine, "assumed"));
}

TEST(CatalogueFacts, FewerGpusOrKnownLinksGetNone) {
  Machine four = read_hwloc_xml(flat_bus_xml(4), "hwloc");  // V100 SXM2: joined one by one
  const std::size_t links = four.links.size();
  add_catalogue_facts(four, convoy::testing::shared_catalogue());
  EXPECT_EQ(four.links.size(), links);
  EXPECT_TRUE(has_note(four, "no source tells which GPUs it joins"));
  EXPECT_EQ(four.nodes[nodes_of(four, NodeKind::gpu)[0]].memory_bytes.value_or(0), 17179869184U);
  Machine power = read_hwloc_xml(power8_xml("2.0"), "hwloc");
  const auto before = nvlink_closure(power);
  add_catalogue_facts(power, convoy::testing::shared_catalogue());
  EXPECT_EQ(nvlink_closure(power)[0][1].bytes_per_second, before[0][1].bytes_per_second);
}

TEST(CatalogueFacts, LinksOfWhichOnlyTheNumberIsKnownGetTheirRate) {
  Machine machine = convoy::testing::described("dgx1-p100").machine;
  for (Link& link : machine.links)
    if (link.kind == LinkKind::nvlink) link.a_to_b.value = link.b_to_a.value = std::nullopt;
  add_catalogue_facts(machine, convoy::testing::shared_catalogue());
  EXPECT_EQ(nvlink_closure(machine)[0][1].bytes_per_second, 20e9);
}

}  // namespace
}  // namespace convoy::topology
