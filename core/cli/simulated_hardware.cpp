#include "core/cli/simulated_hardware.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/base/error.hpp"
#include "core/cli/flag_limits.hpp"
#include "core/cli/simulated_topology.hpp"
#include "core/cli/this_hardware.hpp"
#include "core/plugin/search_path.hpp"
#include "core/simulate/described_constants.hpp"
#include "topology/platform.hpp"

namespace convoy {
namespace {

// Mean error of predictions for described machines, of networks that no constant was fitted to:
// that of "How far this can be trusted" in share/results/published_tables.md, models left out in
// turn, all machines together.
constexpr double kTablesError = 0.03;

FlagDefinition text(const char* name, const char* value, const char* help) {
  FlagDefinition flag;
  flag.name = name;
  flag.default_value = value;
  flag.help = help;
  flag.group = "for which machine";
  return flag;
}

SimulatedHardware processor_hardware(const RunSetup& setup, const Manifest& plugin) {
  if (setup.flags->integer("hosts") > 1)
    fail(ExitCode::kUsage,
         "--hosts={}: {} devices are this machine's processors; --platform takes several hosts",
         setup.flags->integer("hosts"), plugin.name);
  return this_machine_hardware(setup, plugin);
}

// The plug-in that --device names, if its devices are this machine's processors. Described machines
// have GPUs, which need no plug-in here.
std::optional<Manifest> named_processors(const RunSetup& setup) {
  const std::string& name = setup.options.device;
  if (name == kAnyDevice || name == kGpuDevices) return std::nullopt;
  const FoundPlugin found = setup.catalog.find(PluginKind::kDevice, name);
  const std::uint32_t traits = setup.host->load_device(found).table->traits;
  if ((traits & CONVOY_DEVICES_ON_HOST_PROCESSORS) == 0) return std::nullopt;
  return found.manifest;
}

SimulatedHardware gpu_hardware(const RunSetup& setup, const std::filesystem::path& share) {
  const std::string name = setup.flags->text("platform");
  if (!name.empty() && !setup.flags->text("topology").empty())
    fail(ExitCode::kUsage, "--platform and --topology: which of the two machines? give one");
  if (name.empty()) return topology_hardware(setup, share);
  const auto hosts = setup.flags->integer_as<std::uint32_t>("hosts");
  const auto catalogue = topology::Catalogue::read(share / "catalogue");
  const auto platform = topology::read_platform(share / "platforms", name, 1, catalogue);
  SimulatedHardware hardware;
  hardware.name = hosts == 1 ? name : fmt::format("{} x {}", hosts, name);
  hardware.known_error = kTablesError;
  hardware.rates = "roofline of the device's peaks";
  hardware.hosts = hosts;
  hardware.most_devices = platform.gpus_per_host;
  hardware.cluster = [=](std::uint32_t machines, std::uint32_t devices_per_host) {
    const auto several = topology::read_platform(share / "platforms", name, machines, catalogue);
    topology::check_gpu_count(several, devices_per_host);
    return simulate::make_gpu_cluster(several.machine, devices_per_host,
                                      simulate::platform_constants(several, catalogue));
  };
  return hardware;
}

}  // namespace

std::vector<FlagDefinition> simulation_flags() {
  std::vector<FlagDefinition> flags = {
      text("platform", "", "A described machine: a name from share/platforms, or a file."),
      text("topology", "",
           "A machine from a file that lstopo, NCCL, nvidia-smi topo -m or convoy topo --json "
           "wrote; without it and --platform, this machine."),
      text("software", "convoy", "Whose behaviour is simulated: convoy, or a profile's name."),
  };
  FlagDefinition hosts = text("hosts", "1", "So many machines of the kind, on one network.");
  hosts.type = FlagType::kInt;
  hosts.minimum = 1;
  hosts.maximum = kMostHosts;
  flags.push_back(hosts);
  FlagDefinition rate = text("images_per_sec", "",
                             "Images that one device trains per second, when it is known; else the "
                             "roofline of its peaks.");
  rate.type = FlagType::kFloat;
  rate.default_value.reset();
  rate.minimum = 1e-6;
  flags.push_back(rate);
  return flags;
}

SimulatedHardware choose_simulated_hardware(const RunSetup& setup) {
  const std::filesystem::path share =
      (executable_directory() / "../share/convoy").lexically_normal();
  const std::optional<Manifest> processors = named_processors(setup);
  SimulatedHardware hardware =
      processors ? processor_hardware(setup, *processors) : gpu_hardware(setup, share);
  hardware.software =
      simulate::read_software_profile(share / "profiles", setup.flags->text("software"));
  return hardware;
}

}  // namespace convoy
