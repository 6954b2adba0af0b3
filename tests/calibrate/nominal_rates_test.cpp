#include "core/calibrate/nominal_rates.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/scratch_folder.hpp"

namespace convoy::calibrate {
namespace {

ProcessorFacts eight_cores() {
  ProcessorFacts facts;
  facts.model = "Intel(R) Xeon(R) CPU E5-2698 v4 @ 2.20GHz";
  facts.cores = 8;
  facts.hertz = 2e9;
  facts.multiply_adds_per_cycle = 16;
  facts.instructions = "AVX2 and FMA";
  return facts;
}

topology::Catalogue catalogue() {
  return topology::Catalogue::read(CONVOY_SOURCE_DIR "/share/catalogue");
}

TEST(NominalRatesTest, FollowFromTheProcessorAndNameTheirSource) {
  const NominalRates rates = nominal_rates(eight_cores(), catalogue());
  EXPECT_DOUBLE_EQ(rates.flops_per_second, 64e9);
  EXPECT_LT(rates.memory_bytes_per_second, 8 * rates.core_memory_bytes_per_second);
  for (const char* part : {"AVX2 and FMA", "2.00 GHz", "broadwell"})
    EXPECT_NE(rates.source.find(part), std::string::npos) << rates.source;
}

TEST(NominalRatesTest, EveryPackageHasItsOwnMemory) {
  ProcessorFacts facts = eight_cores();
  facts.cores = 40;
  const double one = nominal_rates(facts, catalogue()).memory_bytes_per_second;
  facts.packages = 2;
  EXPECT_DOUBLE_EQ(nominal_rates(facts, catalogue()).memory_bytes_per_second, 2 * one);
  facts.cores = 1;
  const NominalRates few = nominal_rates(facts, catalogue());
  EXPECT_DOUBLE_EQ(few.memory_bytes_per_second, few.core_memory_bytes_per_second);
}

TEST(NominalRatesTest, DevicesShareTheCores) {
  const ProcessorFacts facts = eight_cores();
  const NominalRates rates = nominal_rates(facts, catalogue());
  const auto flops = [&](std::uint32_t devices, std::uint32_t threads) {
    const auto cluster = nominal_cluster(facts, rates, devices, threads);
    EXPECT_EQ(cluster.cluster.replicas(), devices);
    return cluster.machine.devices.front().flops_per_second;
  };
  EXPECT_DOUBLE_EQ(flops(1, 0), 8 * flops(8, 0));
  EXPECT_DOUBLE_EQ(flops(2, 0), flops(1, 4));
  const auto crowded = nominal_cluster(facts, rates, 16, 0).machine.devices.front();
  EXPECT_DOUBLE_EQ(crowded.board_rates.back(), 0.5) << "two devices per core";
}

TEST(ProcessorFactsTest, AnIdleCoresFrequencyIsNotItsSpeed) {
  const std::filesystem::path root = scratch_folder("frequencies");
  const auto write = [&](const std::string& file, const char* text) {
    std::filesystem::create_directories((root / file).parent_path());
    std::ofstream(root / file) << text;
  };
  const auto hertz = [&] { return processor_hertz(SystemRoot(root)); };
  const std::string core = "sys/devices/system/cpu/cpu0/";
  EXPECT_EQ(hertz(), 0) << "unknown";
  write("proc/cpuinfo", "processor : 0\ncpu MHz : 800.000\n");
  EXPECT_DOUBLE_EQ(hertz(), 0.8e9);
  write(core + "cpufreq/cpuinfo_max_freq", "3700000\n");
  EXPECT_DOUBLE_EQ(hertz(), 3.7e9);
  write(core + "acpi_cppc/nominal_freq", "2450\n");
  EXPECT_DOUBLE_EQ(hertz(), 2.45e9);
  write(core + "cpufreq/base_frequency", "2200000\n");
  EXPECT_DOUBLE_EQ(hertz(), 2.2e9);
}

TEST(ProcessorFactsTest, ThisMachineHasCoresAndVectors) {
  const ProcessorFacts facts = read_processor_facts();
  EXPECT_GE(facts.cores, 1u);
  EXPECT_GT(facts.memory_bytes, 0u);
  EXPECT_GT(facts.multiply_adds_per_cycle, 0);
  EXPECT_FALSE(facts.model.empty());
}

}  // namespace
}  // namespace convoy::calibrate
