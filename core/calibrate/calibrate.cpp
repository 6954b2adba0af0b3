#include "core/calibrate/calibrate.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <set>

#include "core/base/numbers/statistics.hpp"
#include "core/base/process/clocks.hpp"
#include "core/base/text/counted.hpp"
#include "core/calibrate/disturbance.hpp"
#include "core/calibrate/layer_probe.hpp"
#include "core/calibrate/memory_need.hpp"
#include "core/calibrate/nominal_rates.hpp"
#include "core/calibrate/probe_agenda.hpp"
#include "core/calibrate/rate_probe.hpp"
#include "core/calibrate/step_check.hpp"

namespace convoy::calibrate {
namespace {

constexpr std::uint64_t kQuickBytes = std::uint64_t{4} << 20;
constexpr int kQuickRepetitions = 2;
constexpr double kNoLimit = 1e9;
// The number of steps that count for every network in every team, if there is time.
constexpr int kMostSteps = 4;
// The time to open a network and train it for its first steps, as a multiple of a step.
constexpr double kOpening = 3.5;
constexpr double kChecking = 5;
// The approximate number of operations that a current device does while it moves a byte.
constexpr double kFlopsPerByte = 8;

// Returns the work of a step, in operations.
double work_of(const ProbeNetwork& network) {
  double work = 0;
  for (std::uint32_t node = 1; node < network.graph.nodes().size(); ++node)
    for (const convoy_pass pass :
         {CONVOY_PASS_FORWARD, CONVOY_PASS_BACKWARD_DATA, CONVOY_PASS_BACKWARD_WEIGHTS}) {
      const graph::LayerWork it = graph::layer_work(network.graph, node, network.batch, pass);
      work += it.flops + kFlopsPerByte * it.bytes;
    }
  return work;
}

std::string team_name(std::uint32_t devices, std::uint32_t threads) {
  return counted(devices, "device") + " of " + counted(threads, "thread");
}

ProbeSize probe_size(const ProcessorFacts& facts, bool quick) {
  if (quick) return {{.least_bytes = kQuickBytes}, kQuickRepetitions};
  return {.vectors = host_vector_bounds(facts)};
}

class Calibration {
 public:
  Calibration(const plugin::DevicePlugin& plugin, plugin::StrategyPlugin& sharing_nothing,
              const ProcessorFacts& facts, const CalibrationOptions& options,
              const std::function<void(const std::string&)>& tell)
      : plugin_(plugin),
        sharing_nothing_(sharing_nothing),
        cores_(facts.cores),
        nominal_flops_(nominal_flops(facts)),
        options_(options),
        tell_(tell),
        end_(steady_seconds() + (options.quick ? kNoLimit : options.seconds)),
        size_(probe_size(facts, options.quick)) {
    const plugin::Manifest& manifest = plugin.manifest();
    profile_.machine = make_fingerprint(facts, manifest.name + " " + manifest.version);
    profile_.created = fmt::format(
        "{:%Y-%m-%d %H:%M:%S}",
        fmt::localtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
  }

  MachineProfile run() {
    std::vector<ProbeNetwork> networks = options_.quick ? quick_probe_networks() : probe_networks();
    const std::vector<std::string> without_room =
        keep_what_fits(networks, load(), memory_limit(SystemRoot("/")));
    for (const std::uint32_t devices : device_counts()) add_team(devices);
    profile_.paths = probe_paths(*teams_.back().devices, size_);
    profile_.left_out = measure_within(end_ - steady_seconds(), steady_seconds, agenda(networks));
    std::ranges::copy(without_room, std::back_inserter(profile_.left_out));
    for (const ProbeNetwork& network : options_.more_networks) measure_also(network);
    for (const Team& team : teams_) profile_.layers.push_back(layers_of(team));
    note_crowding();
    for (const StepCheck& check : checks_)
      profile_.checks.push_back(check.against(profile_, options_.software));
    profile_.disturbance = disturbance_.share();
    profile_.quick = options_.quick;
    return std::move(profile_);
  }

 private:
  struct Team {
    std::shared_ptr<runtime::OpenDevices> devices;
    std::vector<std::unique_ptr<LayerProbe>> probes;  // for the networks that were begun

    std::uint32_t count() const { return devices->cluster().replicas(); }
    std::uint32_t threads() const { return std::max(1u, devices->descriptions().front().threads); }
  };

  // Returns the numbers of devices to measure: one device with all cores, one device per core, and
  // one number in between.
  std::vector<std::uint32_t> device_counts() const {
    std::vector<std::uint32_t> counts = {1};
    if (cores_ >= 4) counts.push_back(2);
    if (cores_ >= 2) counts.push_back(cores_);
    return counts;
  }

  ProbeNetwork network_of_checks() const {
    return options_.quick ? quick_check_network() : check_network();
  }

  CalibrationLoad load() const {
    CalibrationLoad load{cores_, 0, network_of_checks()};
    for (const std::uint32_t devices : device_counts()) load.devices += devices;
    for (const ProbeNetwork& network : options_.more_networks)
      load.also_bytes += training_bytes(network, load.devices);
    return load;
  }

  std::shared_ptr<runtime::OpenDevices> open(std::uint32_t devices, std::uint32_t threads) const {
    return std::make_shared<runtime::OpenDevices>(plugin_, devices, threads);
  }

  void add_team(std::uint32_t count) {
    teams_.push_back({open(count, 0), {}});
    runtime::OpenDevices& devices = *teams_.back().devices;
    tell_("rates of " + team_name(count, teams_.back().threads()));
    measure_rates(devices);
    if (count == 1) profile_.operation_seconds = probe_operation(devices);
  }

  // A quick calibration uses the nominal peaks of the processor, because peaks only relate layers
  // to each other.
  void measure_rates(runtime::OpenDevices& devices) {
    const bool alone = devices.cluster().replicas() == 1;
    TeamRates rates = probe_team(devices, size_, alone && !options_.quick);
    if (options_.quick) rates.flops = std::min(rates.threads, cores_) * nominal_flops_;
    profile_.shared = {rates.update_bytes, rates.flops};
    if (!options_.quick && !alone) profile_.shared = probe_shared(devices, size_);
    if (!alone) rates.flops = profile_.shared.flops;
    profile_.teams.push_back(rates);
  }

  // Returns the probes. A family of networks in every team and a check are required. Then come the
  // other families, in their order, and further steps of all of them, a second or more later.
  std::vector<Probe> agenda(const std::vector<ProbeNetwork>& networks) {
    std::vector<Probe> probes;
    for (const ProbeNetwork& network : networks) {
      const bool needed = probes.empty();
      for (Team& team : teams_) probes.push_back(first_step(network, team, needed));
      if (needed) probes.push_back(check(1));
    }
    for (const std::uint32_t count : std::set<std::uint32_t>{cores_, 2 * cores_})
      if (count > 1) probes.push_back(check(count));
    for (int step = 1; step < kMostSteps; ++step) {
      for (const ProbeNetwork& network : networks)
        for (Team& team : teams_) probes.push_back(further_step(network, team));
      if (step == 1 && !options_.quick) probes.push_back(lonely_device());
    }
    return probes;
  }

  // Returns the work of a step on these cores. A step takes as long as the share of one core.
  double work_on(const ProbeNetwork& network, double cores) const {
    return work_of(network) / std::min<double>(cores, cores_);
  }

  Probe first_step(const ProbeNetwork& network, Team& team, bool needed) {
    const std::string name =
        fmt::format("layers of {}: {}", team_name(team.count(), team.threads()), network.name);
    return {name, kOpening * work_on(network, team.threads()), needed,
            [this, network, name, &team] {
              tell_(name);
              add_probe(network, team);
              return true;
            }};
  }

  void add_probe(const ProbeNetwork& network, Team& team) {
    team.probes.push_back(std::make_unique<LayerProbe>(network, sharing_nothing_, team.devices));
    team.probes.back()->step();
  }

  // Takes a further step of a network that was begun.
  Probe further_step(const ProbeNetwork& network, Team& team) const {
    return {"", work_on(network, team.threads()), false, [name = network.name, &team] {
              const auto probe = std::ranges::find(team.probes, name, &LayerProbe::network);
              if (probe == team.probes.end() || (*probe)->settled()) return false;
              (*probe)->step();
              return true;
            }};
  }

  void measure_also(const ProbeNetwork& network) {
    tell_("layers of " + network.name);
    for (Team& team : teams_) {
      add_probe(network, team);
      for (int step = 1; step < kMostSteps && !team.probes.back()->settled(); ++step)
        team.probes.back()->step();
    }
  }

  // Steps usually take longer than the fastest times of all layers together, by about the same
  // factor for all networks. The fastest times of layers are multiplied by this factor.
  static TeamLayers layers_of(const Team& team) {
    TeamLayers layers{team.threads(), team.count(), {}};
    std::vector<double> excesses;
    for (const auto& probe : team.probes) {
      const std::vector<simulate::LayerSample> samples = probe->samples();
      layers.samples.insert(layers.samples.end(), samples.begin(), samples.end());
      excesses.push_back(probe->usual_excess());
    }
    const double usual = median(std::move(excesses));
    for (simulate::LayerSample& sample : layers.samples) sample.seconds *= usual;
    return layers;
  }

  Probe check(std::uint32_t count) {
    const ProbeNetwork network = network_of_checks();
    const std::string name =
        fmt::format("check of {}: a network that was not measured", counted(count, "device"));
    const double cores_each = double(cores_) / count;
    return {name, kChecking * work_on(network, cores_each), count == 1,
            [this, network, name, count] {
              tell_(name);
              checks_.emplace_back(network, sharing_nothing_, devices_for(count));
              return true;
            }};
  }

  std::shared_ptr<runtime::OpenDevices> devices_for(std::uint32_t count) const {
    const auto team = std::ranges::find(teams_, count, &Team::count);
    return team == teams_.end() ? open(count, 0) : team->devices;
  }

  // Returns the seconds of a step of the check on `count` devices; 0 if it was left out.
  double checked_seconds(std::uint32_t count) const {
    const auto check = std::ranges::find(checks_, count, &StepCheck::devices);
    return check == checks_.end() ? 0 : check->measured_seconds();
  }

  // Compares two devices per core with one per core. Two take more than twice the time, never less.
  void note_crowding() {
    const double one_each = checked_seconds(cores_);
    const double two_each = checked_seconds(2 * cores_);
    if (one_each > 0 && two_each > 0)
      profile_.crowding_factor = std::max(1.0, two_each / (2 * one_each));
  }

  // Measures a device of one thread while the other cores are idle. The times of the same layers
  // beside busy neighbours are known. Neighbours never help, so a factor below 1 is a disturbance.
  Probe lonely_device() {
    const ProbeNetwork network = check_network();
    return {"one device with 1 thread, other cores idle", kChecking * work_on(network, 1), false,
            [this, network] {
              const double together = checked_seconds(cores_);
              if (cores_ < 2 || together <= 0) return false;
              tell_("one device with 1 thread, other cores idle");
              ProbeSession session(network, sharing_nothing_, open(1, 1), false);
              profile_.neighbour_factor = std::max(1.0, together / usual_step(session));
              return true;
            }};
  }

  const plugin::DevicePlugin& plugin_;
  plugin::StrategyPlugin& sharing_nothing_;
  std::uint32_t cores_;
  double nominal_flops_;  // per second and core
  const CalibrationOptions& options_;
  const std::function<void(const std::string&)>& tell_;
  double end_;
  ProbeSize size_;
  Disturbance disturbance_;
  MachineProfile profile_;
  std::vector<Team> teams_;
  std::vector<StepCheck> checks_;
};

}  // namespace

MachineProfile calibrate(const plugin::DevicePlugin& plugin,
                         plugin::StrategyPlugin& sharing_nothing, const ProcessorFacts& facts,
                         const CalibrationOptions& options,
                         const std::function<void(const std::string&)>& tell) {
  return Calibration(plugin, sharing_nothing, facts, options, tell).run();
}

}  // namespace convoy::calibrate
