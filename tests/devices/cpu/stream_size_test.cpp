#include "plugins/devices/cpu/stream_size.hpp"

#include <gtest/gtest.h>

namespace convoy::cpu {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

// A made-up machine, and some of its logical processors.
class Machine {
 public:
  explicit Machine(const char* described) {
    hwloc_topology_init(&topology_);
    hwloc_topology_set_synthetic(topology_, described);
    hwloc_topology_load(topology_);
  }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  ~Machine() { hwloc_topology_destroy(topology_); }

  std::size_t share_of(int first, int last) const {
    const hwloc_bitmap_t cores = hwloc_bitmap_alloc();
    if (last >= first) hwloc_bitmap_set_range(cores, static_cast<unsigned>(first), last);
    const std::size_t share = cache_share(topology_, cores);
    hwloc_bitmap_free(cores);
    return share;
  }

 private:
  hwloc_topology_t topology_ = nullptr;
};

TEST(StreamSize, ADeviceHasThePartOfACacheThatItsCoresAre) {
  const Machine machine("pack:2 l3:1(size=125829120) core:4 pu:2");
  EXPECT_EQ(machine.share_of(0, 15), 240 * kMiB);
  EXPECT_EQ(machine.share_of(0, 7), 120 * kMiB);
  EXPECT_EQ(machine.share_of(2, 5), 60 * kMiB);
  EXPECT_EQ(machine.share_of(4, 11), 120 * kMiB) << "half of each";
  EXPECT_EQ(machine.share_of(1, 0), 0u) << "no core";
}

TEST(StreamSize, TheCachesOfAVirtualMachinesHostAreNotItsOwn) {
  const Machine machine("pack:1 l3:1(size=503316480) core:2 pu:1");
  EXPECT_EQ(machine.share_of(0, 1), 96 * kMiB);
  EXPECT_EQ(machine.share_of(1, 1), 48 * kMiB);
  EXPECT_EQ(Machine("pack:1 l3:1(size=503316480) core:1 pu:2").share_of(1, 1), 48 * kMiB)
      << "one thread of a core";
}

TEST(StreamSize, WithoutALastLevelTheNextOneCounts) {
  EXPECT_EQ(Machine("pack:1 l2:4(size=2097152) core:1 pu:1").share_of(0, 1), 4 * kMiB);
  EXPECT_EQ(Machine("pack:1 core:4 pu:1").share_of(0, 3), 0u);
}

TEST(StreamSize, ArraysExceedTheCacheAndNotTheMemory) {
  for (const std::size_t cache : {0u, 32u, 120u, 480u, 1152u}) {
    const std::size_t three = 3 * stream_bytes(cache * kMiB);
    EXPECT_GE(three, cache * kMiB * 3 / 2) << cache;
    EXPECT_LE(three, std::max(192 * kMiB, cache * kMiB * 2)) << cache;
  }
  // Devices that divide a cache take together what one with all of it takes.
  EXPECT_EQ(2 * stream_bytes(240 * kMiB), stream_bytes(480 * kMiB));
}

}  // namespace
}  // namespace convoy::cpu
