#include "core/qualify/clues.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/scratch_folder.hpp"

namespace convoy::qualify {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Clues : public testing::Test {
 protected:
  void file(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path) << text;
  }
  SystemRoot root() const { return SystemRoot(folder_); }

  static auto about(const std::string& subject, const std::string& text) {
    return AllOf(Field(&Clue::subject, subject), Field(&Clue::text, HasSubstr(text)));
  }

  std::filesystem::path folder_ = scratch_folder("clues");
  std::vector<Clue> clues_;
};

TEST_F(Clues, ACoreThatOthersHadIsNamedWithTheDeviceThatItBelongsTo) {
  const std::vector<QualifiedDevice> devices = {{"cpu:0", "", "0", {0}}, {"cpu:1", "", "1", {1}}};
  add_core_clues({{0, 100, 0.99}, {1, 52, 0.51}}, devices, clues_);
  EXPECT_THAT(clues_, ElementsAre(about("core 1", "used by other processes for 49 %"),
                                  about("cpu:1", "core 1 was used by other processes")));
}

// Kilohertz, as the kernel writes them; the second core is pinned down.
TEST_F(Clues, ACoreWhoseFrequencyIsLimitedIsNamed) {
  for (const char* core : {"cpu0", "cpu1"})
    file(std::string("sys/devices/system/cpu/") + core + "/cpufreq/cpuinfo_max_freq", "3500000\n");
  file("sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq", "3400000\n");
  file("sys/devices/system/cpu/cpu1/cpufreq/scaling_max_freq", "1200000\n");
  add_frequency_clues(root(), {0, 1, 2}, {{"cpu:1", "", "1", {1}}}, clues_);
  EXPECT_THAT(clues_, ElementsAre(about("core 1", "may run at 1.20 of its 3.50 GHz"),
                                  about("cpu:1", "core 1 may run at 1.20")));
}

TEST_F(Clues, ThrottlingBetweenTwoLooksIsSeen) {
  file("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "7\n");
  file("sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "3\n");
  const ThrottleCounts before = read_throttle_counts(root(), {0, 1, 2});
  file("sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "5\n");
  add_throttle_clues(before, read_throttle_counts(root(), {0, 1, 2}), {}, clues_);
  EXPECT_THAT(clues_, ElementsAre(about("core 1", "too hot 2 times")));
}

TEST_F(Clues, CoresOnAnotherNodeThanTheirMemoryAreAWrongDescription) {
  file("sys/devices/system/node/node0/cpulist", "0-1\n");
  file("sys/devices/system/node/node1/cpulist", "2-3\n");
  const std::vector<QualifiedDevice> devices = {{"cpu:0", "", "0-1", {0, 1}, 0},
                                                {"cpu:1", "", "1-2", {1, 2}, 1}};
  add_numa_clues(root(), devices, {0, 1, 2, 3}, clues_);
  EXPECT_THAT(clues_, ElementsAre(about("cpu:1",
                                        "memory is taken from NUMA node 1, but the kernel "
                                        "has its core 1 on another node")));
}

TEST_F(Clues, AGpuThatNoAllowedCoreIsNearTo) {
  file("sys/devices/system/node/node0/cpulist", "0-1\n");
  file("sys/devices/system/node/node1/cpulist", "2-3\n");
  file("sys/bus/pci/devices/0000:17:00.0/numa_node", "1\n");
  const std::vector<QualifiedDevice> devices = {{"cuda:0", "", "0000:17:00.0"}};
  add_numa_clues(root(), devices, {0, 1}, clues_);
  EXPECT_THAT(clues_, ElementsAre(about("cuda:0", "attached to NUMA node 1")));
  clues_.clear();
  add_numa_clues(root(), devices, {1, 2}, clues_);
  EXPECT_THAT(clues_, IsEmpty());
}

TEST_F(Clues, WarningsOfTheDoctorBelongToTheirDevice) {
  const std::string gpu = "sys/bus/pci/devices/0000:17:00.0/";
  file(gpu + "class", "0x030200\n");
  file(gpu + "vendor", "0x10de\n");
  file(gpu + "current_link_width", "4\n");
  file(gpu + "max_link_width", "16\n");
  file("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  file("sys/kernel/iommu_groups/0/type", "DMA\n");
  file("proc/cmdline", "root=/dev/sda1\n");
  add_system_clues(root(), no_libraries("a test"), {{"cuda:0", "", "0000:17:00.0"}}, clues_);
  EXPECT_THAT(clues_, Contains(about("cuda:0", "4 of 16 lanes")));
  EXPECT_THAT(clues_, Contains(about("", "powersave")));
  EXPECT_THAT(clues_, Contains(about("", "IOMMU: on")));
}

TEST_F(Clues, ClocksThatWereHeldBackNameTheReason) {
  GpuReadings readings;
  readings.pci_address = "0000:17:00.0";
  readings.samples = 10;
  readings.throttled_samples = 4;
  readings.throttle_reasons = {"power limit"};
  add_gpu_clues({readings}, {{"cuda:0", "", "0000:17:00.0"}, {"cuda:1", "", "0000:65:00.0"}},
                clues_);
  EXPECT_THAT(clues_, ElementsAre(about("cuda:0", "held back for 40 % of the time: power limit")));
}

}  // namespace
}  // namespace convoy::qualify
