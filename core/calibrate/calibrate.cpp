#include "core/calibrate/calibrate.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "core/calibrate/layer_probe.hpp"
#include "core/calibrate/rate_probe.hpp"

namespace convoy::calibrate {
namespace {

constexpr std::uint64_t kQuickBytes = std::uint64_t{4} << 20;
constexpr int kQuickRepetitions = 2;
constexpr int kLayerSteps = 1;
constexpr int kNeighbourSteps = 3;

double seconds_of(const std::vector<simulate::LayerSample>& samples) {
  double sum = 0;
  for (const simulate::LayerSample& sample : samples) sum += sample.seconds;
  return sum;
}

class Calibration {
 public:
  Calibration(const DevicePlugin& plugin, StrategyPlugin& independent, const ProcessorFacts& facts,
              const CalibrationOptions& options,
              const std::function<void(const std::string&)>& tell)
      : plugin_(plugin),
        independent_(independent),
        cores_(facts.cores),
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
    profile_.teams.push_back(probe_team(*devices, size_));
    if (count == 1) profile_.operation_seconds = probe_operation(*devices);
    if (count == device_counts().back()) {
      profile_.shared = probe_shared(*devices, size_);
      profile_.paths = probe_paths(*devices, size_);
    }
    TeamLayers layers{threads, count, {}};
    for (const ProbeNetwork& network : options_.quick ? quick_probe_networks() : probe_networks())
      add_layers(network, devices, layers);
    for (const ProbeNetwork& network : options_.more_networks) add_layers(network, devices, layers);
    profile_.layers.push_back(std::move(layers));
  }

  void add_layers(const ProbeNetwork& network, const std::shared_ptr<OpenDevices>& devices,
                  TeamLayers& layers) {
    tell_(fmt::format("  layers: {}", network.name));
    const auto samples = probe_layers(network, independent_, devices, kLayerSteps);
    layers.samples.insert(layers.samples.end(), samples.begin(), samples.end());
  }

  // A device of one thread while the other cores are idle, and with a neighbour on each.
  void measure_neighbours() {
    if (cores_ < 2 || options_.quick) return;
    tell_("  neighbours");
    const ProbeNetwork network = neighbour_probe_network();
    const auto alone = probe_layers(network, independent_, open(1, 1), kNeighbourSteps);
    const auto together = probe_layers(network, independent_, open(cores_, 1), kNeighbourSteps);
    profile_.neighbour_factor = seconds_of(together) / seconds_of(alone);
  }

  const DevicePlugin& plugin_;
  StrategyPlugin& independent_;
  std::uint32_t cores_;
  const CalibrationOptions& options_;
  const std::function<void(const std::string&)>& tell_;
  ProbeSize size_;
  MachineProfile profile_;
};

}  // namespace

MachineProfile calibrate(const DevicePlugin& plugin, StrategyPlugin& independent,
                         const ProcessorFacts& facts, const CalibrationOptions& options,
                         const std::function<void(const std::string&)>& tell) {
  return Calibration(plugin, independent, facts, options, tell).run();
}

}  // namespace convoy::calibrate
