#include "core/base/system/gpu_monitor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace convoy {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Until the first GPU was asked so often.
std::vector<GpuReadings> watched(GpuMonitor& monitor, std::uint64_t samples) {
  monitor.start();
  while (monitor.readings().front().samples < samples) std::this_thread::yield();
  monitor.stop();
  return monitor.readings();
}

TEST(GpuMonitor, SumsUpWhatSensorsSay) {
  const auto monitor =
      GpuMonitor::open({"0000:30:00.0", "0000:31:00.0"}, CONVOY_FAKE_NVML, milliseconds(1));
  ASSERT_NE(monitor, nullptr);
  const std::vector<GpuReadings> readings = watched(*monitor, 4);
  ASSERT_EQ(readings.size(), 2u);
  const GpuReadings& first = readings[0];
  EXPECT_EQ(first.pci_address, "0000:30:00.0");
  EXPECT_GE(first.watts.count, 4u);
  EXPECT_EQ(first.watts.least, 300);
  EXPECT_EQ(first.watts.most, 400);
  EXPECT_GT(first.watts.mean(), 320);
  EXPECT_LT(first.watts.mean(), 380);
  EXPECT_EQ(first.degrees.mean(), 60);
  EXPECT_EQ(first.sm_megahertz.mean(), 1410);
  EXPECT_EQ(first.memory_megahertz.mean(), 1215);
}

TEST(GpuMonitor, TellsThrottlingFromIdleAndChosenClocks) {
  const auto monitor =
      GpuMonitor::open({"0000:30:00.0", "0000:31:00.0"}, CONVOY_FAKE_NVML, milliseconds(1));
  ASSERT_NE(monitor, nullptr);
  const std::vector<GpuReadings> readings = watched(*monitor, 2);
  EXPECT_EQ(readings[0].throttled_samples, readings[0].samples);
  EXPECT_THAT(readings[0].throttle_reasons, ElementsAre("power cap"));
  EXPECT_GE(readings[1].samples, 2u);
  EXPECT_EQ(readings[1].throttled_samples, 0u);
  EXPECT_THAT(readings[1].throttle_reasons, IsEmpty());
}

TEST(GpuMonitor, LeavesOutSensorsThatAreNotThere) {
  const auto monitor = GpuMonitor::open({"0000:31:00.0"}, CONVOY_FAKE_NVML, milliseconds(1));
  ASSERT_NE(monitor, nullptr);
  const std::vector<GpuReadings> readings = watched(*monitor, 1);
  EXPECT_EQ(readings[0].watts.count, 0u);
  EXPECT_EQ(readings[0].degrees.mean(), 61);
}

TEST(GpuMonitor, AsksOnceMoreWhenItStops) {
  const auto monitor = GpuMonitor::open({"0000:30:00.0"}, CONVOY_FAKE_NVML, std::chrono::hours(1));
  ASSERT_NE(monitor, nullptr);
  monitor->start();
  monitor->stop();
  EXPECT_GE(monitor->readings()[0].samples, 1u);
}

TEST(GpuMonitor, IsNotThereWithoutLibraryOrGpu) {
  EXPECT_EQ(GpuMonitor::open({"0000:30:00.0"}, "libno-such-nvml.so.1"), nullptr);
  EXPECT_EQ(GpuMonitor::open({"0000:99:00.0"}, CONVOY_FAKE_NVML), nullptr);
  EXPECT_EQ(GpuMonitor::open({}, CONVOY_FAKE_NVML), nullptr);
}

}  // namespace
}  // namespace convoy
