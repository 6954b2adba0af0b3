#include <gtest/gtest.h>
#include <hwloc.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/base/text/json.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/topology/described.hpp"
#include "tests/topology/machine_texts.hpp"
#include "topology/catalogue/catalogue_facts.hpp"
#include "topology/graph/graph_edit.hpp"
#include "topology/graph/routes.hpp"
#include "topology/graph/uplinks.hpp"
#include "topology/read/machine_json.hpp"
#include "topology/read/nccl_reader.hpp"
#include "topology/read/nvlink.hpp"
#include "topology/read/read_machine.hpp"
#include "topology/write/hwloc_writer.hpp"

namespace convoy::topology {
namespace {

using convoy::testing::described;
using convoy::testing::share_folder;
using convoy::testing::shared_catalogue;
using convoy::testing::written_nccl_dump;

using Writer = std::string (*)(const Machine&);

std::string written(Writer writer, const Machine& machine) {
  return writer(machine);
}

// What neither form can tell: rates between packages and within a processor.
Machine without_untold(Machine machine) {
  for (Link& link : machine.links)
    if (link.kind == LinkKind::socket || link.kind == LinkKind::internal)
      link.a_to_b.value = link.b_to_a.value = std::nullopt;
  return machine;
}

void expect_rate(const std::optional<double>& found, const std::optional<double>& expected) {
  ASSERT_EQ(found.has_value(), expected.has_value());
  if (expected) {
    EXPECT_NEAR(*found, *expected, 0.001 * *expected);
  }
}

void expect_same_routes(const Machine& machine, const Machine& again) {
  const std::vector<std::size_t> before = nodes_of(machine, NodeKind::gpu);
  const std::vector<std::size_t> after = nodes_of(again, NodeKind::gpu);
  ASSERT_EQ(after.size(), before.size());
  const std::vector<std::size_t> memory = nodes_of(machine, NodeKind::numa_node);
  const std::vector<std::size_t> memory_again = nodes_of(again, NodeKind::numa_node);
  ASSERT_EQ(memory_again.size(), memory.size());
  const RouteFinder finder(machine);
  const RouteFinder finder_again(again);
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(again.nodes[after[i]].id, machine.nodes[before[i]].id) << i;
    for (std::size_t j = 0; j < before.size() + memory.size(); ++j) {
      const bool to_gpu = j < before.size();
      const Route expected = finder.find(before[i], to_gpu ? before[j] : memory[j - before.size()]);
      const Route found =
          finder_again.find(after[i], to_gpu ? after[j] : memory_again[j - before.size()]);
      SCOPED_TRACE(::testing::Message() << "gpu" << i << " to end " << j);
      EXPECT_EQ(found.kind, expected.kind);
      expect_rate(found.bytes_per_second, expected.bytes_per_second);
    }
  }
}

// Nor does lstopo's tell of links between a GPU and its processor's memory.
Machine without_c2c(Machine machine) {
  std::erase_if(machine.links, [](const Link& link) { return link.kind == LinkKind::c2c; });
  return machine;
}

std::vector<std::vector<std::string>> shared_names(const Machine& machine) {
  std::vector<std::vector<std::string>> result;
  for (const SharedUplink& uplink : shared_uplinks(machine)) {
    result.emplace_back();
    for (const std::size_t gpu : uplink.gpus) result.back().push_back(machine.nodes[gpu].name);
    result.back().push_back(
        std::to_string(machine.links[uplink.link].a_to_b.value_or(0) / 1e9).substr(0, 5));
  }
  std::sort(result.begin(), result.end());
  return result;
}

class EveryPlatform : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(RoundTrip, EveryPlatform,
                         ::testing::ValuesIn(platform_names(share_folder() / "platforms")),
                         [](const auto& it) {
                           std::string name = it.param;
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return !std::isalnum(c); },
                               '_');
                           return name;
                         });

TEST_P(EveryPlatform, ReadsBackFromBothFormsWithTheSameRoutes) {
  const Machine told_by_nccl = without_untold(described(GetParam()).machine);
  const Machine told_by_lstopo = without_c2c(told_by_nccl);
  for (const Writer writer : {&written_nccl_dump, &write_hwloc_xml}) {
    SCOPED_TRACE(writer == &written_nccl_dump ? "nccl" : "lstopo");
    const Machine& machine = writer == &written_nccl_dump ? told_by_nccl : told_by_lstopo;
    Machine again = parse_machine(written(writer, machine), "again");
    // NCCL's form tells the architecture, from which the rate of NVIDIA's NVLinks follows; that of
    // AMD's links is the catalogue's.
    add_catalogue_facts(again, shared_catalogue());
    expect_same_routes(machine, again);
    EXPECT_EQ(shared_names(again), shared_names(machine));
    EXPECT_EQ(nodes_of(again, NodeKind::nic).size(), nodes_of(machine, NodeKind::nic).size());
  }
}

