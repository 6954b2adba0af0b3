#include "core/job/hardware/simulated_hardware.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "core/base/error.hpp"
#include "core/job/hardware/simulated_topology.hpp"
#include "core/job/hardware/this_hardware.hpp"
#include "core/plugin/device_choice.hpp"
#include "core/plugin/search_path.hpp"
#include "core/simulate/machine/described_constants.hpp"
#include "topology/catalogue/platform.hpp"
#include "topology/detect/detect.hpp"
#include "topology/graph/gpu_order.hpp"

namespace convoy::job {
namespace {

// The mean error of predictions for described machines, on networks to which no constant was
// fitted. It is the figure of "How far this can be trusted" in share/results/published_tables.md,
// models left out in turn, all machines together.
constexpr double kTablesError = 0.03;

SimulatedHardware processor_hardware(const JobOptions& options, const plugin::Manifest& plugin) {
  const MachineOptions& machine = options.machine;
  if (!machine.platform.empty() || !machine.topology.empty())
    fail(ExitCode::kUsage,
         "--{}={} and --device={}: described machines have GPUs, and {} devices are this machine's "
         "processors; leave out one of them",
         machine.platform.empty() ? "topology" : "platform",
         machine.platform.empty() ? machine.topology : machine.platform, plugin.name, plugin.name);
  const std::uint32_t hosts = machine.hosts.value_or(1);
  if (hosts > 1)
    fail(ExitCode::kUsage,
         "--hosts={}: {} devices are this machine's processors; --platform takes several hosts",
         hosts, plugin.name);
  return this_machine_hardware(options, plugin);
}

[[noreturn]] void refuse_unknown_speed(const std::string& device) {
  fail(ExitCode::kUsage,
       "--device={}: how fast such devices are is not known of this machine; describe it with "
       "--topology or --platform, whose devices are in share/catalogue/devices.json",
       device);
}

// Returns the plug-in whose devices are this machine's processors, if the options ask for them: by
// its name, or by naming neither a device nor a machine if there are no GPUs. Described machines
// have GPUs, which need no plug-in here.
std::optional<plugin::Manifest> wanted_processors(const Setup& setup) {
  const std::string& name = setup.options.device;
  const MachineOptions& machine = setup.options.machine;
  const bool described = !machine.platform.empty() || !machine.topology.empty();
  if (name == plugin::kGpuDevices || (name == plugin::kAnyDevice && described)) return std::nullopt;
  if (name == plugin::kAnyDevice) {
    if (!topology::usable_gpus(topology::detect_machine()).empty()) return std::nullopt;
    if (setup.device != nullptr && !setup.device->has(CONVOY_DEVICES_ON_HOST_PROCESSORS))
      refuse_unknown_speed(setup.device->manifest().name);
    return plugin::choose_processors(*setup.host, setup.catalog).manifest;
  }
  const plugin::FoundPlugin found = setup.catalog.find(plugin::PluginKind::kDevice, name);
  const std::uint32_t traits = setup.host->load_device(found).table->traits;
  if ((traits & CONVOY_DEVICES_ON_HOST_PROCESSORS) != 0) return found.manifest;
  if (!described) refuse_unknown_speed(name);
  return std::nullopt;
}

SimulatedHardware gpu_hardware(const JobOptions& options, const std::filesystem::path& share) {
  const std::string name = options.machine.platform;
  if (!name.empty() && !options.machine.topology.empty())
    fail(ExitCode::kUsage, "--platform and --topology describe two machines; give one of them");
  if (name.empty()) return topology_hardware(options, share);
  const auto listed = topology::hosts_of_platform(name);
  const std::uint32_t hosts = topology::hosts_of_platform(name, options.machine.hosts);
  const auto catalogue = topology::Catalogue::read(share / "catalogue");
  const auto platform =
      topology::read_platform(share / "platforms", name, listed.value_or(1), catalogue);
  SimulatedHardware hardware;
  hardware.name = hosts == 1 || listed ? name : fmt::format("{} x {}", hosts, name);
  if (platform.kinds.size() > 1)
    hardware.notices.push_back(
        "hosts are unlike: what one device does, which efficiencies are relative to, is that of "
        "one on the first host");
  hardware.known_error = kTablesError;
  hardware.rates = kRoofline;
  hardware.hosts = hosts;
  const std::vector<std::uint32_t> order = gpu_order(options, platform.machine, hardware.notices);
  hardware.most_devices =
      order.empty() ? platform.gpus_per_host : static_cast<std::uint32_t>(order.size());
  hardware.cluster = [=](std::uint32_t machines, std::uint32_t devices_per_host) {
    const auto several = topology::read_platform(share / "platforms", name, machines, catalogue);
    topology::check_gpu_count(several, devices_per_host);
    return simulate::make_gpu_cluster(several.machine, devices_per_host,
                                      simulate::platform_constants(several, catalogue), order);
  };
  return hardware;
}

}  // namespace

SimulatedHardware choose_simulated_hardware(const Setup& setup) {
  const std::filesystem::path share = plugin::share_directory();
  const std::optional<plugin::Manifest> processors = wanted_processors(setup);
  SimulatedHardware hardware = processors ? processor_hardware(setup.options, *processors)
                                          : gpu_hardware(setup.options, share);
  if (const std::string& file = setup.options.machine.calibration_file;
      !processors && !file.empty())
    hardware.notices.push_back(fmt::format(
        "--calibration_file={} has no effect: it is about this machine's processors, and these "
        "devices are GPUs",
        file));
  hardware.software = simulate::read_software_profile(
      share / "profiles", setup.options.machine.software.value_or("convoy"));
  return hardware;
}

}  // namespace convoy::job
