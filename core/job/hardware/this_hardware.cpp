#include "core/job/hardware/this_hardware.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "core/base/error.hpp"
#include "core/calibrate/calibrated_cluster.hpp"
#include "core/calibrate/nominal_rates.hpp"
#include "core/calibrate/profile_file.hpp"
#include "core/plugin/search_path.hpp"
#include "core/simulate/machine/described_constants.hpp"

namespace convoy::job {
namespace {

// The rates are those of 32 bits, measured or nominal. For 16 bits, this adds the speed of
// products.
void predict_half(SimulatedHardware& hardware, const calibrate::ProcessorFacts& facts) {
  hardware.cluster = [cluster = hardware.cluster, gain = facts.half_gain](std::uint32_t hosts,
                                                                          std::uint32_t devices) {
    simulate::SimulatedCluster result = cluster(hosts, devices);
    for (simulate::SimulatedDevice& device : result.machine.devices)
      device.half_flops_per_second = gain * device.flops_per_second;
    return result;
  };
  hardware.known_error = kUnmeasuredError;
  hardware.notices.push_back(
      fmt::format("16 bits were not measured: products are assumed to be {:.2g} times as fast as "
                  "in 32 ({}), and a prediction may be wrong by half",
                  facts.half_gain, facts.half_instructions));
}

[[noreturn]] void fail_without(const std::string& calibration) {
  fail(ExitCode::kUsage,
       "--calibration_file={}: there is no such file; convoy calibrate --calibration_file={} "
       "writes it",
       calibration, calibration);
}

struct KnownProfile {
  calibrate::MachineProfile profile;
  std::filesystem::path file;
};

// Returns the calibration for the cores that this process may use, else for the whole machine, of
// which these are a part.
std::optional<KnownProfile> known_profile(const std::string& given,
                                          const calibrate::Fingerprint& here,
                                          std::uint32_t machine_cores) {
  calibrate::Fingerprint whole = here;
  whole.cores = machine_cores;
  if (!given.empty()) {
    std::error_code ignored;
    const bool of_all = std::filesystem::exists(given, ignored) &&
                        calibrate::read_profile(given).machine.cores == machine_cores;
    const auto profile = calibrate::find_profile(given, of_all ? whole : here);
    if (!profile) fail_without(given);
    return KnownProfile{*profile, given};
  }
  for (const calibrate::Fingerprint* it : {&std::as_const(here), &std::as_const(whole)}) {
    const std::filesystem::path file = calibrate::default_profile_path(*it);
    if (const auto profile = calibrate::find_profile(file, *it))
      return KnownProfile{*profile, file};
  }
  return std::nullopt;
}

void use_profile(SimulatedHardware& hardware, const calibrate::MachineProfile& profile,
                 const std::string& file, std::uint32_t threads, std::uint32_t cores) {
  hardware.calibrated = true;
  hardware.known_error = calibrate::expected_error(profile);
  hardware.rates =
      fmt::format("measured on {} ({}): {}", profile.created, file, trust_text(profile));
  if (much_disturbed(profile))
    hardware.notices.push_back(fmt::format(
        "other processes used {:.0f} % of the cores' time while this machine was measured: a "
        "prediction may be wrong by as much; run convoy calibrate --force when nothing else runs",
        100 * *profile.disturbance));
  hardware.cluster = [=](std::uint32_t, std::uint32_t devices) {
    return calibrate::calibrated_cluster(profile, devices, threads, cores);
  };
}

void use_nominal(SimulatedHardware& hardware, const calibrate::ProcessorFacts& facts,
                 const std::filesystem::path& share, std::uint32_t threads) {
  const auto rates =
      calibrate::nominal_rates(facts, topology::Catalogue::read(share / "catalogue"));
  hardware.rates = rates.source;
  hardware.known_error = kUnmeasuredError;
  hardware.cluster = [=](std::uint32_t, std::uint32_t devices) {
    return calibrate::nominal_cluster(facts, rates, devices, threads);
  };
  hardware.notices.push_back(
      fmt::format("this machine was not measured, its rates are {}: a prediction may be wrong by "
                  "half; convoy calibrate measures it",
                  rates.source));
}

}  // namespace

void require_calibration(const JobOptions& options) {
  const std::string& given = options.machine.calibration_file;
  if (given.empty()) return;
  std::error_code ignored;
  if (!std::filesystem::exists(given, ignored)) fail_without(given);
  calibrate::read_profile(given);
}

SimulatedHardware this_machine_hardware(const JobOptions& options, const plugin::Manifest& plugin) {
  const std::filesystem::path share = plugin::share_directory();
  const calibrate::ProcessorFacts facts = calibrate::read_processor_facts();
  const std::uint32_t threads = options.threads_per_device;
  SimulatedHardware hardware;
  hardware.name = fmt::format(
      "{}{} cores of this machine ({})", facts.cores,
      facts.cores < facts.machine_cores ? fmt::format(" of the {}", facts.machine_cores) : "",
      facts.model);
  hardware.on_host_processors = true;
  hardware.of_this_machine = true;
  hardware.most_devices = facts.cores;
  hardware.threads = [threads, cores = facts.cores](std::uint32_t devices) {
    return calibrate::threads_per_device(cores, devices, threads);
  };
  hardware.software = simulate::read_software_profile(share / "profiles", "convoy");
  const auto here = calibrate::make_fingerprint(facts, plugin.name + " " + plugin.version);
  if (const auto known = known_profile(options.machine.calibration_file, here, facts.machine_cores))
    use_profile(hardware, known->profile, known->file.string(), threads, facts.cores);
  else
    use_nominal(hardware, facts, share, threads);
  if (options.half) predict_half(hardware, facts);
  return hardware;
}

}  // namespace convoy::job