// Simulations take the constants of hosts by their processors.
TEST_P(EveryPlatform, KeepsTheGenerationOfItsProcessorsInNcclsForm) {
  const Machine machine = described(GetParam()).machine;
  const Machine again = parse_machine(written_nccl_dump(machine), "again");
  const Catalogue catalogue = shared_catalogue();
  const auto processor = [](const Machine& it) {
    return it.nodes[nodes_of(it, NodeKind::package).front()].model;
  };
  const HostEntry* before = catalogue.find_host(processor(machine));
  ASSERT_NE(before, nullptr) << processor(machine);
  // The two name themselves alike.
  const std::string expected = before->name == "cascade-lake" ? "skylake" : before->name;
  const HostEntry* after = catalogue.find_host(processor(again));
  ASSERT_NE(after, nullptr) << processor(again);
  EXPECT_EQ(after->name, expected) << processor(again);
}

TEST(RoundTrip, ProcessorsThatNcclNamedKeepTheirNames) {
  Machine machine = described("hgx-h100x8").machine;
  const std::size_t package = nodes_of(machine, NodeKind::package).front();
  for (const char* model :
       {"AuthenticAMD (family 25, model 1)", "GenuineIntel (family 6, model 3)"}) {
    machine.nodes[package].model = model;
    const Machine again = parse_machine(written_nccl_dump(machine), "again");
    EXPECT_EQ(again.nodes[nodes_of(again, NodeKind::package).front()].model, model);
  }
  machine.nodes[package].model = "AuthenticAMD (family 25, model 1)";
  EXPECT_NE(written_nccl_dump(machine).find("familyid=\"175\""), std::string::npos);
  for (const char* model :
       {"", "VIA (family x, model 3)", "VIA (family 6, model )", "(family 6,"}) {
    machine.nodes[package].model = model;
    const Machine again = parse_machine(written_nccl_dump(machine), "again");
    EXPECT_EQ(again.nodes[nodes_of(again, NodeKind::package).front()].model, "") << model;
  }
}

TEST(RoundTrip, NcclsFormTellsTheArchitectureOfTheCatalogue) {
  const std::pair<const char*, const char*> expected[] = {
      {"dgx1-p100", "60"},       {"dgx1-v100", "70"},   {"dgx-a100", "80"},
      {"ec2-g5.48xlarge", "86"}, {"rtx3090x2", "86"},   {"l40sx8", "89"},
      {"hgx-h100x8", "90"},      {"hgx-b200x8", "100"}, {"rtx5090x8", "120"}};
  for (const auto& [platform, architecture] : expected)
    EXPECT_NE(written_nccl_dump(described(platform).machine)
                  .find(std::string("sm=\"") + architecture + "\""),
              std::string::npos)
        << platform;
  const std::string amd = written_nccl_dump(described("mi300x8").machine);
  EXPECT_EQ(amd.find("sm="), std::string::npos);
  EXPECT_NE(amd.find("<xgmi "), std::string::npos);
}

TEST(RoundTrip, MachinesOfOtherFormsKeepTheirRoutesToo) {
  for (const std::string& text : {dgx2_xml("3.0"), power8_xml("2.0"), flat_bus_xml(4)}) {
    const Machine machine = parse_machine(text, "file");
    for (const Writer writer : {&written_nccl_dump, &write_hwloc_xml}) {
      SCOPED_TRACE(writer == &written_nccl_dump ? "nccl" : "lstopo");
      expect_same_routes(machine, parse_machine(written(writer, machine), "again"));
    }
  }
}

// The catalogue does not know these processors by name.
TEST(RoundTrip, HostConstantsPassThroughJson) {
  const Catalogue catalogue = shared_catalogue();
  std::ifstream original(share_folder() / "platforms" / "hgx-h100x8.json");
  nlohmann::json platform = parse_json(original);
  for (const char* processor : {"x", ""}) {
    platform["processor"] = processor;
    platform["host_constants"] = "ice-lake";
    const auto file = std::filesystem::path(scratch_folder("host_constants")) / "platform.json";
    std::ofstream(file) << platform;
    const Machine machine =
        read_platform(share_folder() / "platforms", file.string(), 1, catalogue).machine;
    const Machine again = parse_machine(machine_to_json(machine).dump(), "again");
    const std::string& model = again.nodes[nodes_of(again, NodeKind::package).front()].model;
    const HostEntry* host = catalogue.find_host(model);
    ASSERT_NE(host, nullptr) << model;
    EXPECT_EQ(host->name, "ice-lake");
  }
}

