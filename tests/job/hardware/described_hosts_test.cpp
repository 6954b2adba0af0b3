#include "core/job/hardware/described_hosts.hpp"

#include <gtest/gtest.h>

#include "core/base/error.hpp"

namespace convoy::job {
namespace {

TEST(DescribedHosts, AreCountedHoweverTheOptionsNameThem) {
  EXPECT_EQ(count_hosts({}), 1u);
  MachineOptions machine;
  machine.hosts = 100;
  EXPECT_EQ(count_hosts(machine), 100u);
  machine.platform = "dgx-a100";
  EXPECT_EQ(count_hosts(machine), 100u);
  machine.hosts.reset();
  machine.platform = "dgx-a100:100+dgx1-v100:20+dgx1-p100";
  EXPECT_EQ(count_hosts(machine), 121u);
}

TEST(DescribedHosts, WithOnlyServersAreCountedToo) {
  MachineOptions machine;
  machine.worker_hosts = "a:1,b:1,c:1";
  EXPECT_EQ(count_hosts(machine), 3u);
  machine.ps_hosts = "b:2,d:1";
  EXPECT_EQ(count_hosts(machine), 4u);
  machine.worker_hosts = "70";
  machine.ps_hosts = "30";
  EXPECT_EQ(count_hosts(machine), 100u);
}

TEST(DescribedHosts, ThatContradictEachOtherAreNotCounted) {
  MachineOptions machine;
  machine.hosts = 2;
  machine.worker_hosts = "a:1,b:1,c:1";
  EXPECT_THROW(count_hosts(machine), Error);
}

}  // namespace
}  // namespace convoy::job
