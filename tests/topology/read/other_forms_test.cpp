#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "core/base/error.hpp"
#include "tests/support/thrown_text.hpp"
#include "tests/topology/described.hpp"
#include "tests/topology/machine_texts.hpp"
#include "topology/catalogue/catalogue_facts.hpp"
#include "topology/graph/graph_edit.hpp"
#include "topology/graph/uplinks.hpp"
#include "topology/read/hwloc_reader.hpp"
#include "topology/read/machine_json.hpp"
#include "topology/read/nccl_reader.hpp"
#include "topology/read/nvlink.hpp"
#include "topology/read/read_machine.hpp"
#include "topology/write/hwloc_writer.hpp"

namespace convoy::topology {
namespace {

std::string refusal_of(const std::string& text) {
  return thrown_text([&] { parse_machine(text, "file"); }, "accepted");
}

const std::string kDump =
    "<system version=\"1\">\n<cpu numaid=\"0\" arch=\"x86_64\">\n"
    "<pci busid=\"0000:19:00.0\" class=\"0x060400\" link_speed=\"8.0 GT/s PCIe\" "
    "link_width=\"16\">\n"
    "<pci busid=\"0000:1a:00.0\" class=\"0x030200\" link_speed=\"8.0 GT/s PCIe\" "
    "link_width=\"16\">\n"
    "<gpu dev=\"0\" sm=\"70\" rank=\"0\"><nvlink target=\"0000:1b:00.0\" count=\"2\" "
    "tclass=\"0x030200\"/></gpu></pci>\n"
    "<pci busid=\"0000:1b:00.0\" class=\"0x030200\" link_speed=\"\" link_width=\"0\">\n"
    "<gpu dev=\"1\" sm=\"70\" rank=\"1\"><nvlink target=\"0000:1a:00.0\" count=\"2\" "
    "tclass=\"0x030200\"/></gpu></pci>\n</pci>\n</cpu>\n</system>\n";

const std::string kMatrix =
    "\t\x1b[4mGPU0\tGPU1\tGPU2\tGPU3\tmlx5_0\tCPU Affinity\tNUMA Affinity\x1b[0m\n"
    "GPU0\t X \tPIX\tSYS\tSYS\tPHB\t0-9\t0\n"
    "GPU1\tPIX\t X \tSYS\tSYS\tPHB\t0-9\t0\n"
    "GPU2\tSYS\tSYS\t X \tNV2\tSYS\t10-19\t1\n"
    "GPU3\tSYS\tSYS\tNV2\t X \tSYS\t10-19\t1\n"
    "mlx5_0\tPHB\tPHB\tSYS\tSYS\t X \n\nLegend:\n\n  X    = Self\n";

TEST(MachineJson, ReadsBackExactlyWhatWasWritten) {
  for (const std::string& text : {dgx2_xml("3.0"), power8_xml("2.0"), flat_bus_xml(4), kDump}) {
    const Machine machine = parse_machine(text, "a file");
    const std::string written = machine_to_json(machine).dump();
    const Machine again = parse_machine(written, "machine.json");
    EXPECT_EQ(machine_to_json(again).dump(), written);
    ASSERT_EQ(again.links.size(), machine.links.size());
    for (std::size_t i = 0; i < machine.links.size(); ++i)
      EXPECT_EQ(again.links[i].a_to_b.value, machine.links[i].a_to_b.value);
  }
}

TEST(OtherForms, SayWhatToWriteInThePlaceOfTheTextOfRocmSmi) {
  EXPECT_THAT(refusal_of("==== ROCm System Management Interface ====\n       GPU0         GPU1\n"
                         "GPU0   0            15\nGPU1   15           0\n"),
              ::testing::HasSubstr("lstopo --of xml"));
}

TEST(MachineJson, RefusesWhatIsNoMachine) {
  nlohmann::ordered_json good = machine_to_json(parse_machine(power8_xml("2.0"), "a file"));
  const auto with = [&](const char* pointer, const nlohmann::ordered_json& value) {
    nlohmann::ordered_json changed = good;
    changed[nlohmann::ordered_json::json_pointer(pointer)] = value;
    return refusal_of(changed.dump());
  };
  EXPECT_THAT(with("/nodes/3/parent", 3), ::testing::HasSubstr("/nodes/3/parent"));
  EXPECT_THAT(with("/nodes/3/parent", 99999999), ::testing::HasSubstr("/nodes/3/parent"));
  EXPECT_THAT(with("/links/2/a_to_b/value", -1.0), ::testing::HasSubstr("negative"));
  EXPECT_THAT(with("/links/0/b", 5000), ::testing::HasSubstr("nodes"));
  EXPECT_THAT(with("/nodes", nlohmann::ordered_json::array()), ::testing::HasSubstr("is empty"));
  EXPECT_THAT(with("/host_constants", "broadwell"), ::testing::HasSubstr("--platform=file"));
  EXPECT_THAT(with("/format", "other"), ::testing::HasSubstr("'convoy machine 1'"));
  EXPECT_THAT(refusal_of(good.dump().substr(0, 200)), ::testing::HasSubstr("truncated"));
  EXPECT_THAT(refusal_of("{}"), ::testing::HasSubstr("lacks the field format"));
}

TEST(NcclDump, GivesSwitchesAndNvlinkAndLeavesEmptySpeedsUnknown) {
  const Machine machine = parse_machine(kDump, "dump.xml");
  const std::vector<std::size_t> gpus = nodes_of(machine, NodeKind::gpu);
  ASSERT_EQ(gpus.size(), 2U);
  EXPECT_NEAR(machine.links[*parent_links(machine)[gpus[0]]].a_to_b.value_or(0), 15.754e9, 1e6);
  EXPECT_FALSE(machine.links[*parent_links(machine)[gpus[1]]].a_to_b.known());
  EXPECT_EQ(nvlink_closure(machine)[0][1].bytes_per_second, 50e9);
  ASSERT_EQ(shared_uplinks(machine).size(), 1U);
}

TEST(NcclDump, LinksToPowersProcessorsAreNoSwitches) {
  std::string text = kDump;
  for (std::size_t at = 0; (at = text.find("tclass=\"0x030200\"", at)) != std::string::npos;)
    text.replace(at, 17, "tclass=\"0x068001\"");
  const Machine machine = parse_machine(text, "dump.xml");
  EXPECT_TRUE(nodes_of(machine, NodeKind::nvswitch).empty());
  std::size_t to_packages = 0;
  for (const Link& link : machine.links)
    if (link.kind == LinkKind::nvlink && machine.nodes[link.a].kind == NodeKind::package)
      ++to_packages;
  EXPECT_EQ(to_packages, 2U);
}

TEST(NcclDump, TellsTheProcessorByFamilyAndModel) {
  std::string text = kDump;
  text.replace(text.find("arch="), 0, "vendor=\"GenuineIntel\" familyid=\"6\" modelid=\"143\" ");
  const Machine machine = parse_machine(text, "dump.xml");
  const std::string& model = machine.nodes[nodes_of(machine, NodeKind::package)[0]].model;
  const Catalogue catalogue = convoy::testing::shared_catalogue();
  const HostEntry* host = catalogue.find_host(model);
  ASSERT_NE(host, nullptr) << model;
  EXPECT_EQ(host->name, "sapphire-rapids");
}

// As RCCL's and Azure's dumps have them.
TEST(NcclDump, HasFamiliesOfAmdInItsOwnNumbers) {
  for (const auto& [number, expected] : {std::pair{"143", "AuthenticAMD (family 23, model 49)"},
                                         std::pair{"175", "AuthenticAMD (family 25, model 49)"},
                                         std::pair{"23", "AuthenticAMD (family 23, model 49)"}}) {
    std::string text = kDump;
    text.replace(
        text.find("arch="), 0,
        std::string("vendor=\"AuthenticAMD\" familyid=\"") + number + "\" modelid=\"49\" ");
    const Machine machine = parse_machine(text, "dump.xml");
    EXPECT_EQ(machine.nodes[nodes_of(machine, NodeKind::package)[0]].model, expected);
  }
}

TEST(NcclDump, AnExportedMachineKeepsItsLinks) {
  for (const std::string& text : {dgx2_xml("2.0"), power8_xml("2.0"), kDump}) {
    const Machine machine = parse_machine(text, "a file");
    const Machine again = parse_machine(convoy::testing::written_nccl_dump(machine), "dump.xml");
    EXPECT_EQ(shared_uplinks(again).size(), shared_uplinks(machine).size());
    const auto before = nvlink_closure(machine);
    const auto after = nvlink_closure(again);
    ASSERT_EQ(after.size(), before.size());
    for (std::size_t i = 0; i < before.size(); ++i)
      for (std::size_t j = 0; j < before.size(); ++j)
        EXPECT_EQ(after[i][j].bytes_per_second, before[i][j].bytes_per_second) << i << " " << j;
  }
}

TEST(NcclDump, TellsTheSpeedOfEveryPortAndIsWrittenWithThem) {
  const std::string text =
      "<system version=\"1\"><cpu numaid=\"0\">"
      "<pci busid=\"0000:03:00.0\" class=\"0x020000\" link_speed=\"\" link_width=\"0\"><nic>"
      "<net name=\"mlx5_0\" port=\"1\" speed=\"100000\"/><net name=\"mlx5_0\" port=\"2\" "
      "speed=\"100000\"/></nic></pci>"
      "<nic><net name=\"eth0\" speed=\"-1\"/></nic></cpu></system>";
  const Machine machine = parse_machine(text, "dump.xml");
  const std::vector<std::size_t> cards = nodes_of(machine, NodeKind::nic);
  ASSERT_EQ(cards.size(), 2U);
  EXPECT_DOUBLE_EQ(machine.nodes[cards[0]].network_bytes_per_second.value_or(0), 25e9);
  EXPECT_FALSE(machine.nodes[cards[1]].network_bytes_per_second.known());
  const Machine again = parse_machine(convoy::testing::written_nccl_dump(machine), "again.xml");
  const std::size_t card = nodes_of(again, NodeKind::nic)[0];
  EXPECT_EQ(again.nodes[card].name, "mlx5_0");
  EXPECT_DOUBLE_EQ(again.nodes[card].network_bytes_per_second.value_or(0), 25e9);
}

std::string all_notes(const Machine& machine) {
  std::string notes;
  for (const std::string& note : machine.notes) notes += note + '\n';
  return notes;
}

TEST(NcclDump, BridgesAndContainersCablesAreNoCards) {
  const std::string text =
      "<system version=\"1\"><cpu numaid=\"0\">"
      "<nic><net name=\"eth0\" speed=\"10000\"/></nic>"
      "<nic><net name=\"docker0\" speed=\"10000\"/><net name=\"veth12ab\" speed=\"10000\"/>"
      "</nic><nic><net name=\"br-1f2e\" speed=\"10000\"/></nic></cpu></system>";
  const Machine machine = parse_machine(text, "dump.xml");
  const std::vector<std::size_t> cards = nodes_of(machine, NodeKind::nic);
  ASSERT_EQ(cards.size(), 1U);
  EXPECT_EQ(machine.nodes[cards[0]].name, "eth0");
  EXPECT_THAT(all_notes(machine), ::testing::HasSubstr("docker0, veth12ab, br-1f2e left out"));
}

TEST(NcclDump, LinksToTheProcessorsMemoryAreRead) {
  const std::string text =
      "<system version=\"1\"><cpu numaid=\"0\" arch=\"arm64\">"
      "<pci busid=\"0000:01:00.0\" class=\"0x030200\" link_speed=\"\" link_width=\"0\">"
      "<gpu dev=\"0\" sm=\"90\"><c2c bw=\"44700\" count=\"10\"/></gpu></pci></cpu></system>";
  const Machine machine = parse_machine(text, "dump.xml");
  const auto link = std::find_if(machine.links.begin(), machine.links.end(),
                                 [](const Link& it) { return it.kind == LinkKind::c2c; });
  ASSERT_NE(link, machine.links.end());
  EXPECT_DOUBLE_EQ(link->a_to_b.value_or(0), 447e9);
  EXPECT_EQ(machine.nodes[link->b].kind, NodeKind::package);
  // NCCL names no processors of ARM, but only Grace has such links.
  EXPECT_EQ(machine.nodes[link->b].model, "NVIDIA Grace");
}

// GeForce RTX 3090 and RTX A6000: their links are slower than those of A100.
TEST(NcclDump, BricksAreAsFastAsTheArchitectureHasThem) {
  const auto rate = [](const char* architecture) {
    const std::string gpu = std::string("<gpu dev=\"0\" sm=\"") + architecture + "\">";
    const Machine machine = parse_machine(
        "<system version=\"1\"><cpu numaid=\"0\">"
        "<pci busid=\"0000:01:00.0\" class=\"0x030200\">" +
            gpu + "<nvlink target=\"0000:02:00.0\" count=\"4\" tclass=\"0x030200\"/></gpu></pci>" +
            "<pci busid=\"0000:02:00.0\" class=\"0x030200\">" + gpu +
            "<nvlink target=\"0000:01:00.0\" count=\"4\" tclass=\"0x030200\"/></gpu></pci>"
            "</cpu></system>",
        "dump.xml");
    return nvlink_closure(machine)[0][1].bytes_per_second;
  };
  EXPECT_DOUBLE_EQ(rate("60"), 80e9);
  EXPECT_DOUBLE_EQ(rate("80"), 100e9);
  EXPECT_DOUBLE_EQ(rate("86"), 56.25e9);
  EXPECT_DOUBLE_EQ(rate("100"), 200e9);
}

// As RCCL writes them of MI300X, whose sm is the number of compute units.
TEST(NcclDump, LinksOfAmdGpusAreRead) {
  const auto gpu = [](const char* bus, const char* other) {
    return fmt::format(
        "<pci busid=\"{}\" class=\"0x120000\" vendor=\"0x1002\" device=\"0x74a1\" "
        "link_speed=\"32.0 GT/s PCIe\" link_width=\"16\"><gpu dev=\"0\" sm=\"304\" gcn=\"gfx942\">"
        "<xgmi target=\"{}\" count=\"1\" tclass=\"0x120000\"/></gpu></pci>",
        bus, other);
  };
  const std::string text = "<system version=\"2\"><cpu numaid=\"0\">" +
                           gpu("0000:0c:00.0", "0000:15:00.0") +
                           gpu("0000:15:00.0", "0000:0c:00.0") + "</cpu></system>";
  Machine machine = parse_machine(text, "dump.xml");
  EXPECT_TRUE(nvlink_closure(machine)[0][1].connected);
  EXPECT_FALSE(nvlink_closure(machine)[0][1].known);
  const Catalogue catalogue = convoy::testing::shared_catalogue();
  add_catalogue_facts(machine, catalogue);
  const DeviceEntry* entry = catalogue.find_device("AMD Instinct MI300X");
  ASSERT_NE(entry, nullptr);
  const double brick = entry->nvlink_bytes_per_second.value_or(0);
  EXPECT_GT(brick, 0);
  EXPECT_EQ(nvlink_closure(machine)[0][1].bytes_per_second, brick);
  EXPECT_EQ(nvlink_closure(machine)[1][0].bytes_per_second, brick);
  EXPECT_THAT(all_notes(machine), ::testing::Not(::testing::HasSubstr("none is assumed")));
}

TEST(NcclDump, DumpsWithoutDeviceIdsSaySo) {
  EXPECT_THAT(all_notes(parse_machine(kDump, "dump.xml")),
              ::testing::HasSubstr("does not say which kind 2 of its GPUs are"));
}

// As Azure has them for its virtual machines with A100: no <gpu>, no vendor.
TEST(NcclDump, ClassesTellTheGpusOfFilesWrittenBeforehand) {
  const Machine machine = parse_machine(
      "<system version=\"1\"><cpu numaid=\"0\">"
      "<pci busid=\"ffff:ff:01.0\" class=\"0x060400\" link_speed=\"16 GT/s\" link_width=\"16\">"
      "<pci busid=\"0003:00:00.0\" class=\"0x030200\" link_speed=\"16 GT/s\" link_width=\"16\"/>"
      "<pci busid=\"0103:00:00.0\" class=\"0x020700\" link_speed=\"16 GT/s\" link_width=\"16\"/>"
      "<pci busid=\"0004:00:00.0\" class=\"0x030200\" link_speed=\"16 GT/s\" link_width=\"16\"/>"
      "</pci></cpu></system>",
      "topo.xml");
  EXPECT_EQ(nodes_of(machine, NodeKind::gpu).size(), 2U);
  EXPECT_EQ(nodes_of(machine, NodeKind::nic).size(), 1U);
  EXPECT_THAT(all_notes(machine),
              ::testing::HasSubstr("does not say which kind 2 of its GPUs are"));
}

// A server's management board: ES1000, ASPEED, Matrox.
TEST(NcclDump, ManagementDisplaysAreNoGpus) {
  for (const char* ids : {"vendor=\"0x1002\" device=\"0x515e\"",
                          "vendor=\"0x1a03\" "
                          "device=\"0x2000\"",
                          "vendor=\"0x102b\" device=\"0x0536\"", ""}) {
    const std::string text =
        "<system version=\"1\"><cpu numaid=\"0\"><pci busid=\"0000:01:00.0\" "
        "class=\"0x030000\" " +
        std::string(ids) + "/></cpu></system>";
    EXPECT_TRUE(nodes_of(parse_machine(text, "dump.xml"), NodeKind::gpu).empty()) << ids;
  }
}

TEST(NcclDump, RefusesDamage) {
  EXPECT_THAT(refusal_of(kDump.substr(0, 400)), ::testing::HasSubstr("truncated"));
  EXPECT_THAT(refusal_of("<system version=\"9\"/>"), ::testing::HasSubstr("version '9'"));
  EXPECT_THAT(refusal_of("<system version=\"1\"/>"), ::testing::HasSubstr("no <cpu>"));
  EXPECT_THAT(refusal_of("<system><cpu><pci busid=\"x\"/></cpu></system>"),
              ::testing::HasSubstr("not a PCI address"));
}

TEST(HwlocWriter, AnExportedMachineKeepsItsLinks) {
  for (const std::string& text : {power8_xml("3.0"), dgx2_xml("2.0"), kDump}) {
    const Machine machine = parse_machine(text, "a file");
    const Machine again = parse_machine(write_hwloc_xml(machine), "lstopo.xml");
    EXPECT_EQ(nodes_of(again, NodeKind::gpu).size(), nodes_of(machine, NodeKind::gpu).size());
    EXPECT_EQ(nvlink_closure(again)[0][1].bytes_per_second,
              nvlink_closure(machine)[0][1].bytes_per_second);
  }
}

TEST(HwlocWriter, HyperthreadsShareTheirCores) {
  Machine machine;
  machine.source = "hand";
  const std::size_t host = append_node(machine, NodeKind::host, "host0", {});
  const std::size_t package = append_node(machine, NodeKind::package, "package0", host);
  const std::size_t memory = append_node(machine, NodeKind::numa_node, "numa0", package);
  machine.nodes[package].cores = {8, "hand"};
  machine.nodes[memory].cores = {8, "hand"};
  for (std::uint32_t unit = 0; unit < 16; ++unit)
    machine.nodes[memory].processing_units.push_back(unit);
  const std::string xml = write_hwloc_xml(machine);
  const auto count = [&](const std::string& what) {
    std::size_t found = 0;
    for (std::size_t at = xml.find(what); at != std::string::npos; at = xml.find(what, at + 1))
      ++found;
    return found;
  };
  EXPECT_EQ(count("type=\"Core\""), 8U);
  EXPECT_EQ(count("type=\"PU\""), 16U);
  const Machine again = parse_machine(xml, "lstopo.xml");
  EXPECT_EQ(again.nodes[nodes_of(again, NodeKind::package)[0]].cores.value_or(0), 8U);
}

TEST(NvidiaSmi, TheMatrixGivesGroupsAndBricksButNoSpeeds) {
  const Machine machine = parse_machine(kMatrix, "topo.txt");
  EXPECT_EQ(nodes_of(machine, NodeKind::package).size(), 2U);
  EXPECT_EQ(nodes_of(machine, NodeKind::gpu).size(), 4U);
  EXPECT_EQ(nodes_of(machine, NodeKind::nic).size(), 1U);
  const std::vector<SharedUplink> shared = shared_uplinks(machine);
  ASSERT_EQ(shared.size(), 1U);
  EXPECT_EQ(machine.nodes[shared[0].gpus[0]].name, "gpu0");
  EXPECT_EQ(machine.nodes[shared[0].gpus[1]].name, "gpu1");
  const auto rates = nvlink_closure(machine);
  EXPECT_TRUE(rates[2][3].connected);
  EXPECT_FALSE(rates[2][3].known);
  EXPECT_FALSE(rates[0][1].connected);
  for (const std::string& note : machine.notes)
    EXPECT_EQ(note.find("flat bus"), std::string::npos) << note;
}

// Without a NUMA column: GPUs with NVLink to all others, on the processors they share.
TEST(NvidiaSmi, ProcessorsTellThePackagesWhereNoNumaNodesDo) {
  const Machine machine = parse_machine(
      "\tGPU0\tGPU1\tGPU2\tGPU3\tCPU Affinity\n"
      "GPU0\t X \tNV2\tNV2\tNV2\t0-19,40-59\nGPU1\tNV2\t X \tNV2\tNV2\t0-19,40-59\n"
      "GPU2\tNV2\tNV2\t X \tNV2\t20-39,60-79\nGPU3\tNV2\tNV2\tNV2\t X \t20-39,60-79\n",
      "topo.txt");
  EXPECT_EQ(nodes_of(machine, NodeKind::package).size(), 2U);
}

// As containers and virtual machines show them: where affinities are N/A, cards tell.
TEST(NvidiaSmi, WithoutAffinitiesGpusAreOnePackageUnlessCardsTellThemApart) {
  const Machine together = parse_machine(
      "\tGPU0\tGPU1\tGPU2\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
      "GPU0\t X \tNV12\tNV12\tN/A\tN/A\tN/A\nGPU1\tNV12\t X \tNV12\tN/A\tN/A\tN/A\n"
      "GPU2\tNV12\tNV12\t X \tN/A\tN/A\tN/A\n",
      "topo.txt");
  EXPECT_EQ(nodes_of(together, NodeKind::package).size(), 1U);
  EXPECT_EQ(nodes_of(together, NodeKind::numa_node).size(), 1U);
  const Machine apart = parse_machine(
      "\tGPU0\tGPU1\tGPU2\tNIC0\tNIC1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
      "GPU0\t X \tNV12\tNV12\tPXB\tSYS\tN/A\tN/A\tN/A\n"
      "GPU1\tNV12\t X \tNV12\tNODE\tSYS\tN/A\tN/A\tN/A\n"
      "GPU2\tNV12\tNV12\t X \tSYS\tPIX\tN/A\tN/A\tN/A\n"
      "NIC0\tPXB\tNODE\tSYS\t X \tSYS\nNIC1\tSYS\tSYS\tPIX\tSYS\t X \n",
      "topo.txt");
  EXPECT_EQ(nodes_of(apart, NodeKind::package).size(), 2U);
  const auto package_of = [&](std::string_view name) {
    std::size_t node = 0;
    while (apart.nodes[node].name != name) ++node;
    while (apart.nodes[node].kind != NodeKind::package) node = *apart.nodes[node].parent;
    return node;
  };
  EXPECT_EQ(package_of("gpu0"), package_of("gpu1"));
  EXPECT_NE(package_of("gpu0"), package_of("gpu2"));
  EXPECT_EQ(package_of("gpu2"), package_of("NIC1"));
}

TEST(NvidiaSmi, TheLegendNamesTheCards) {
  const Machine machine = parse_machine(
      "\tGPU0\tNIC0\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tPIX\t0-9\t0\nNIC0\tPIX\t X \n\n"
      "Legend:\n\n  X    = Self\n\nNIC Legend:\n\n  NIC0: mlx5_3\n",
      "topo.txt");
  const std::vector<std::size_t> cards = nodes_of(machine, NodeKind::nic);
  ASSERT_EQ(cards.size(), 1U);
  EXPECT_EQ(machine.nodes[cards[0]].name, "mlx5_3");
  EXPECT_TRUE(machine.nodes[cards[0]].rdma.value_or(false));
}

// The matrix does not say which GPUs these are, so that they would have no rates.
TEST(NvidiaSmi, TheListOfGpusNamesThem) {
  std::string list;
  for (int gpu = 0; gpu < 4; ++gpu)
    list += fmt::format("GPU {}: NVIDIA A100-SXM4-40GB (UUID: GPU-8932f937-d72c-{})\n", gpu, gpu);
  const Catalogue catalogue = convoy::testing::shared_catalogue();
  for (const std::string& text : {list + kMatrix, fmt::format("{}\n{}", kMatrix, list)}) {
    const Machine machine = parse_machine(text, "matrix.txt");
    const std::vector<std::size_t> gpus = nodes_of(machine, NodeKind::gpu);
    ASSERT_EQ(gpus.size(), 4u);
    for (const std::size_t gpu : gpus) {
      EXPECT_EQ(machine.nodes[gpu].model, "NVIDIA A100-SXM4-40GB");
      EXPECT_NE(catalogue.find_device(machine.nodes[gpu]), nullptr);
    }
  }
}

// What nvidia-smi -L and topo -m print of so many GPUs with as many links between every two.
Machine machine_of_smi(int gpus, int bricks, const std::string& model) {
  std::string list;
  std::string header;
  std::string rows;
  for (int i = 0; i < gpus; ++i) {
    if (!model.empty()) list += fmt::format("GPU {}: {} (UUID: GPU-8932f937-{})\n", i, model, i);
    header += fmt::format("\tGPU{}", i);
    rows += fmt::format("GPU{}", i);
    for (int j = 0; j < gpus; ++j)
      rows += i == j ? std::string("\t X ") : fmt::format("\tNV{}", bricks);
    rows += "\t0-31\t0\n";
  }
  Machine machine =
      parse_machine(list + header + "\tCPU Affinity\tNUMA Affinity\n" + rows, "matrix.txt");
  add_catalogue_facts(machine, convoy::testing::shared_catalogue());
  return machine;
}

std::vector<Link> nvlinks_of(const Machine& machine) {
  std::vector<Link> result;
  std::ranges::copy_if(machine.links, std::back_inserter(result),
                       [](const Link& link) { return link.kind == LinkKind::nvlink; });
  return result;
}

// The table shows all links of a GPU towards each GPU behind the switches.
TEST(NvidiaSmi, MoreLinksThanAGpuHasLeadToSwitches) {
  struct Board {
    int gpus;
    int bricks;
    const char* model;
    double rate;  // of all bricks of a GPU; 0 = unknown
  };
  const Board boards[] = {{8, 18, "NVIDIA H100 80GB HBM3", 450e9},
                          {8, 12, "NVIDIA A100-SXM4-40GB", 300e9},
                          {3, 6, "Tesla V100-SXM3-32GB", 150e9},
                          {4, 18, "", 0}};
  for (const Board& board : boards) {
    SCOPED_TRACE(board.model);
    const Machine machine = machine_of_smi(board.gpus, board.bricks, board.model);
    const std::vector<std::size_t> switches = nodes_of(machine, NodeKind::nvswitch);
    ASSERT_EQ(switches.size(), 1U);
    const std::vector<Link> links = nvlinks_of(machine);
    ASSERT_EQ(links.size(), static_cast<std::size_t>(board.gpus));
    for (const Link& link : links) {
      EXPECT_EQ(link.b, switches.front());
      EXPECT_EQ(link.count, static_cast<std::uint32_t>(board.bricks));
      EXPECT_EQ(link.a_to_b.value_or(0), board.rate);
      EXPECT_EQ(link.b_to_a.value_or(0), board.rate);
    }
    EXPECT_THAT(all_notes(machine), ::testing::HasSubstr("hang on NVSwitches"));
  }
}

TEST(NvidiaSmi, LinksThatAGpuHasStayBetweenTheGpus) {
  for (const Machine& machine :
       {machine_of_smi(4, 6, "NVIDIA H100 80GB HBM3"),
        machine_of_smi(4, 4, "NVIDIA A100-SXM4-40GB"), machine_of_smi(4, 6, ""),
        machine_of_smi(2, 12, "NVIDIA A100 80GB PCIe")}) {
    EXPECT_TRUE(nodes_of(machine, NodeKind::nvswitch).empty());
    const std::size_t gpus = nodes_of(machine, NodeKind::gpu).size();
    EXPECT_EQ(nvlinks_of(machine).size(), gpus * (gpus - 1) / 2);
    EXPECT_THAT(all_notes(machine), ::testing::Not(::testing::HasSubstr("NVSwitches")));
  }
}

TEST(NvidiaSmi, AnyTerminalSequenceIsLeftOut) {
  const Machine machine = parse_machine(
      "\t\x1b[4mGPU0\x1b[K\tGPU1\x1b(B\x1b[m\tCPU Affinity\n"
      "GPU0\t X \tPIX\t0-9\nGPU1\tPIX\t X \t0-9\n",
      "topo.txt");
  EXPECT_EQ(nodes_of(machine, NodeKind::gpu).size(), 2U);
}

TEST(NvidiaSmi, BoardsWithoutSwitchesAreNoVirtualMachines) {
  const Machine machine = parse_machine(
      "\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tPHB\t0-9\nGPU1\tPHB\t X \t0-9\n", "topo.txt");
  for (const std::string& note : machine.notes)
    EXPECT_EQ(note.find("virtual machine"), std::string::npos) << note;
}

TEST(NvidiaSmi, RowsThatContradictEachOtherAreRefused) {
  std::string changed = kMatrix;
  changed.replace(changed.find("PIX"), 3, "SYS");
  EXPECT_THAT(refusal_of(changed), ::testing::HasSubstr("the row of GPU1 says otherwise"));
}

TEST(NvidiaSmi, RefusesACutOrStrangeTable) {
  EXPECT_THAT(refusal_of(kMatrix.substr(0, 120)), ::testing::HasSubstr("again"));
  std::string strange = kMatrix;
  strange.replace(strange.find("PIX"), 3, "XYZ");
  EXPECT_THAT(refusal_of(strange), ::testing::HasSubstr("'XYZ'"));
  EXPECT_THAT(refusal_of("hello"), ::testing::HasSubstr("neither"));
  EXPECT_THAT(refusal_of(""), ::testing::HasSubstr("empty"));
}

}  // namespace
}  // namespace convoy::topology