TEST(RoundTrip, ManyProcessorsTakeLittleSpace) {
  Machine machine = parse_machine(plain_xml("2.0"), "file");
  Node& memory = machine.nodes[nodes_of(machine, NodeKind::numa_node)[0]];
  for (std::uint32_t unit = 0; unit < 70000; ++unit) memory.processing_units.push_back(unit);
  const std::string text = write_hwloc_xml(machine);
  EXPECT_LT(text.size(), 60'000'000U);
  const Machine again = parse_machine(text, "again");
  EXPECT_EQ(again.nodes[nodes_of(again, NodeKind::numa_node)[0]].processing_units.size(), 8192U);
}

TEST(RoundTrip, ModelsAndMemoryPassThroughLstopo) {
  const Machine machine = described("hgx-h200x8").machine;
  const Machine again = parse_machine(write_hwloc_xml(machine), "again");
  const Node& before = machine.nodes[nodes_of(machine, NodeKind::gpu)[3]];
  const Node& after = again.nodes[nodes_of(again, NodeKind::gpu)[3]];
  EXPECT_EQ(after.model, before.model);
  EXPECT_EQ(after.memory_bytes.value_or(0) / 1024, before.memory_bytes.value_or(0) / 1024);
  EXPECT_EQ(again.nodes[nodes_of(again, NodeKind::package)[0]].model,
            machine.nodes[nodes_of(machine, NodeKind::package)[0]].model);
}

struct DestroyLoaded {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};

// What hwloc's own importer makes of the text.
std::unique_ptr<hwloc_topology, DestroyLoaded> load(const std::string& text) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  std::unique_ptr<hwloc_topology, DestroyLoaded> topology(raw);
  hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL);
  const int size = static_cast<int>(text.size()) + 1;
  if (hwloc_topology_set_xmlbuffer(raw, text.c_str(), size) != 0) return nullptr;
  return hwloc_topology_load(raw) == 0 ? std::move(topology) : nullptr;
}

// Those of NCCL: hwloc's form needs a processor, but not its core.
TEST(RoundTrip, MachinesWithoutCoresGetNoneFromLstopo) {
  const Machine machine = parse_machine(written_nccl_dump(described("dgx1-p100").machine), "dump");
  ASSERT_FALSE(machine.nodes[nodes_of(machine, NodeKind::package)[0]].cores.known());
  const std::string text = write_hwloc_xml(machine);
  EXPECT_EQ(text.find("type=\"Core\""), std::string::npos);
  const Machine again = parse_machine(text, "again");
  const std::vector<std::size_t> packages = nodes_of(again, NodeKind::package);
  ASSERT_EQ(packages.size(), 2U);
  for (const std::size_t package : packages) EXPECT_FALSE(again.nodes[package].cores.known());
  EXPECT_TRUE(load(text));
}

TEST_P(EveryPlatform, IsReadByHwlocItself) {
  const Machine machine = described(GetParam()).machine;
  const auto topology = load(write_hwloc_xml(machine));
  ASSERT_TRUE(topology);
  std::size_t gpus = 0;
  for (hwloc_obj_t pci = nullptr; (pci = hwloc_get_next_pcidev(topology.get(), pci)) != nullptr;)
    if (pci->attr->pcidev.class_id == 0x0302) ++gpus;
  EXPECT_EQ(gpus, nodes_of(machine, NodeKind::gpu).size());
  unsigned matrices = 1;
  hwloc_distances_s* matrix = nullptr;
  hwloc_distances_get_by_name(topology.get(), "NVLinkBandwidth", &matrices, &matrix, 0);
  const bool has_nvlink =
      std::any_of(machine.links.begin(), machine.links.end(),
                  [](const Link& link) { return link.kind == LinkKind::nvlink; });
  ASSERT_EQ(matrices, has_nvlink ? 1U : 0U);
  if (!has_nvlink) return;
  EXPECT_GE(matrix->nbobjs, gpus);
  hwloc_distances_release(topology.get(), matrix);
}

}  // namespace
}  // namespace convoy::topology
