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

// Mean and extremes of a sensor's values; count 0: there were none.
struct SensorSummary {
  std::uint64_t count = 0;
  double sum = 0;
  double least = 0;
  double most = 0;

  void add(double value);
  double mean() const { return count == 0 ? 0 : sum / static_cast<double>(count); }
};

// The values of one GPU's sensors while it was watched.
struct GpuReadings {
  std::string pci_address;
  SensorSummary watts;
  SensorSummary degrees;  // Celsius
  SensorSummary sm_megahertz;
  SensorSummary memory_megahertz;
  std::uint64_t samples = 0;                  // samples of the throttle reasons
  std::uint64_t throttled_samples = 0;        // samples in which something held the clocks back
  std::vector<std::string> throttle_reasons;  // each reason that was seen, once

  // Returns the share of samples in which the GPU was throttled; empty if there are no samples.
  std::optional<double> throttled_share() const;
};

// Samples the sensors of GPUs periodically between start() and stop(), on a thread of its own.
// Leaves out sensors that a GPU lacks or that this process may not read.
class GpuMonitor {
 public:
  static constexpr std::chrono::milliseconds kPeriod{100};

  // GPUs are given by PCI address ("0000:17:00.0"). Returns null if the library cannot be opened or
  // knows none of them.
  static std::unique_ptr<GpuMonitor> open(const std::vector<std::string>& pci_addresses,
                                          const std::string& library = kNvmlFile,
                                          std::chrono::milliseconds period = kPeriod);
  ~GpuMonitor();
  GpuMonitor(const GpuMonitor&) = delete;
  GpuMonitor& operator=(const GpuMonitor&) = delete;

  void start();
  void stop();  // takes one more sample, so that even a short time has one
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
  mutable std::mutex mutex_;  // guards gpus_
  std::vector<Gpu> gpus_;
  std::jthread thread_;
};

}  // namespace convoy
