#include "core/calibrate/rate_probe.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <future>

#include "core/base/numbers/statistics.hpp"
#include "core/base/process/left_memory.hpp"
#include "core/calibrate/device_work.hpp"

namespace convoy::calibrate {
namespace {

constexpr int kChain = 2000;
constexpr std::size_t kGradients = 2;

std::vector<plugin::OpenDevice*> devices_of(runtime::OpenDevices& devices) {
  return {devices.engines().begin(), devices.engines().begin() + devices.cluster().replicas()};
}

// Runs `measure` on all devices at once. Returns the mean over the devices of their median rates.
double all_at_once(runtime::OpenDevices& devices, int repetitions,
                   const std::function<double(std::size_t device)>& measure) {
  const std::size_t count = devices.cluster().replicas();
  std::vector<std::future<double>> medians;
  for (std::size_t i = 0; i < count; ++i)
    medians.push_back(std::async(std::launch::async, [&measure, i, repetitions] {
      std::vector<double> values;
      for (int r = 0; r <= repetitions; ++r) {
        const double value = measure(i);
        if (r > 0) values.push_back(value);  // the first repetition only touches the memory
      }
      return median(std::move(values));
    }));
  std::vector<double> values;
  values.reserve(medians.size());
  for (std::future<double>& it : medians) values.push_back(it.get());
  return mean(values);
}

// A device's vectors for updates.
class UpdateWork {
 public:
  UpdateWork(plugin::OpenDevice& device, std::uint64_t bytes)
      : work_(device), parameters_(device, bytes), state_(device, bytes) {
    for (std::size_t i = 0; i < kGradients; ++i) gradients_.emplace_back(device, bytes);
    for (const DeviceVector& gradient : gradients_) regions_.push_back(gradient.region());
  }

  // Returns the bytes per second of an update, which reads gradients and reads and writes
  // parameters and state.
  double rate() {
    const double seconds = work_.update(regions_, parameters_.region(), state_.region());
    return (kGradients + 4) * static_cast<double>(parameters_.bytes()) / seconds;
  }

  // Returns the bytes per second of a sum, which reads two vectors and writes one.
  double sum_rate() {
    const double seconds = work_.sum(regions_[0], regions_[1], state_.region());
    return 3 * static_cast<double>(state_.bytes()) / seconds;
  }

 private:
  DeviceWork work_;
  DeviceVector parameters_;
  DeviceVector state_;
  std::vector<DeviceVector> gradients_;
  std::vector<convoy_region> regions_;
};

struct PathEnds {
  bool from_host;
  bool to_host;
};

constexpr std::array<PathEnds, 3> kPaths = {{{true, false}, {false, true}, {false, false}}};

const char* end_name(bool host) {
  return host ? "host" : "device";
}

// The memories of a device between which it copies.
class PathWork {
 public:
  PathWork(plugin::OpenDevice& device, plugin::OpenDevice& other, std::uint64_t bytes)
      : work_(device, {&other}),
        host_(std::make_unique<std::vector<float>>(bytes / sizeof(float))),
        own_(device, bytes),
        others_(other, bytes) {}
  ~PathWork() {
    if (work_.hangs()) leave_to_the_end(host_);
  }
  PathWork(const PathWork&) = delete;
  PathWork& operator=(const PathWork&) = delete;

  double rate(const PathEnds& ends) {
    const convoy_region host = {host_->data(), host_->size(), CONVOY_F32, 0};
    const convoy_region from = ends.from_host ? host : own_.region();
    const convoy_region to = ends.from_host ? own_.region()
                             : ends.to_host ? host
                                            : others_.region();
    return static_cast<double>(own_.bytes()) / work_.copy(from, to);
  }

 private:
  DeviceWork work_;
  std::unique_ptr<std::vector<float>> host_;
  DeviceVector own_;
  DeviceVector others_;
};

// A single device may have all caches for itself, so its vectors are larger than those of several
// devices.
std::vector<PathRate> paths_of_one(const std::vector<plugin::OpenDevice*>& engines,
                                   const ProbeSize& size) {
  PathWork work(*engines.front(), *engines[1 % engines.size()], vector_bytes(size.vectors, 1));
  std::vector<PathRate> paths;
  for (const PathEnds& ends : kPaths) {
    std::vector<double> alone;
    alone.reserve(size.repetitions);
    work.rate(ends);
    for (int r = 0; r < size.repetitions; ++r) alone.push_back(work.rate(ends));
    paths.push_back(
        {end_name(ends.from_host), end_name(ends.to_host), median(std::move(alone)), 0});
  }
  return paths;
}

}  // namespace

TeamRates probe_team(runtime::OpenDevices& devices, const ProbeSize& size, bool multiply) {
  TeamRates rates;
  rates.threads = std::max(1u, devices.descriptions().front().threads);
  rates.together = devices.cluster().replicas();
  std::vector<std::unique_ptr<UpdateWork>> works;
  for (plugin::OpenDevice* device : devices_of(devices))
    works.push_back(
        std::make_unique<UpdateWork>(*device, vector_bytes(size.vectors, rates.together)));
  rates.update_bytes = all_at_once(devices, size.repetitions,
                                   [&works](std::size_t device) { return works[device]->rate(); });
  rates.stream_bytes = all_at_once(devices, size.repetitions, [&works](std::size_t device) {
    return works[device]->sum_rate();
  });
  if (multiply) rates.flops = mean(devices.measure(CONVOY_MEASURE_MULTIPLY));
  return rates;
}

SharedRates probe_shared(runtime::OpenDevices& devices, const ProbeSize& size) {
  const std::vector<plugin::OpenDevice*> engines = devices_of(devices);
  UpdateWork work(*engines.front(), vector_bytes(size.vectors, 1));
  work.rate();
  std::vector<std::future<double>> others;
  for (std::size_t i = 1; i < engines.size(); ++i)
    others.push_back(std::async(std::launch::async, [device = engines[i]] {
      return device->measure(CONVOY_MEASURE_MULTIPLY);
    }));
  const auto are_busy = [&others] {
    return std::any_of(others.begin(), others.end(), [](const std::future<double>& other) {
      return other.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
    });
  };
  std::vector<double> rates;
  do rates.push_back(work.rate());
  while (are_busy());
  std::vector<double> flops;
  flops.reserve(others.size());
  for (std::future<double>& other : others) flops.push_back(other.get());
  return {median(std::move(rates)), mean(flops)};
}

std::vector<PathRate> probe_paths(runtime::OpenDevices& devices, const ProbeSize& size) {
  const std::vector<plugin::OpenDevice*> engines = devices_of(devices);
  std::vector<PathRate> paths = paths_of_one(engines, size);
  const std::uint64_t bytes = vector_bytes(size.vectors, devices.cluster().replicas());
  std::vector<std::unique_ptr<PathWork>> works;
  for (std::size_t i = 0; i < engines.size(); ++i)
    works.push_back(
        std::make_unique<PathWork>(*engines[i], *engines[(i + 1) % engines.size()], bytes));
  for (std::size_t path = 0; path < kPaths.size(); ++path)
    paths[path].together_bytes = all_at_once(devices, size.repetitions, [&](std::size_t device) {
      return works[device]->rate(kPaths[path]);
    });
  return paths;
}

double probe_operation(runtime::OpenDevices& devices) {
  plugin::OpenDevice& device = *devices.engines().front();
  const DeviceVector vector(device, 4096);
  DeviceWork work(device);
  work.chain(vector.region(), kChain / 10);
  return work.chain(vector.region(), kChain);
}

}  // namespace convoy::calibrate
