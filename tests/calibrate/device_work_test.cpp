#include "core/calibrate/device_work.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "core/base/error.hpp"
#include "core/runtime/open_devices.hpp"
#include "tests/devices/fake/fake_device.hpp"

namespace convoy::calibrate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::uint64_t kBytes = std::uint64_t{1} << 20;

TEST(DeviceWork, SumsInTheDevicesMemory) {
  const auto plugin = testing::fake_plugin();
  runtime::OpenDevices devices(*plugin, 1, 1);
  plugin::OpenDevice& device = *devices.engines().front();
  DeviceWork work(device);
  const DeviceVector a(device, 2 * sizeof(float));
  const DeviceVector sum(device, 2 * sizeof(float));
  const float values[] = {1, 2.5};
  device.write(a.region().data, values, sizeof values);
  EXPECT_GE(work.sum(a.region(), a.region(), sum.region()), 0);
  float result[2] = {};
  device.read(result, sum.region().data, sizeof result);
  EXPECT_THAT(result, ElementsAre(2, 5));
}

// The operation goes on after everybody has given it up, as an address sanitizer sees.
TEST(DeviceWork, LeavesTheMemoryOfAnOperationThatHangs) {
  constexpr std::uint32_t kHangs = 300;
  const auto plugin =
      testing::fake_plugin({.hang_device = 1, .hang_operation = 0, .hang_milliseconds = kHangs});
  {
    runtime::OpenDevices devices(*plugin, 2, 1);
    plugin::OpenDevice& other = *devices.engines()[0];
    plugin::OpenDevice& hanging = *devices.engines()[1];
    DeviceWork work(hanging, {&other}, 0.05);
    const DeviceVector a(hanging, kBytes);
    const DeviceVector b(other, kBytes);
    try {
      work.copy(a.region(), b.region());
      FAIL() << "it does not hang";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kTimeout);
      EXPECT_THAT(error.what(), HasSubstr("device fake (built in) did not finish an operation "
                                          "within 0.05 s"));
    }
    EXPECT_TRUE(work.hangs());
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(2 * kHangs));
}

}  // namespace
}  // namespace convoy::calibrate
