#include "topology/detect/usable_cores.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

#include "topology/detect/hwloc_topology.hpp"

namespace convoy::topology {
namespace usable_cores_test {

using ::testing::ElementsAre;

// Two threads per core, numbered as the kernel does: the second threads behind all first ones.
const std::vector<CoreUnits> kFourCores = {{0, 4}, {1, 5}, {2, 6}, {3, 7}};

TEST(UsableCores, AreDividedWithAllTheirThreads) {
  EXPECT_THAT(share_of_cores(kFourCores, 0, 2), ElementsAre(0, 4, 1, 5));
  EXPECT_THAT(share_of_cores(kFourCores, 1, 2), ElementsAre(2, 6, 3, 7));
  EXPECT_THAT(share_of_cores(kFourCores, 0, 3), ElementsAre(0, 4));
  EXPECT_THAT(share_of_cores(kFourCores, 2, 3), ElementsAre(2, 6, 3, 7));
}

TEST(UsableCores, AreSharedByMorePartsThanThereAre) {
  EXPECT_THAT(share_of_cores({{3}, {5}}, 0, 5), ElementsAre(3));
  EXPECT_THAT(share_of_cores({{3}, {5}}, 4, 5), ElementsAre(5));
}

TEST(UsableCores, AreThoseThatThisProcessIsBoundTo) {
  const UsableCores all = usable_cores();
  ASSERT_FALSE(all.cores.empty());
  EXPECT_GE(all.present, all.cores.size());
  std::vector<unsigned> units;
  for (const CoreUnits& core : all.cores) units.insert(units.end(), core.begin(), core.end());
  cpu_set_t bound;
  CPU_ZERO(&bound);
  ASSERT_EQ(sched_getaffinity(0, sizeof(bound), &bound), 0);
  EXPECT_EQ(units.size(), static_cast<std::size_t>(CPU_COUNT(&bound)));
  for (const unsigned unit : units) EXPECT_TRUE(CPU_ISSET(unit, &bound)) << unit;
}

std::size_t packages_of(const char* machine) {
  const HwlocTopology topology =
      load_hwloc([&](hwloc_topology_t it) { hwloc_topology_set_synthetic(it, machine); });
  return topology ? usable_cores(topology.get()).packages : 0;
}

TEST(UsableCores, AreInAsManyPackagesAsHaveMemory) {
  EXPECT_EQ(packages_of("pack:1 numa:1 core:4 pu:2"), 1U);
  EXPECT_EQ(packages_of("pack:2 numa:1 core:4 pu:2"), 2U);
  EXPECT_EQ(packages_of("pack:2 numa:4 core:2 pu:2"), 2U) << "several NUMA nodes per package";
  EXPECT_EQ(packages_of("numa:1 pack:8 core:1 pu:1"), 1U) << "a virtual machine's packages";
}

}  // namespace usable_cores_test
}  // namespace convoy::topology
