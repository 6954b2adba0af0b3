#include <gtest/gtest.h>
#include <sys/resource.h>

#include <fstream>
#include <map>

#include "core/base/error.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/support/thrown_text.hpp"
#include "tests/topology/described.hpp"
#include "topology/graph/graph_edit.hpp"
#include "topology/graph/routes.hpp"
#include "topology/read/described_file.hpp"

namespace convoy::topology {
namespace {

using convoy::testing::described;
using convoy::testing::share_folder;
using convoy::testing::shared_catalogue;

std::string read_text(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The text with one part replaced, which must be in it.
std::string replaced(std::string text, const std::string& part, const std::string& by) {
  const std::size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return text.replace(at, part.size(), by);
}

// What is wrong with a platform in which a part of the DGX-1's description is replaced.
std::string platform_problem(const std::string& part, const std::string& by) {
  const std::filesystem::path file =
      std::filesystem::path(scratch_folder("platform")) / "platform.json";
  std::ofstream(file) << replaced(read_text(share_folder() / "platforms" / "dgx1-p100.json"), part,
                                  by);
  return thrown_text([&] { read_platform("", file.string(), 1, shared_catalogue()); });
}

std::string catalogue_problem(const std::string& part, const std::string& by) {
  const std::filesystem::path folder = std::filesystem::path(scratch_folder("catalogue"));
  for (const char* name : {"devices.json", "hosts.json"})
    std::filesystem::copy_file(share_folder() / "catalogue" / name, folder / name,
                               std::filesystem::copy_options::overwrite_existing);
  std::ofstream(folder / "devices.json")
      << replaced(read_text(share_folder() / "catalogue" / "devices.json"), part, by);
  return thrown_text([&] { Catalogue::read(folder); });
}

TEST(DescribedFilesTest, EveryPlatformIsReadWithItsGpus) {
  const std::map<std::uint32_t, std::vector<std::string>> by_gpus = {
      {1, {"gb10"}},
      {2, {"rtx3090x2"}},
      {4, {"azure-nc96ads-a100-v4", "gh200x4", "hgx-a100x4", "l40sx4", "polaris", "v100-pciex4"}},
      {8,
       {"a100-pciex8",
        "dgx-a100",
        "dgx1-p100",
        "dgx1-v100",
        "ec2-g4dn.metal",
        "ec2-g5.48xlarge",
        "ec2-p2.8xlarge",
        "ec2-p3.16xlarge",
        "ec2-p3dn.24xlarge",
        "ec2-p4d.24xlarge",
        "ec2-p5.48xlarge",
        "ec2-p5en.48xlarge",
        "ec2-p6-b200.48xlarge",
        "gce-k80x8",
        "gn5-p100x8",
        "hgx-b200x8",
        "hgx-b300x8",
        "hgx-h100x8",
        "hgx-h200x8",
        "l40sx8",
        "mi300x8",
        "mi355x8",
        "oci-bm.gpu4.8",
        "rtx-pro-6000x8",
        "rtx4090x8",
        "rtx5090x8"}},
      {16, {"dgx2-v100", "ec2-p2.16xlarge"}},
      {72, {"gb200-nvl72", "gb300-nvl72"}}};
  std::map<std::string, std::uint32_t> expected;
  for (const auto& [gpus, names] : by_gpus)
    for (const std::string& name : names) expected[name] = gpus;
  std::vector<std::string> names;
  names.reserve(expected.size());
  for (const auto& [name, gpus] : expected) names.push_back(name);
  EXPECT_EQ(platform_names(share_folder() / "platforms"), names);
  for (const auto& [name, gpus] : expected) {
    const Platform platform = described(name);
    EXPECT_EQ(platform.gpus_per_host, gpus) << name;
    EXPECT_EQ(platform.machine.name, name);
    for (const Link& link : platform.machine.links)
      if (link.kind != LinkKind::internal) {
        EXPECT_TRUE(link.a_to_b.known()) << name;
        EXPECT_FALSE(link.a_to_b.source.empty()) << name;
      }
  }
}

TEST(DescribedFilesTest, SuperchipsReachTheMemoryOfTheirProcessorOverC2c) {
  const Machine& machine = described("gb200-nvl72").machine;
  const std::vector<std::size_t> gpus = nodes_of(machine, NodeKind::gpu);
  const std::vector<std::size_t> memories = nodes_of(machine, NodeKind::numa_node);
  ASSERT_EQ(memories.size(), 36U);
  const RouteFinder finder(machine);
  EXPECT_EQ(finder.find(gpus[3], memories[1]).bytes_per_second, 225e9);
  EXPECT_EQ(finder.find(gpus[0], gpus[71]).bytes_per_second, 900e9);
  EXPECT_EQ(finder.find(gpus[3], memories[2]).bytes_per_second, 50e9);
}

TEST(DescribedFilesTest, CardsSayWhetherTheyDeliverInOrder) {
  for (const Node& node : described("ec2-p4d.24xlarge").machine.nodes)
    if (node.kind == NodeKind::nic) {
      EXPECT_FALSE(node.in_order.value_or(true)) << node.name;
    }
  for (const Node& node : described("dgx-a100").machine.nodes)
    if (node.kind == NodeKind::nic) {
      EXPECT_FALSE(node.in_order.known()) << node.name;
    }
}

TEST(DescribedFilesTest, ClustersHaveANetworkAndAllHostsNodes) {
  const Platform one = described("ec2-p2.8xlarge");
  const Platform cluster = described("ec2-p2.8xlarge", 8);
  EXPECT_EQ(cluster.machine.nodes.size(), 8 * one.machine.nodes.size() + 1);
  EXPECT_EQ(cluster.machine.links.size(), 8 * one.machine.links.size() + 8);
  EXPECT_EQ(cluster.machine.nodes.front().kind, NodeKind::network);
  for (const Node& node : cluster.machine.nodes)
    EXPECT_LT(node.parent.value_or(0), cluster.machine.nodes.size()) << node.name;
}

TEST(DescribedFilesTest, MoreGpusThanThePlatformHasAreRefused) {
  const Platform platform = described("dgx1-p100");
  EXPECT_NO_THROW(check_gpu_count(platform, 8));
  const std::string message = thrown_text([&] { check_gpu_count(platform, 9); });
  EXPECT_NE(message.find("9 GPUs per host, but dgx1-p100 has 8"), std::string::npos) << message;
  const Platform unlike = described("gb200-nvl72+hgx-h100x8", 2);
  const std::string of_fewest = thrown_text([&] { check_gpu_count(unlike, 72); });
  EXPECT_NE(of_fewest.find("72 GPUs per host, but hgx-h100x8 has 8"), std::string::npos)
      << of_fewest;
}

TEST(DescribedFilesTest, UnknownPlatformsAreAnsweredWithTheNearestName) {
  const std::string message = thrown_text([] { described("dgx1-p10"); });
  EXPECT_NE(message.find("did you mean dgx1-p100"), std::string::npos) << message;
}

TEST(DescribedFilesTest, PlatformErrorsNameFileLineAndField) {
  const std::string negative = platform_problem("\"value\": 1.5754e10", "\"value\": -3");
  EXPECT_NE(negative.find("platform.json:10: \"value\" is -3: it must not be negative"),
            std::string::npos)
      << negative;
  const std::string missing = platform_problem("\"pcie_bytes_per_second\"", "\"pcie_per_second\"");
  EXPECT_NE(missing.find("\"pcie_bytes_per_second\" is missing; is it meant by "
                         "\"pcie_per_second\"?"),
            std::string::npos)
      << missing;
  const std::string text = platform_problem("\"cores\": 20", "\"cores\": \"many\"");
  EXPECT_NE(text.find("\"cores\" must be a whole number"), std::string::npos) << text;
  const std::string unknown = platform_problem("\"nvlink\":", "\"nvlinks\":");
  EXPECT_NE(unknown.find("\"nvlinks\" is unknown; did you mean \"nvlink\"?"), std::string::npos)
      << unknown;
  const std::string twice = platform_problem("\"gpus\": [0, 1]", "\"gpus\": [0, 0]");
  EXPECT_NE(twice.find("GPU 0 a second time"), std::string::npos) << twice;
  const std::string gap = platform_problem("\"gpus\": [0, 1]", "\"gpus\": [0]");
  EXPECT_NE(gap.find("hold no GPU 1"), std::string::npos) << gap;
  const std::string broken = platform_problem("\"packages\":", "\"packages\"");
  EXPECT_NE(broken.find("not JSON"), std::string::npos) << broken;
  const std::string gpu = platform_problem("Tesla P100-SXM2-16GB", "Tesla P1000");
  EXPECT_NE(gpu.find("devices.json has no such name or PCI id; add it"), std::string::npos) << gpu;
}

TEST(DescribedFilesTest, NumbersThatNoMachineHasAreRefused) {
  const auto expect = [](const char* original, const char* changed, const char* problem) {
    const std::string message = platform_problem(original, changed);
    EXPECT_NE(message.find(problem), std::string::npos) << changed << ": " << message;
  };
  const char* rate = "\"value\": 1.5754e10";
  expect(rate, "\"value\": 0", "is 0 bytes per second");
  expect(rate, "\"value\": 1e17", "is 1e+17 bytes per second");
  expect(rate, "\"value\": 1e300", "nothing that is described is below 1e-15 or above 1e+18");
  expect(rate, "\"value\": 1e-300", "nothing that is described is below 1e-15 or above 1e+18");
  expect("\"value\": 1.25e10", "\"value\": 1e17", "is 1e+17 bytes per second");
  expect("\"to\": 1, \"bricks\": 1", "\"to\": 1, \"bricks\": 100000", "at most 64 NVLinks");
  expect("\"to\": 1, \"bricks\": 1", "\"to\": 1, \"bricks\": 2",
         "gives GPU 0 5 NVLinks, but Tesla P100-SXM2-16GB has 4");
  expect("\"peer_access\":", "\"nvswitch_bricks_per_gpu\": 8, \"peer_access\":",
         "\"nvswitch_bricks_per_gpu\" is 8, but Tesla P100-SXM2-16GB has 4");
  expect("\"from\": 0, \"to\": 2", "\"from\": 1, \"to\": 0", "a second time");
  expect("\"to\": 1, \"bricks\": 1", "\"to\": 1, \"bricks\": 0", "is 0: at least 1 is needed");
  expect("\"memory_bytes\": 274877906944", "\"memory_bytes\": 1000", "is 1000: bytes, at least");
  expect("\"memory_bytes\": 274877906944", "\"memory_bytes\": 1e17", "at most 1e+15");
  expect("\"cores\": 20", "\"cores\": 1000000000", "at most 65536 cores");
  expect("\"input_cores\": 80", "\"input_cores\": 1000000000000", "at most 4294967295");
}

TEST(DescribedFilesTest, FilesWithoutAnythingInThemAreCalledSo) {
  const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) / "empty.json";
  const auto message = [&](const char* text) {
    std::ofstream(file) << text;
    return thrown_text([&] { DescribedFile{file}; });
  };
  EXPECT_NE(message("").find("is empty"), std::string::npos) << message("");
  for (const char* blanks : {" ", "\n", " \t\r\n  \n"})
    EXPECT_NE(message(blanks).find("holds blanks only"), std::string::npos) << message(blanks);
}

long peak_kibibytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// As texts, the pointers to all elements of this would have 400 MB.
TEST(DescribedFilesTest, ManyElementsBehindALongKeyTakeNoMoreThanTheFile) {
  std::string text = "{\"" + std::string(20'000, 'k') + "\":[\n0";
  for (int i = 0; i < 20'000; ++i) text += ",0";
  const long before = peak_kibibytes();
  const DescribedFile file("long.json", text + "]}");
  EXPECT_LT(peak_kibibytes() - before, 100'000);
  EXPECT_EQ(file.line("/" + std::string(20'000, 'k') + "/19999"), 2u);
}

TEST(DescribedFilesTest, CardsThatPeopleAskAboutAreInTheCatalogue) {
  const Catalogue& catalogue = shared_catalogue();
  for (const char* id :
       {"10de:17c2", "10de:1b00", "10de:1e04", "10de:2204", "10de:2684", "10de:2b85", "10de:2230",
        "10de:26ba", "10de:26b9", "10de:2237", "10de:1eb8", "10de:27b8", "10de:2329", "10de:2324",
        "10de:2901", "10de:2941", "1002:7408", "1002:74a1"})
    EXPECT_NE(catalogue.find_device(*parse_pci_id(id)), nullptr) << id;
}

TEST(DescribedFilesTest, TheCatalogueKnowsBlackwellUltraAndItsContemporaries) {
  const Catalogue& catalogue = shared_catalogue();
  const auto name = [&](const char* id) {
    const DeviceEntry* const entry = catalogue.find_device(*parse_pci_id(id));
    return entry == nullptr ? std::string() : entry->name;
  };
  EXPECT_EQ(name("10de:3182"), "NVIDIA B300");
  EXPECT_EQ(name("10de:31c2"), "NVIDIA GB300");
  EXPECT_EQ(name("10de:26b5"), "NVIDIA L40");
  EXPECT_EQ(name("10de:233b"), "NVIDIA H200 NVL");
  EXPECT_EQ(name("1002:75a3"), "AMD Instinct MI355X");
}

// Two cards of one name but for their memory.
TEST(DescribedFilesTest, TheLargerH20IsADeviceOfItsOwn) {
  const Catalogue& catalogue = shared_catalogue();
  const DeviceEntry* small = catalogue.find_device(*parse_pci_id("10de:2329"));
  const DeviceEntry* large = catalogue.find_device(*parse_pci_id("10de:232c"));
  ASSERT_NE(small, nullptr);
  ASSERT_NE(large, nullptr);
  EXPECT_EQ(small->name, "NVIDIA H20");
  EXPECT_EQ(large->name, "NVIDIA H20 141GB");
  EXPECT_DOUBLE_EQ(large->memory_bytes_per_second.value_or(0), 4.8e12);
  EXPECT_DOUBLE_EQ(large->memory_bytes.value_or(0), 151397597184.0);
  EXPECT_DOUBLE_EQ(large->peak_f16.value_or(0), small->peak_f16.value_or(1));
}

TEST(DescribedFilesTest, CatalogueErrorsNameFileLineAndField) {
  const std::string negative = catalogue_problem("{\"value\": 4.37e12", "{\"value\": -4.37e12");
  EXPECT_NE(negative.find("devices.json:8: \"value\" is -4370000000000.0"), std::string::npos)
      << negative;
  const std::string missing = catalogue_problem("\"peak_f32\"", "\"peak_f23\"");
  EXPECT_NE(missing.find("devices.json:3: \"peak_f32\" is missing; is it meant by \"peak_f23\"?"),
            std::string::npos)
      << missing;
  const std::string share = catalogue_problem("\"board_coupling\": {\"value\": 0.955",
                                              "\"board_coupling\": {\"value\": 1.955");
  EXPECT_NE(share.find("a share of a whole, at most 1"), std::string::npos) << share;
  const std::string id = catalogue_problem("10de:102d", "10de-102d");
  EXPECT_NE(id.find("not like \"10de:15f9\""), std::string::npos) << id;
}

TEST(DescribedFilesTest, DevicesAreFoundByPciIdAndWhatIsMissingIsSaid) {
  const Catalogue& catalogue = shared_catalogue();
  const DeviceEntry* entry = catalogue.find_device(PciId{0x10de, 0x15f9});
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->name, "Tesla P100-SXM2-16GB");
  EXPECT_EQ(entry->nvlink_bytes_per_second.value, 20e9);
  Node gpu;
  gpu.name = "gpu0";
  gpu.model = "Tesla Z9";
  gpu.id = PciId{0x10de, 0xffff};
  EXPECT_EQ(catalogue.find_device(*gpu.id), nullptr);
  const std::string missing = catalogue.missing_device(gpu);
  EXPECT_NE(missing.find("\"10de:ffff\""), std::string::npos) << missing;
  EXPECT_NE(missing.find("devices.json"), std::string::npos) << missing;
}

// Files that other programs write name the processor alone.
TEST(DescribedFilesTest, ProcessorsOfEveryPlatformLeadToItsConstants) {
  const Catalogue catalogue = shared_catalogue();
  for (const std::string& platform : platform_names(share_folder() / "platforms")) {
    const Platform it = described(platform);
    const std::size_t package = nodes_of(it.machine, NodeKind::package).front();
    const HostEntry* entry = catalogue.find_host(it.machine.nodes[package].model);
    EXPECT_EQ(entry == nullptr ? "none" : entry->name, it.kinds.front().constants) << platform;
  }
}

TEST(DescribedFilesTest, HostsAreFoundByTheirProcessors) {
  const Catalogue& catalogue = shared_catalogue();
  const auto name = [&](const char* processor) {
    const HostEntry* entry = catalogue.find_host(processor);
    return entry == nullptr ? "none" : entry->name;
  };
  EXPECT_EQ(name("Intel(R) Xeon(R) CPU E5-2698 v4 @ 2.20GHz"), "broadwell");
  EXPECT_EQ(name("Intel(R) Xeon(R) CPU E5-2698 v3 @ 2.30GHz"), "haswell");
  EXPECT_EQ(name("Intel(R) Xeon(R) Platinum 8168 CPU @ 2.70GHz"), "skylake");
  EXPECT_EQ(name("AMD EPYC 9654 96-Core Processor"), "zen4");
  EXPECT_EQ(name("AMD EPYC 9575F 64-Core Processor"), "zen5");
  EXPECT_EQ(name("Intel(R) Xeon(R) 6776P"), "granite-rapids");
  EXPECT_EQ(name("AMD Ryzen Threadripper PRO 5975WX 32-Cores"), "zen2");
  EXPECT_EQ(name("ThunderX2"), "none");
  EXPECT_EQ(catalogue.fallback_host().name, "unknown");
}

}  // namespace
}  // namespace convoy::topology
