#include "core/simulate/machine/described_constants.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/topology/described.hpp"
#include "topology/graph/graph_edit.hpp"

namespace convoy::testing {
namespace {

using ::testing::HasSubstr;

// The first of eight A100 of 40 GB is cut by MIG, and what runs has a 3g.20gb of it.
TEST(DescribedConstants, ASliceHasItsShareOfTheGpu) {
  topology::Machine machine = convoy::testing::described("ec2-p4d.24xlarge").machine;
  const std::vector<std::size_t> gpus = nodes_of(machine, topology::NodeKind::gpu);
  machine.nodes[gpus[0]].part = topology::GpuPart{42, std::uint64_t{19968} << 20};
  std::vector<std::string> unknown;
  const auto constants = simulate::machine_constants(machine, shared_catalogue(), unknown);
  ASSERT_TRUE(unknown.empty());
  ASSERT_EQ(constants.devices.size(), 2u);
  const auto device_of = [&](std::size_t gpu) {
    return constants.devices[constants.device_of(machine.nodes[gpu])];
  };
  const simulate::SimulatedDevice slice = device_of(gpus[0]);
  const simulate::SimulatedDevice whole = device_of(gpus[1]);
  EXPECT_DOUBLE_EQ(slice.flops_per_second, whole.flops_per_second * 42 / 108);
  EXPECT_DOUBLE_EQ(slice.half_flops_per_second, whole.half_flops_per_second * 42 / 108);
  EXPECT_DOUBLE_EQ(slice.tf32_flops_per_second, whole.tf32_flops_per_second * 42 / 108);
  EXPECT_DOUBLE_EQ(slice.memory_bytes_per_second, whole.memory_bytes_per_second / 2);
  EXPECT_EQ(slice.memory_bytes, std::uint64_t{19968} << 20);
  EXPECT_THAT(slice.name, HasSubstr("42 of 108 multiprocessors of NVIDIA A100-SXM4-40GB"));
}

// A driver that does not tell leaves the whole GPU's rates.
TEST(DescribedConstants, ASliceOfUnknownSizeIsTheGpu) {
  topology::Machine machine = convoy::testing::described("ec2-p4d.24xlarge").machine;
  const std::vector<std::size_t> gpus = nodes_of(machine, topology::NodeKind::gpu);
  machine.nodes[gpus[0]].part = topology::GpuPart{};
  std::vector<std::string> unknown;
  const auto constants = simulate::machine_constants(machine, shared_catalogue(), unknown);
  for (const simulate::SimulatedDevice& device : constants.devices)
    EXPECT_EQ(device.flops_per_second, constants.devices[0].flops_per_second);
}

}  // namespace
}  // namespace convoy::testing
