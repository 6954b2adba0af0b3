#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <memory>
#include <vector>

#include "core/calibrate/device_work.hpp"
#include "core/calibrate/processor_facts.hpp"
#include "core/calibrate/vector_size.hpp"
#include "core/qualify/device_probes.hpp"

namespace convoy::qualify {
namespace {

constexpr std::uint64_t kLeastVector = std::uint64_t{32} << 20;
// No accelerator's cache holds three vectors of this size. The largest are 256 MiB (MI300X) and 126
// MB (B200).
constexpr std::uint64_t kAcceleratorVector = std::uint64_t{256} << 20;
constexpr int kSumRepetitions = 5;
// Limits in seconds: for one sum, and for all sums of a rate.
constexpr double kLongestSum = 0.5;
constexpr double kLongestRate = 1.0;

// Returns the bounds for the host's memory and the caches in front of it.
calibrate::VectorBounds host_bounds() {
  calibrate::VectorBounds bounds = calibrate::host_vector_bounds(calibrate::read_processor_facts());
  bounds.least_bytes = kLeastVector;
  return bounds;
}

// Three vectors in the memory of a device.
class SumWork {
 public:
  SumWork(plugin::OpenDevice& device, std::uint64_t bytes)
      : work_(device), a_(device, bytes), b_(device, bytes), c_(device, bytes) {
    seconds();  // touches the memory
  }

  // Returns the seconds of one sum, by the device's clock.
  double seconds() { return std::max(work_.sum(a_.region(), b_.region(), c_.region()), 1e-9); }

  // Returns bytes per second from the fastest time. A sum reads two vectors and writes one.
  double rate() {
    double best = 0;
    const double bytes = 3 * static_cast<double>(c_.bytes());
    double spent = 0;
    for (int i = 0; i < kSumRepetitions && spent < kLongestRate; ++i) {
      const double once = seconds();
      spent += once;
      best = std::max(best, bytes / once);
    }
    return best;
  }

 private:
  calibrate::DeviceWork work_;
  calibrate::DeviceVector a_;
  calibrate::DeviceVector b_;
  calibrate::DeviceVector c_;
};

// Returns the expected rate of one device for this kind of work.
using ExpectedRateOf = std::function<std::optional<ExpectedRate>(std::size_t device)>;

class DeviceRates {
 public:
  DeviceRates(const ProbeTarget& target, const ProbeOptions& options, HostQualification& host)
      : devices_(*target.devices), options_(options), host_(host) {
    if (devices_.all_have(CONVOY_DEVICE_SHARES_HOST_MEMORY)) host_memory_ = host_bounds();
    if (target.hardware == nullptr) return;
    on_ = target.hardware->cluster(1, count());
    error_ = target.hardware->error_of_one();
    source_ = target.hardware->rates;
    cpu_ = target.hardware->on_host_processors;
  }

  void products() {
    constexpr const char* kWhat = "matrix product";
    const auto expected = [this](std::size_t device) {
      return expected_of(device,
                         [](const simulate::SimulatedDevice& it) { return it.flops_per_second; });
    };
    try {
      add(kWhat, true, "FLOP/s", devices_.measure(CONVOY_MEASURE_MULTIPLY), expected);
      if (count() == 1 || options_.quick) return;
      std::vector<double> alone;
      for (std::size_t i = 0; i < count(); ++i) alone.push_back(measure_alone(i));
      add(kWhat, false, "FLOP/s", alone, expected);
    } catch (const Error& error) {
      if (error.code() == ExitCode::kTimeout) throw;
      host_.notices.push_back(fmt::format("matrix products were not measured: {}", error.what()));
    }
  }

  void sums() {
    add("sum of vectors", true, "B/s", sums_at_once(),
        [this](std::size_t device) { return memory_rate(device, count()); });
    if (count() == 1) return;
    std::vector<double> alone;
    for (std::size_t i = 0; i < count(); ++i) alone.push_back(sum_work(i, 1)->rate());
    add("sum of vectors", false, "B/s", alone,
        [this](std::size_t device) { return memory_rate(device, 1); });
  }

