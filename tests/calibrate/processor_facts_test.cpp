#include "core/calibrate/processor_facts.hpp"

#include <gtest/gtest.h>

#include "topology/detect/hwloc_topology.hpp"

namespace convoy::calibrate {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

std::uint64_t last_level_of(const char* described) {
  const topology::HwlocTopology machine = topology::load_hwloc(
      [described](hwloc_topology_t it) { hwloc_topology_set_synthetic(it, described); });
  return last_level_bytes(machine.get());
}

TEST(LastLevelBytes, AreThoseOfAllCaches) {
  EXPECT_EQ(last_level_of("pack:2 l3:2(size=33554432) core:4 pu:2"), 128 * kMiB);
  EXPECT_EQ(last_level_of("pack:1 l2:4(size=2097152) core:1 pu:1"), 8 * kMiB);
  EXPECT_EQ(last_level_of("pack:1 core:4 pu:1"), 0u);
  EXPECT_EQ(last_level_of("pack:2 l3:8(size=100663296) core:2 pu:1"), 1536 * kMiB) << "EPYC 7373X";
}

TEST(LastLevelBytes, AreNotThoseOfAVirtualMachinesHost) {
  EXPECT_EQ(last_level_of("pack:1 l3:1(size=503316480) core:2 pu:1"), 96 * kMiB);
}

}  // namespace
}  // namespace convoy::calibrate
