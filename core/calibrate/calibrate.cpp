#include "core/calibrate/calibrate.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>

#include "core/calibrate/disturbance.hpp"
#include "core/calibrate/layer_probe.hpp"
#include "core/calibrate/nominal_rates.hpp"
#include "core/calibrate/rate_probe.hpp"
#include "core/calibrate/step_check.hpp"

namespace convoy::calibrate {
namespace {

constexpr std::uint64_t kQuickBytes = std::uint64_t{4} << 20;
constexpr int kQuickRepetitions = 2;
// For every network and team.
constexpr double kLayerSeconds = 0.2;
constexpr double kNeighbourSeconds = 0.1;
constexpr double kQuickSeconds = 0.02;
constexpr double kCheckSeconds = 0.2;

double seconds_of(const std::vector<simulate::LayerSample>& samples) {
  double sum = 0;
  for (const simulate::LayerSample& sample : samples) sum += sample.seconds;
  return sum;
}

class Calibration {
 public:
  Calibration(const DevicePlugin& plugin, StrategyPlugin& sharing_nothing,
              const ProcessorFacts& facts, const CalibrationOptions& options,
              const std::function<void(const std::string&)>& tell)
      : plugin_(plugin),
        sharing_nothing_(sharing_nothing),
        cores_(facts.cores),
        nominal_flops_(nominal_flops(facts)),
        options_(options),
        tell_(tell) {
    if (options.quick) size_ = {kQuickBytes, kQuickRepetitions};
    const Manifest& manifest = plugin.manifest();
    profile_.machine = make_fingerprint(facts, manifest.name + " " + manifest.version);
    profile_.created = fmt::format(
        "{:%Y-%m-%d %H:%M:%S}",
        fmt::localtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
  }

  MachineProfile run() {
    for (const std::uint32_t devices : device_counts()) measure_team(devices);
    measure_neighbours();
    check();
    profile_.disturbance = disturbance_.share();
    return std::move(profile_);
  }

 private:
  // One device with all cores, one per core, and one between.
  std::vector<std::uint32_t> device_counts() const {
    std::vector<std::uint32_t> counts = {1};
    if (cores_ >= 4) counts.push_back(2);
    if (cores_ >= 2) counts.push_back(cores_);
    return counts;
  }

  std::shared_ptr<OpenDevices> open(std::uint32_t devices, std::uint32_t threads) const {
    return std::make_shared<OpenDevices>(plugin_, devices, threads);
  }

  void measure_team(std::uint32_t count) {
    const std::shared_ptr<OpenDevices> devices = open(count, 0);
    const std::uint32_t threads = std::max(1u, devices->descriptions().front().threads);
    tell_(fmt::format("{} {} of {} {}", count, count == 1 ? "device" : "devices", threads,
                      threads == 1 ? "thread" : "threads"));
    measure_rates(*devices);
    if (count == 1) profile_.operation_seconds = probe_operation(*devices);
    if (count == device_counts().back()) profile_.paths = probe_paths(*devices, size_);
    TeamLayers layers{threads, count, {}};
    for (const ProbeNetwork& network : options_.quick ? quick_probe_networks() : probe_networks())
      add_layers(network, devices, layers);
    for (const ProbeNetwork& network : options_.more_networks) add_layers(network, devices, layers);
    profile_.layers.push_back(std::move(layers));
  }

  // In a hurry, peaks are the processor's nominal ones: they only relate layers to each other.
  void measure_rates(OpenDevices& devices) {
    const bool alone = devices.cluster().replicas() == 1;
    TeamRates rates = probe_team(devices, size_, alone && !options_.quick);
    if (options_.quick) rates.flops = std::min(rates.threads, cores_) * nominal_flops_;
    profile_.shared = {rates.update_bytes, rates.flops};
    if (!options_.quick && !alone) profile_.shared = probe_shared(devices, size_);
    if (!alone) rates.flops = profile_.shared.flops;
    profile_.teams.push_back(rates);
  }

  void add_layers(const ProbeNetwork& network, const std::shared_ptr<OpenDevices>& devices,
                  TeamLayers& layers) {
    tell_(fmt::format("  layers: {}", network.name));
    const auto samples = probe_layers(network, sharing_nothing_, devices,
                                      options_.quick ? kQuickSeconds : kLayerSeconds);
    layers.samples.insert(layers.samples.end(), samples.begin(), samples.end());
  }

  // A device of one thread while the other cores are idle, with a neighbour on each, and with one
  // more on each, its own core included.
  void measure_neighbours() {
    if (options_.quick) return;
    tell_("neighbours");
    const ProbeNetwork network = neighbour_probe_network();
    const auto seconds = [&](std::uint32_t devices) {
      return seconds_of(
          probe_layers(network, sharing_nothing_, open(devices, 1), kNeighbourSeconds));
    };
    const double alone = seconds(1);
    const double together = cores_ > 1 ? seconds(cores_) : alone;
    // Neighbours never help: less than 1 is a disturbance of the measurement.
    profile_.neighbour_factor = std::max(1.0, together / alone);
    profile_.crowding_factor = std::max(1.0, seconds(2 * cores_) / (2 * together));
  }

  // One device, one per core, and twice as many.
  void check() {
    tell_("check: a network that was not measured");
    const ProbeNetwork network = options_.quick ? quick_check_network() : check_network();
    for (const std::uint32_t count : std::set<std::uint32_t>{1, cores_, 2 * cores_})
      profile_.checks.push_back(check_step(profile_, network, sharing_nothing_, open(count, 0),
                                           options_.software,
                                           options_.quick ? kQuickSeconds : kCheckSeconds));
  }

  const DevicePlugin& plugin_;
  StrategyPlugin& sharing_nothing_;
  std::uint32_t cores_;
  double nominal_flops_;  // per second and core
  const CalibrationOptions& options_;
  const std::function<void(const std::string&)>& tell_;
  ProbeSize size_;
  Disturbance disturbance_;
  MachineProfile profile_;
};

}  // namespace

MachineProfile calibrate(const DevicePlugin& plugin, StrategyPlugin& sharing_nothing,
                         const ProcessorFacts& facts, const CalibrationOptions& options,
                         const std::function<void(const std::string&)>& tell) {
  return Calibration(plugin, sharing_nothing, facts, options, tell).run();
}

}  // namespace convoy::calibrate
