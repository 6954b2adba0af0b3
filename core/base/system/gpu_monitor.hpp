#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/base/system/nvml_library.hpp"

namespace convoy {

// Mean and extremes of what a sensor said; count 0: it said nothing.
struct SensorSummary {
  std::uint64_t count = 0;
  double sum = 0;
  double least = 0;
  double most = 0;

  void add(double value);
  double mean() const { return count == 0 ? 0 : sum / static_cast<double>(count); }
};

// What one GPU's sensors said while it was watched.
struct GpuReadings {
  std::string pci_address;
  SensorSummary watts;
  SensorSummary degrees;  // Celsius
  SensorSummary sm_megahertz;
  SensorSummary memory_megahertz;
  std::uint64_t samples = 0;            // of throttle reasons
  std::uint64_t throttled_samples = 0;  // of them, those in which something held the clocks back
  std::vector<std::string> throttle_reasons;  // each that was seen, once

  // 0.25: in a quarter of the samples. Empty without any.
  std::optional<double> throttled_share() const;
};

// Asks the sensors of GPUs again and again, on a thread of its own, between start() and stop().
// Sensors that a GPU lacks, or that this process may not read, are left out.
class GpuMonitor {
 public:
  static constexpr std::chrono::milliseconds kPeriod{100};

  // GPUs by PCI address ("0000:17:00.0"). Null when the library cannot be opened or knows none of
  // them.
  static std::unique_ptr<GpuMonitor> open(const std::vector<std::string>& pci_addresses,
                                          const std::string& library = kNvmlFile,
                                          std::chrono::milliseconds period = kPeriod);
  ~GpuMonitor();
  GpuMonitor(const GpuMonitor&) = delete;
  GpuMonitor& operator=(const GpuMonitor&) = delete;

  void start();
  void stop();  // asks once more, so that there is an answer however short the time was
  std::vector<GpuReadings> readings() const;

 private:
  struct Gpu {
    NvmlDevice* device = nullptr;
    GpuReadings readings;
  };

  GpuMonitor(std::unique_ptr<NvmlLibrary> library, std::chrono::milliseconds period)
      : library_(std::move(library)), period_(period) {}
  void ask_all();
  void ask(Gpu& gpu) const;

  std::unique_ptr<NvmlLibrary> library_;
  std::chrono::milliseconds period_;
  mutable std::mutex mutex_;  // of gpus_
  std::vector<Gpu> gpus_;
  std::jthread thread_;
};

}  // namespace convoy
