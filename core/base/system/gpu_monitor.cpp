#include "core/base/system/gpu_monitor.hpp"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <utility>

namespace convoy {
namespace {

// NVML constants.
constexpr unsigned kGpuSensor = 0;  // NVML_TEMPERATURE_GPU
constexpr unsigned kSmClock = 1;    // NVML_CLOCK_SM
constexpr unsigned kMemoryClock = 2;

// Idle clocks, clocks that an administrator set and clocks of a display do not count as throttling.
constexpr std::array<std::pair<unsigned long long, const char*>, 6> kReasons = {
    {{0x04, "power cap"},
     {0x08, "hardware slowdown"},
     {0x10, "sync boost with another GPU"},
     {0x20, "temperature (driver)"},
     {0x40, "temperature (hardware)"},
     {0x80, "power brake of the server"}}};

void note_reasons(unsigned long long bits, GpuReadings& readings) {
  ++readings.samples;
  bool throttled = false;
  for (const auto& [bit, text] : kReasons) {
    if ((bits & bit) == 0) continue;
    throttled = true;
    std::vector<std::string>& known = readings.throttle_reasons;
    if (std::find(known.begin(), known.end(), text) == known.end()) known.emplace_back(text);
  }
  if (throttled) ++readings.throttled_samples;
}

}  // namespace

void SensorSummary::add(double value) {
  least = count == 0 ? value : std::min(least, value);
  most = count == 0 ? value : std::max(most, value);
  sum += value;
  ++count;
}

std::optional<double> GpuReadings::throttled_share() const {
  if (samples == 0) return std::nullopt;
  return static_cast<double>(throttled_samples) / static_cast<double>(samples);
}

std::unique_ptr<GpuMonitor> GpuMonitor::open(const std::vector<std::string>& pci_addresses,
                                             const std::string& library,
                                             std::chrono::milliseconds period) {
  if (pci_addresses.empty()) return nullptr;
  std::unique_ptr<NvmlLibrary> nvml = NvmlLibrary::open(library);
  if (!nvml || nvml->device_at == nullptr) return nullptr;
  std::unique_ptr<GpuMonitor> monitor(new GpuMonitor(std::move(nvml), period));
  for (const std::string& address : pci_addresses) {
    Gpu gpu;
    gpu.readings.pci_address = address;
    const bool known = monitor->library_->device_at(address.c_str(), &gpu.device) == 0;
    if (known) monitor->gpus_.push_back(std::move(gpu));
  }
  return monitor->gpus_.empty() ? nullptr : std::move(monitor);
}

GpuMonitor::~GpuMonitor() = default;

void GpuMonitor::start() {
  thread_ = std::jthread([this](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any asked_to_stop;
    std::unique_lock lock(mutex);
    while (!stop.stop_requested()) {
      ask_all();
      asked_to_stop.wait_for(lock, stop, period_, [] { return false; });
    }
  });
}

void GpuMonitor::stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  ask_all();
}

void GpuMonitor::ask_all() {
  const std::lock_guard lock(mutex_);
  for (Gpu& gpu : gpus_) ask(gpu);
}

void GpuMonitor::ask(Gpu& gpu) const {
  unsigned value = 0;
  GpuReadings& readings = gpu.readings;
  if (library_->power != nullptr && library_->power(gpu.device, &value) == 0)
    readings.watts.add(value * 1e-3);
  if (library_->temperature != nullptr &&
      library_->temperature(gpu.device, kGpuSensor, &value) == 0)
    readings.degrees.add(value);
  if (library_->clock != nullptr && library_->clock(gpu.device, kSmClock, &value) == 0)
    readings.sm_megahertz.add(value);
  if (library_->clock != nullptr && library_->clock(gpu.device, kMemoryClock, &value) == 0)
    readings.memory_megahertz.add(value);
  unsigned long long reasons = 0;
  if (library_->throttle_reasons != nullptr &&
      library_->throttle_reasons(gpu.device, &reasons) == 0)
    note_reasons(reasons, readings);
}

std::vector<GpuReadings> GpuMonitor::readings() const {
  const std::lock_guard lock(mutex_);
  std::vector<GpuReadings> result;
  for (const Gpu& gpu : gpus_) result.push_back(gpu.readings);
  return result;
}

}  // namespace convoy
