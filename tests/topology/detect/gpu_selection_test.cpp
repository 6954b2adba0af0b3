#include "topology/detect/gpu_selection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/topology/described.hpp"
#include "tests/topology/machine_texts.hpp"
#include "topology/detect/detect.hpp"
#include "topology/detect/driver_gpus.hpp"
#include "topology/graph/gpu_order.hpp"
#include "topology/graph/graph_edit.hpp"
#include "topology/read/hwloc_reader.hpp"
#include "topology/read/machine_json.hpp"
#include "topology/write/print_machine.hpp"

namespace convoy::topology {
namespace gpu_selection_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Listed by the driver in another order than that of their addresses, ids that begin alike.
std::vector<DriverGpu> four_gpus() {
  return {{{0, 0x65, 0, 0}, "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6", "A100"},
          {{0, 0x17, 0, 0}, "GPU-8932aaaa-0000-1111-2222-333333333333", "A100"},
          {{0, 0xca, 0, 0}, "GPU-5c17aaaa-0000-1111-2222-333333333333", "A100"},
          {{0, 0x31, 0, 0}, "GPU-77777777-0000-1111-2222-333333333333", "A100"}};
}

std::vector<DriverGpu> with_slices() {
  std::vector<DriverGpu> gpus = four_gpus();
  gpus[3].split = true;
  gpus[3].slices = {{"MIG-0a0a0a0a-1", 3, 0}, {"MIG-0b0b0b0b-2", 5, 1}};
  return gpus;
}

// Places in the driver's list, in CUDA's order.
std::vector<std::size_t> chosen(const GpuSelection& selection) {
  std::vector<std::size_t> places;
  for (const ChosenGpu& it : selection.chosen) places.push_back(it.gpu);
  return places;
}

GpuSelection of_list(const std::string& list, const std::vector<DriverGpu>& gpus = four_gpus()) {
  return select_gpus({.visible = list}, gpus);
}

TEST(GpuSelection, WithoutTheVariableAllAreThereInTheOrderOfTheirAddresses) {
  EXPECT_THAT(chosen(select_gpus({}, four_gpus())), ElementsAre(1, 3, 0, 2));
}

TEST(GpuSelection, NumbersCountByAddressAndGiveTheOrder) {
  EXPECT_THAT(chosen(of_list("2,0")), ElementsAre(0, 1));
  EXPECT_THAT(chosen(of_list(" 3 , 1")), ElementsAre(2, 3));
}

TEST(GpuSelection, IdsMayBeCutShortWhileTheyNameOneGpu) {
  EXPECT_THAT(chosen(of_list("GPU-5c17,GPU-8932f")), ElementsAre(2, 0));
  EXPECT_THAT(chosen(of_list("GPU-8932F937-D72C")), ElementsAre(0));
  const GpuSelection both = of_list("GPU-8932");
  EXPECT_THAT(both.chosen, IsEmpty());
  EXPECT_THAT(both.remarks, ElementsAre(HasSubstr("'GPU-8932', begins the ids of 2 GPUs")));
}

TEST(GpuSelection, TheListEndsAtTheFirstEntryThatNamesNone) {
  for (const char* list : {"0,2,-1,1", "0,2,9,1", "0,2,x,1", "0,2,,1", "0,2,GPU-5c17"}) {
    const GpuSelection selection = of_list(list);
    EXPECT_THAT(chosen(selection), ElementsAre(1, 0)) << list;
    EXPECT_THAT(selection.remarks, ElementsAre(HasSubstr("entry 3 of CUDA_VISIBLE_DEVICES")));
  }
  EXPECT_THAT(chosen(of_list("GPU-5c17,1")), ElementsAre(2)) << "lists are of one kind";
}

TEST(GpuSelection, AnEmptyListAndMinusOneHideAll) {
  for (const char* list : {"", " ", "-1", "NoDevFiles"})
    EXPECT_THAT(of_list(list).chosen, IsEmpty()) << list;
  EXPECT_TRUE(of_list("").certain);
}

TEST(GpuSelection, AGpuThatIsListedTwiceLeavesNone) {
  for (const char* list : {"0,1,0", "GPU-5c17,GPU-5c17aaaa"}) {
    EXPECT_THAT(of_list(list).chosen, IsEmpty()) << list;
    EXPECT_THAT(of_list(list).remarks, ElementsAre(HasSubstr("twice"))) << list;
  }
}

TEST(GpuSelection, NumbersOfUnlikeGpusAreKnownInTheOrderOfTheBusOnly) {
  std::vector<DriverGpu> gpus = four_gpus();
  gpus[2].model = "H100";
  const GpuSelection unknown = of_list("0", gpus);
  EXPECT_FALSE(unknown.certain);
  EXPECT_THAT(unknown.remarks, ElementsAre(HasSubstr("CUDA_DEVICE_ORDER=PCI_BUS_ID")));
  EXPECT_THAT(chosen(select_gpus({.visible = "0", .order = "PCI_BUS_ID"}, gpus)), ElementsAre(1));
  EXPECT_THAT(chosen(of_list("GPU-5c17", gpus)), ElementsAre(2)) << "ids need no order";
  EXPECT_EQ(select_gpus({}, gpus).chosen.size(), 4u);
  EXPECT_FALSE(select_gpus({}, gpus).numbered);
}

TEST(GpuSelection, AProcessGetsOneSliceAndNoGpuBesideIt) {
  const auto one = [](std::size_t slice) { return ElementsAre(ChosenGpu{3, slice}); };
  EXPECT_THAT(of_list("MIG-0b0b", with_slices()).chosen, one(1));
  EXPECT_THAT(of_list("MIG-GPU-77777777-0000-1111-2222-333333333333/5/1", with_slices()).chosen,
              one(1));
  const GpuSelection two = of_list("MIG-0a0a0a0a-1,MIG-0b0b0b0b-2", with_slices());
  EXPECT_THAT(two.chosen, one(0));
  EXPECT_THAT(two.remarks, ElementsAre(HasSubstr("a process gets one slice")));
  EXPECT_THAT(select_gpus({}, with_slices()).chosen, one(0));
  EXPECT_FALSE(of_list("0", with_slices()).certain);
  EXPECT_THAT(chosen(of_list("GPU-5c17", with_slices())), ElementsAre(2));
}

Machine machine_with(const GpuVariables& variables) {
  Machine machine = read_hwloc_xml(flat_bus_xml(2), "hwloc");
  read_nvml(machine, CONVOY_FAKE_NVML, variables);
  return machine;
}

std::string why_hidden(const Machine& machine, std::size_t gpu) {
  return machine.nodes[nodes_of(machine, NodeKind::gpu)[gpu]].device_number.source;
}

TEST(UsableGpus, AreFoundInTheMachineByTheirAddresses) {
  const Machine machine = machine_with({.visible = "GPU-c0000000,GPU-a000"});
  const std::vector<std::size_t> gpus = nodes_of(machine, NodeKind::gpu);
  EXPECT_THAT(usable_gpus(machine), ElementsAre(gpus[2], gpus[0]));
  EXPECT_EQ(machine.nodes[gpus[2]].device_number.value, 0u);
  EXPECT_EQ(hidden_gpus(machine), "gpu1: hidden by CUDA_VISIBLE_DEVICES='GPU-c0000000,GPU-a000'");
  EXPECT_THAT(machine_svg(machine), HasSubstr("hidden from this process"));
}

TEST(UsableGpus, HaveTheDriversIdsWhichMayBeCutShort) {
  const Machine machine = machine_with({});
  const std::vector<std::size_t> gpus = nodes_of(machine, NodeKind::gpu);
  EXPECT_EQ(machine.nodes[gpus[2]].uuid, "GPU-c0000000-1111-2222-3333-444444444444");
  EXPECT_THAT(gpus_of_id(machine, "GPU-C0"), ElementsAre(2));
  EXPECT_THAT(gpus_of_id(machine, "GPU-"), ElementsAre(0, 2)) << "one is split";
  EXPECT_THAT(gpus_of_id(machine, "GPU-77"), IsEmpty());
  const Machine read = read_machine_json(machine_to_json(machine).dump(), "a file");
  EXPECT_EQ(read.nodes[gpus[2]].uuid, machine.nodes[gpus[2]].uuid);
}

TEST(UsableGpus, ASliceIsOfItsGpu) {
  const Machine machine = machine_with({.visible = "MIG-2111"});
  const std::size_t gpu = nodes_of(machine, NodeKind::gpu)[1];
  EXPECT_THAT(usable_gpus(machine), ElementsAre(gpu));
  const Machine read = read_machine_json(machine_to_json(machine).dump(), "a file");
  for (const Machine* it : {&machine, &read}) {
    ASSERT_TRUE(it->nodes[gpu].part);
    EXPECT_EQ(it->nodes[gpu].part->multiprocessors, 42u);
    EXPECT_EQ(it->nodes[gpu].part->memory_bytes, std::uint64_t{19968} << 20);
  }
  EXPECT_EQ(machine_with({}).nodes[gpu].part->multiprocessors, 14u) << "the first slice";
  EXPECT_FALSE(machine_with({.visible = "GPU-a"}).nodes[gpu].part);
  EXPECT_THAT(why_hidden(machine_with({}), 0), HasSubstr("slice (MIG) of another GPU"));
  EXPECT_THAT(why_hidden(machine_with({.visible = "GPU-a"}), 1), HasSubstr("hidden by"));
}

// Of four in /sys a container's driver shows two.
TEST(UsableGpus, WhatTheDriverDoesNotShowCannotBeUsed) {
  Machine machine = read_hwloc_xml(flat_bus_xml(4), "hwloc");
  read_nvml(machine, CONVOY_FAKE_NVML, {.visible = "GPU-a,GPU-c", .container = "0,1"});
  EXPECT_EQ(usable_gpus(machine).size(), 2u);
  EXPECT_THAT(why_hidden(machine, 3), HasSubstr("does not show it to this process "
                                                "(NVIDIA_VISIBLE_DEVICES='0,1' of its container)"));
}

// A workstation's display adapter has no number of CUDA's.
TEST(UsableGpus, AnotherVendorsAdapterIsNotOneOfThem) {
  Machine machine = read_hwloc_xml(flat_bus_xml(4), "hwloc");
  const std::size_t other = nodes_of(machine, NodeKind::gpu)[3];
  machine.nodes[other].id = PciId{0x1002, 0x73bf};
  read_nvml(machine, CONVOY_FAKE_NVML, {.visible = "GPU-a,GPU-c"});
  EXPECT_EQ(usable_gpus(machine).size(), 2u);
  EXPECT_THAT(why_hidden(machine, 3), HasSubstr("another vendor's"));
  Machine alone = read_hwloc_xml(flat_bus_xml(1), "hwloc");
  alone.nodes[nodes_of(alone, NodeKind::gpu)[0]].id = PciId{0x1002, 0x74a1};
  mark_usable_gpus(alone, {}, {});
  EXPECT_EQ(usable_gpus(alone).size(), 1u) << "where NVIDIA's driver shows nothing";
}

TEST(UsableGpus, AreAllWhereNothingIsSaid) {
  const Machine machine = convoy::testing::described("dgx1-p100").machine;
  EXPECT_EQ(usable_gpus(machine), nodes_of(machine, NodeKind::gpu));
  EXPECT_EQ(hidden_gpus(machine), "");
}

}  // namespace gpu_selection_test
}  // namespace convoy::topology
