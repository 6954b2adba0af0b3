#include "topology/detect/detect.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <sstream>

#include "core/base/error.hpp"
#include "core/cli/verbs/verbs.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/topology/described.hpp"
#include "tests/topology/machine_texts.hpp"
#include "topology/graph/graph_edit.hpp"
#include "topology/read/hwloc_reader.hpp"
#include "topology/read/xml_document.hpp"

namespace convoy::topology {
namespace {

void write(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

std::string contents(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

std::string topo(const std::vector<std::string>& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(cli::run_topo_verb(arguments, out, err), 0) << err.str();
  return out.str();
}

// What the converted machine lacks changes predictions for it.
TEST(Topo, SaysWhatOtherProgramsFormsLack) {
  const auto said = [](const std::vector<std::string>& arguments) {
    std::ostringstream out;
    std::ostringstream err;
    EXPECT_EQ(cli::run_topo_verb(arguments, out, err), 0);
    return err.str();
  };
  EXPECT_EQ(said({"--platform=gh200x4", "--export=lstopo", "--hosts=2"}),
            "convoy: lstopo's form has no rates of network cards, no links between processors and "
            "GPUs beside PCI Express, no peer access between GPUs, no hosts "
            "but the first; convoy topo --json=FILE keeps them\n");
  EXPECT_EQ(said({"--platform=gce-k80x8", "--export=nccl"}),
            "convoy: NCCL's form has no sizes of hosts' memory, no numbers of cores, no peer "
            "access between GPUs, no mark of "
            "virtual machines; convoy topo --json=FILE keeps them\n");
  const std::string cards = said({"--platform=ec2-p4d.24xlarge", "--export=nccl"});
  EXPECT_THAT(cards, ::testing::HasSubstr("no delivery order of network cards, no delays of "
                                          "messages over network cards"));
  EXPECT_EQ(said({"--platform=gh200x4"}), "");
}

// Where a file says more of a memory than its processor's entry in the catalogue.
TEST(Topo, SaysWhereARateOfMemoryIsLost) {
  const std::string json = topo({"--platform=rtx3090x2", "--json"});
  const auto lost = [](const std::string& text) {
    const std::string file = scratch_folder("memory") + "/machine.json";
    write(file, text);
    std::ostringstream out;
    std::ostringstream err;
    cli::run_topo_verb(std::vector<std::string>{"--topology=" + file, "--export=lstopo"}, out, err);
    return err.str();
  };
  const std::string rate = "163800000000";
  const std::size_t at = json.find(rate);
  ASSERT_NE(at, std::string::npos) << json;
  EXPECT_THAT(lost(json), ::testing::Not(::testing::HasSubstr("rates of hosts' memory")));
  EXPECT_THAT(lost(std::string(json).replace(at, rate.size(), "100000000000")),
              ::testing::HasSubstr("no rates of hosts' memory"));
}

TEST(Detect, ThisMachineHasProcessorsAndMemory) {
  const Machine machine = detect_machine();
  EXPECT_EQ(machine.source, "this machine");
  ASSERT_FALSE(nodes_of(machine, NodeKind::package).empty());
  ASSERT_FALSE(nodes_of(machine, NodeKind::numa_node).empty());
  EXPECT_GT(machine.nodes[nodes_of(machine, NodeKind::numa_node)[0]].memory_bytes.value_or(0), 0U);
}

TEST(Detect, NoNoteIsGivenTwice) {
  std::vector<std::string> notes = detect_machine().notes;
  std::sort(notes.begin(), notes.end());
  EXPECT_EQ(std::adjacent_find(notes.begin(), notes.end()), notes.end())
      << ::testing::PrintToString(notes);
}

TEST(Detect, NoSourceAtAllGivesAnAnswer) {
  const DetectSettings nothing{"/nonexistent", "/nonexistent", "libnonexistent.so"};
  const Machine machine = detect_machine(nothing);
  EXPECT_FALSE(machine.nodes.empty());
  EXPECT_FALSE(machine.virtual_machine.known());
}

TEST(Detect, TheMostThatBothEndsCanDoReplacesTheCurrentSpeed) {
  Machine machine = read_hwloc_xml(power8_xml("2.0"), "hwloc");
  const std::size_t gpu = nodes_of(machine, NodeKind::gpu)[0];
  const std::size_t port = *machine.nodes[gpu].parent;
  const std::filesystem::path sysfs = scratch_folder("sysfs");
  const auto set = [&](std::size_t node, const char* speed, const char* width) {
    const auto device =
        sysfs / "bus/pci/devices" / format_pci_address(*machine.nodes[node].address);
    write(device / "max_link_speed", speed);
    write(device / "max_link_width", width);
  };
  set(gpu, "16.0 GT/s PCIe\n", "16\n");
  set(port, "8.0 GT/s PCIe\n", "16\n");
  read_sysfs_speeds(machine, sysfs);
  const Link& link = machine.links[*parent_links(machine)[gpu]];
  EXPECT_NEAR(link.a_to_b.value_or(0), 15.754e9, 1e6);
  EXPECT_NE(link.a_to_b.source.find("sysfs max_link_speed"), std::string::npos);
}

TEST(Detect, NetworkCardsRunAtWhatTheirLinksDo) {
  Machine machine;
  const std::filesystem::path sysfs = scratch_folder("sysfs");
  const auto rate_of = [&](const std::string& name) {
    const std::size_t card = append_node(machine, NodeKind::nic, name, {});
    read_sysfs_speeds(machine, sysfs);
    return machine.nodes[card].network_bytes_per_second.value_or(-1);
  };
  write(sysfs / "class/net/eth0/speed", "25000\n");
  EXPECT_DOUBLE_EQ(rate_of("eth0"), 3.125e9);
  write(sysfs / "class/infiniband/mlx5_0/ports/1/rate", "100 Gb/sec (4X EDR)\n");
  EXPECT_DOUBLE_EQ(rate_of("mlx5_0"), 12.5e9);
  const std::string down = "class/infiniband/mlx5_1/ports/1/";
  write(sysfs / (down + "rate"), "40 Gb/sec (4X QDR)\n");
  write(sysfs / (down + "state"), "1: DOWN\n");
  EXPECT_DOUBLE_EQ(rate_of("mlx5_1"), -1);
  const std::string up = "class/infiniband/mlx5_1/ports/2/";
  write(sysfs / (up + "rate"), "400 Gb/sec (4X NDR)\n");
  write(sysfs / (up + "state"), "4: ACTIVE\n");
  EXPECT_DOUBLE_EQ(rate_of("mlx5_1"), 50e9);
  EXPECT_FALSE(machine.nodes.front().rdma.known());  // Ethernet
  EXPECT_TRUE(machine.nodes.back().rdma.value_or(false));
  for (const char* unknown : {"-1\n", "0\n", "", "4294967295\n"}) {
    write(sysfs / "class/net/eth1/speed", unknown);
    EXPECT_DOUBLE_EQ(rate_of("eth1"), -1) << unknown;
  }
}

TEST(Detect, AnInfinibandCardsRateIsFoundUnderItsRdmaDevice) {
  Machine machine = read_hwloc_xml(rdma_card_xml("2.0"), "hwloc");
  const std::filesystem::path sysfs = scratch_folder("sysfs");
  write(sysfs / "class/net/ibp12s0/speed", "-1\n");
  write(sysfs / "class/infiniband/mlx5_0/ports/1/rate", "100 Gb/sec (4X EDR)\n");
  read_sysfs_speeds(machine, sysfs);
  const Node& card = machine.nodes[nodes_of(machine, NodeKind::nic)[0]];
  EXPECT_DOUBLE_EQ(card.network_bytes_per_second.value_or(-1), 12.5e9);
  EXPECT_EQ(card.rdma.source, "sysfs class/infiniband");
}

TEST(Detect, NamesOfRdmaDevicesTellThem) {
  for (const char* card : {"mlx5_0", "ibp12s0", "rocep59s0f0", "rdmap0s6", "efa_0"})
    EXPECT_TRUE(rdma_by_name(card, "a file").value_or(false)) << card;
  for (const char* card : {"eth0", "eno1", "ens5"})
    EXPECT_FALSE(rdma_by_name(card, "a file").known()) << card;
}

// Published rates of 16 lanes: 4, 8, 15.75, 31.5, 63 and, without a line code, 121 and 242 GB/s.
TEST(Detect, EveryGenerationsLineCodeIsTakenOff) {
  const auto rate = [](const char* speed) {
    return pcie_bytes_per_second(speed, "16").value_or(0);
  };
  EXPECT_DOUBLE_EQ(rate("2.5 GT/s PCIe"), 4e9);
  EXPECT_DOUBLE_EQ(rate("5.0 GT/s PCIe"), 8e9);
  EXPECT_NEAR(rate("8.0 GT/s PCIe"), 15.754e9, 1e6);
  EXPECT_NEAR(rate("32.0 GT/s PCIe"), 63.015e9, 1e6);
  EXPECT_DOUBLE_EQ(rate("64.0 GT/s PCIe"), 121e9);
  EXPECT_DOUBLE_EQ(rate("128.0 GT/s PCIe"), 242e9);
}

TEST(Detect, ZeroAndUnknownSpeedsStayUnknown) {
  for (const char* speed : {"Unknown speed", "0 GT/s", "", "nan GT/s", "-8.0 GT/s"})
    EXPECT_FALSE(pcie_bytes_per_second(speed, "16")) << speed;
  for (const char* lanes : {"0", "", "255", "x16"})
    EXPECT_FALSE(pcie_bytes_per_second("8.0 GT/s PCIe", lanes)) << lanes;
}

TEST(Topo, ShowsThisMachineFastEnough) {
  const std::clock_t start = std::clock();
  const std::string text = topo({});
  const double taken = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_NE(text.find("package0"), std::string::npos) << text;
  RecordProperty("milliseconds", static_cast<int>(taken * 1e3));
  // 150 ms; of processor time, for tests run several at a time, also with sanitizers.
  EXPECT_LT(taken, 1.5);
}

TEST(Topo, ShowsAFilesTreeMatrixAndUplinks) {
  const std::string file = scratch_folder("topo") + "/dgx2.xml";
  write(file, dgx2_xml("3.0"));
  const std::string text = topo({"--topology=" + file});
  EXPECT_THAT(text, ::testing::HasSubstr("gpu15"));
  EXPECT_THAT(text, ::testing::HasSubstr("    150"));
  EXPECT_THAT(text, ::testing::HasSubstr("gpu0, gpu1, gpu2, gpu3 share 15.8 GB/s"));
  EXPECT_THAT(topo({"--topology=" + file, "--sources"}), ::testing::HasSubstr("pci_link_speed"));
}

TEST(Topo, NamesAHostBridgeThatSeveralGpusShare) {
  EXPECT_THAT(topo({"--platform=gce-k80x8"}),
              ::testing::HasSubstr("gpu0, gpu1, gpu2, gpu3 share 6.5 GB/s above bridge0"));
}

TEST(Topo, ItsTreeHasABarWhereMoreFollows) {
  const std::string text = topo({"--platform=dgx1-p100"});
  EXPECT_THAT(text, ::testing::HasSubstr("\nhost0\n+- package0"));
  EXPECT_THAT(text, ::testing::HasSubstr("\n|  +- numa0"));
  EXPECT_THAT(text, ::testing::HasSubstr("\n|     +- switch0"));
  EXPECT_THAT(text, ::testing::HasSubstr("\n|     |  +- gpu0"));
  EXPECT_THAT(text, ::testing::HasSubstr("\n      |  +- gpu5"));
}

TEST(Topo, WritesJsonThatItReadsAndAPicture) {
  const std::string folder = scratch_folder("topo");
  write(folder + "/power8.xml", power8_xml("2.0"));
  topo({"--topology=" + folder + "/power8.xml", "--json=" + folder + "/machine.json"});
  EXPECT_EQ(topo({"--topology=" + folder + "/machine.json", "--json"}),
            topo({"--topology=" + folder + "/power8.xml", "--json"}));
  topo({"--topology=" + folder + "/power8.xml", "--svg=" + folder + "/machine.svg"});
  EXPECT_THAT(contents(folder + "/machine.svg"), ::testing::HasSubstr("a GPU &amp; more"));
}

TEST(Topo, DrawsEveryPlatform) {
  const std::string folder = scratch_folder("topo");
  for (const std::string& name : platform_names(convoy::testing::share_folder() / "platforms")) {
    const std::string text = topo({"--platform=" + name});
    const std::string last =
        "gpu" + std::to_string(convoy::testing::described(name).gpus_per_host - 1);
    EXPECT_THAT(text, ::testing::HasSubstr(name));
    EXPECT_THAT(text, ::testing::HasSubstr(last));
    topo({"--platform=" + name, "--svg=" + folder + "/machine.svg"});
    const std::string picture = contents(folder + "/machine.svg");
    EXPECT_NO_THROW(XmlDocument(picture, name));
    EXPECT_THAT(picture, ::testing::HasSubstr(last));
  }
  EXPECT_THROW(topo({"--platform=dgx1"}), Error);
  EXPECT_THROW(topo({"--platform=dgx1-p100", "--topology=x"}), Error);
}

TEST(Topo, DrawsSeveralHostsOnTheirNetwork) {
  const std::string text = topo({"--platform=ec2-p2.8xlarge", "--hosts=3"});
  EXPECT_THAT(text, ::testing::HasSubstr("\nhost2\n"));
  std::size_t gpus = 0;
  for (std::size_t at = text.find("Tesla K80"); at != std::string::npos; ++gpus)
    at = text.find("Tesla K80", at + 1);
  EXPECT_EQ(gpus, 24u) << text;
  EXPECT_EQ(topo({"--platform=ec2-p2.8xlarge", "--hosts=1"}), topo({"--platform=ec2-p2.8xlarge"}));
  const std::string folder = scratch_folder("topo");
  topo({"--platform=ec2-p2.8xlarge", "--json=" + folder + "/one.json"});
  EXPECT_THAT(topo({"--topology=" + folder + "/one.json", "--hosts=2"}),
              ::testing::HasSubstr("\nhost1\n"));
}

TEST(Topo, RefusesHostsThatItCannotDraw) {
  for (const char* hosts : {"0", "-1", "two", "2x", "100000", ""})
    EXPECT_THROW(topo({"--platform=dgx1-p100", std::string("--hosts=") + hosts}), Error) << hosts;
  EXPECT_THROW(topo({"--hosts=2"}), Error);
  EXPECT_THROW(topo({"--platform=dgx1-p100:2+hgx-h100x8:1", "--hosts=2"}), Error);
}

TEST(Topo, RefusesWhatItDoesNotKnow) {
  EXPECT_THROW(topo({"--export=dot"}), Error);
  EXPECT_THROW(topo({"--topology=/nonexistent"}), Error);
  EXPECT_THROW(topo({"--json="}), Error);
  EXPECT_THROW(topo({"dgx1"}), Error);
}

}  // namespace
}  // namespace convoy::topology