 private:
  std::uint32_t count() const { return devices_.cluster().replicas(); }

  // Makes the vectors of a device, for when `together` devices sum at the same time.
  std::unique_ptr<SumWork> sum_work(std::size_t device, std::uint32_t together) const {
    const std::uint64_t own = devices_.descriptions()[device].memory_bytes;
    const std::uint64_t bytes = host_memory_
                                    ? calibrate::vector_bytes(*host_memory_, together)
                                    : calibrate::vector_bytes({kAcceleratorVector, 0, own}, 1);
    plugin::OpenDevice& engine = *devices_.engines().at(device);
    return std::make_unique<SumWork>(
        engine, bytes > kLeastVector ? std::min(bytes, affordable_bytes(engine)) : bytes);
  }

  // A virtual machine may report the caches of its whole host, which are many times its share. If
  // sums of vectors beyond these caches take a device too long, its memory is far slower than any
  // cache, so smaller vectors show its rate as well.
  static std::uint64_t affordable_bytes(plugin::OpenDevice& device) {
    const double seconds = SumWork(device, kLeastVector).seconds();
    const double vectors = std::max(kLongestSum / seconds, 1.0);
    return static_cast<std::uint64_t>(vectors * static_cast<double>(kLeastVector));
  }

  std::vector<double> sums_at_once() const {
    std::vector<std::unique_ptr<SumWork>> works;
    for (std::size_t i = 0; i < count(); ++i) works.push_back(sum_work(i, count()));
    std::vector<std::future<double>> futures;
    futures.reserve(works.size());
    for (const auto& work : works)
      futures.push_back(std::async(std::launch::async, [&work] { return work->rate(); }));
    std::vector<double> rates;
    rates.reserve(futures.size());
    for (std::future<double>& it : futures) rates.push_back(it.get());
    return rates;
  }

  double measure_alone(std::size_t device) {
    options_.tell(fmt::format("matrix product on {}", devices_.descriptions()[device].name));
    return devices_.engines().at(device)->measure(CONVOY_MEASURE_MULTIPLY);
  }

  const simulate::SimulatedDevice& constants(std::size_t device) const {
    return on_->machine.devices.at(on_->machine.places.at(device).device);
  }

  template <typename Rate>
  std::optional<ExpectedRate> expected_of(std::size_t device, Rate rate) const {
    if (!on_) return std::nullopt;
    return ExpectedRate{rate(constants(device)), error_, source_};
  }

  // Devices on the host's processors share its memory.
  std::optional<ExpectedRate> memory_rate(std::size_t device, std::size_t together) const {
    return expected_of(device, [&](const simulate::SimulatedDevice& it) {
      const double own = it.memory_bytes_per_second * it.memory_efficiency;
      const double host = on_->machine.hosts.front().memory_bytes_per_second;
      return cpu_ ? std::min(own, host / static_cast<double>(together)) : own;
    });
  }

  void add(const std::string& what, bool together, const char* unit,
           const std::vector<double>& rates, const ExpectedRateOf& expected) {
    const std::string how = count() == 1 ? "" : together ? ", all at once" : ", alone";
    for (std::size_t i = 0; i < count(); ++i)
      host_.measurements.push_back({.kind = Kind::kDevice,
                                    .subject = devices_.descriptions()[i].name,
                                    .what = what + how,
                                    .unit = unit,
                                    .rate = rates[i],
                                    .expected = expected(i)});
  }

  runtime::OpenDevices& devices_;
  const ProbeOptions& options_;
  HostQualification& host_;
  std::optional<simulate::SimulatedCluster> on_;
  double error_ = 0;
  std::string source_;
  bool cpu_ = false;
  // Set if all devices share the host's memory.
  std::optional<calibrate::VectorBounds> host_memory_;
};

}  // namespace

void probe_device_rates(const ProbeTarget& target, const ProbeOptions& options,
                        HostQualification& host) {
  DeviceRates rates(target, options, host);
  options.tell("rates of devices");
  rates.products();
  rates.sums();
}

}  // namespace convoy::qualify
