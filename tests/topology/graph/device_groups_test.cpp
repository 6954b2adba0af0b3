#include "topology/graph/device_groups.hpp"

#include <gtest/gtest.h>

#include "tests/topology/described.hpp"
#include "topology/graph/graph_edit.hpp"

namespace convoy::topology::device_groups_test {
namespace {

using Numbers = std::vector<std::uint32_t>;

DeviceGroups groups_of(const std::string& platform, std::uint32_t hosts = 1) {
  const Machine machine = convoy::testing::described(platform, hosts).machine;
  return device_groups(machine, nodes_of(machine, NodeKind::gpu));
}

TEST(DeviceGroups, OfADgx1AreTwoGpusPerSwitchAndFourPerSocketAndQuad) {
  const DeviceGroups groups = groups_of("dgx1-p100");
  EXPECT_EQ(groups.pcie_switch, (Numbers{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(groups.numa, (Numbers{0, 0, 0, 0, 1, 1, 1, 1}));
  // Every GPU also has a link to one of the other quad, which does not reach all of its own.
  EXPECT_EQ(groups.nvlink, (Numbers{0, 0, 0, 0, 1, 1, 1, 1}));
}

TEST(DeviceGroups, AreJoinedByNvswitches) {
  EXPECT_EQ(groups_of("hgx-h200x8").nvlink, Numbers(8, 0));
  EXPECT_EQ(groups_of("dgx2-v100").nvlink, Numbers(16, 0));
}

TEST(DeviceGroups, AreOfOneGpuWhereNothingJoinsThem) {
  EXPECT_EQ(groups_of("ec2-p2.8xlarge").nvlink, (Numbers{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(DeviceGroups, DoNotReachToOtherHosts) {
  const DeviceGroups groups = groups_of("dgx1-p100", 2);
  EXPECT_EQ(groups.numa, (Numbers{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3}));
  EXPECT_EQ(groups.nvlink, groups.numa);
}

// Groups are made in the order in which the GPUs are named.
TEST(DeviceGroups, FollowTheOrderOfTheGpus) {
  const Machine machine = convoy::testing::described("dgx1-p100").machine;
  const std::vector<std::size_t> gpus = nodes_of(machine, NodeKind::gpu);
  const DeviceGroups groups = device_groups(machine, {gpus[4], gpus[0], gpus[1], gpus[5]});
  EXPECT_EQ(groups.numa, (Numbers{0, 1, 1, 0}));
  EXPECT_EQ(groups.nvlink, (Numbers{0, 0, 1, 1}));
}

}  // namespace
}  // namespace convoy::topology::device_groups_test
