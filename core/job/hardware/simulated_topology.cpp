#include "core/job/hardware/simulated_topology.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "core/base/error.hpp"
#include "core/base/text/number.hpp"
#include "core/job/limits.hpp"
#include "core/simulate/machine/described_constants.hpp"
#include "topology/catalogue/catalogue_facts.hpp"
#include "topology/catalogue/platform.hpp"
#include "topology/detect/detect.hpp"
#include "topology/graph/gpu_order.hpp"
#include "topology/graph/graph_edit.hpp"
#include "topology/graph/several_hosts.hpp"
#include "topology/read/read_machine.hpp"

namespace convoy::job {
namespace {

// The peaks of a device whose speed --images_per_sec gives. Layers take their shares of that time,
// so only the ratio of the two peaks matters. It is about the same for all GPUs from the P100 to
// the V100.
constexpr double kAnyPeak = 14e12;
constexpr double kAnyMemoryRate = 9e11;

[[noreturn]] void refuse_without_gpus(const topology::Machine& machine, const std::string& file,
                                      const std::filesystem::path& share) {
  const std::string hidden = topology::hidden_gpus(machine);
  if (!file.empty())
    fail(ExitCode::kUsage, "--topology={}: no GPU is in it{}{}", file,
         machine.notes.empty() ? "" : ": ", fmt::join(machine.notes, "; "));
  fail(
      ExitCode::kUsage,
      "which machine? This one shows no GPU{}. --platform=NAME takes one of {}, or a file; "
      "--topology=FILE takes what lstopo --of xml, NCCL_TOPO_DUMP_FILE or convoy topo --json wrote "
      "on another machine; --device=cpu takes CPU devices",
      hidden.empty() ? "" : fmt::format(" that this process can use ({})", hidden),
      fmt::join(topology::platform_names(share / "platforms"), ", "));
}

// Returns this machine with its GPUs reordered: those that this process can use come first.
topology::Machine usable_first(const topology::Machine& machine) {
  std::vector<topology::PciAddress> addresses;
  for (const std::size_t gpu : topology::usable_gpus(machine))
    addresses.push_back(machine.nodes[gpu].address.value());
  return topology::gpus_first(machine, addresses);
}

// Refuses more devices than this process can use. The machine's other GPUs come after those.
void limit_to_usable(SimulatedHardware& hardware, const std::vector<std::uint32_t>& order,
                     const topology::Machine& machine) {
  const std::string hidden = topology::hidden_gpus(machine);
  if (hidden.empty()) return;
  const auto usable = static_cast<std::uint32_t>(topology::usable_gpus(machine).size());
  for (const std::uint32_t number : order)
    if (number >= usable)
      fail(ExitCode::kUsage, "--gpu_indices lists GPU {}, and this process can use {} ({})", number,
           usable, hidden);
  if (order.empty()) hardware.most_devices = usable;
  hardware.cluster = [=, cluster = hardware.cluster](std::uint32_t hosts, std::uint32_t devices) {
    if (devices > usable)
      fail(ExitCode::kUsage,
           "{} GPUs asked for, and this process can use {} of this machine's ({})", devices, usable,
           hidden);
    return cluster(hosts, devices);
  };
}

simulate::MachineConstants known_constants(const MachineOptions& options,
                                           const topology::Machine& machine,
                                           const topology::Catalogue& catalogue) {
  std::vector<std::string> unknown;
  simulate::MachineConstants constants = simulate::machine_constants(machine, catalogue, unknown);
  if (!unknown.empty() && !options.images_per_second) fail(ExitCode::kUsage, "{}", unknown.front());
  for (simulate::SimulatedDevice& device : constants.devices)
    if (device.flops_per_second <= 0) {
      device.flops_per_second = kAnyPeak;
      device.memory_bytes_per_second = kAnyMemoryRate;
    }
  return constants;
}

// A number that no machine has becomes one that is too large.
std::uint32_t number_of_gpu(const std::string& device, const topology::Machine& machine) {
  if (const auto number = parse_nearest_number<std::uint32_t>(device))
    return std::min(*number, kMostDevices);
  const std::vector<std::uint32_t> found = topology::gpus_of_id(machine, device);
  if (found.size() == 1) return found.front();
  fail(ExitCode::kUsage,
       "--gpu_indices lists {}, which {} of {}; convoy topo shows ids and numbers", device,
       found.empty() ? "is the id of no GPU"
                     : fmt::format("begins the ids of {} GPUs", found.size()),
       machine.name.empty() ? machine.source : machine.name);
}

}  // namespace

std::vector<std::uint32_t> gpu_order(const JobOptions& options, const topology::Machine& machine,
                                     std::vector<std::string>& notices) {
  std::vector<std::uint32_t> order;
  for (const std::string& device : options.device_order)
    order.push_back(number_of_gpu(device, machine));
  const std::set<std::uint32_t> different(order.begin(), order.end());
  if (different.size() < order.size()) {
    notices.push_back(
        fmt::format("--gpu_indices={} lists a GPU twice; the prediction gives each replica a GPU "
                    "of its own, which is faster than sharing one",
                    fmt::join(options.device_order, ",")));
    std::iota(order.begin(), order.end(), 0u);
  }
  return order;
}

SimulatedHardware gpus_of_machine(const topology::Machine& machine,
                                  const simulate::MachineConstants& constants,
                                  const std::vector<std::uint32_t>& order) {
  SimulatedHardware hardware;
  hardware.name = machine.source;
  hardware.rates = kRoofline;
  const std::size_t gpus = topology::nodes_of(machine, topology::NodeKind::gpu).size();
  hardware.most_devices = static_cast<std::uint32_t>(order.empty() ? gpus : order.size());
  hardware.cluster = [machine, constants, order](std::uint32_t hosts, std::uint32_t devices) {
    return simulate::make_gpu_cluster(topology::several_hosts(machine, hosts), devices, constants,
                                      order);
  };
  return hardware;
}

SimulatedHardware topology_hardware(const JobOptions& options, const std::filesystem::path& share) {
  const std::string file = options.machine.topology;
  topology::Machine machine =
      file.empty() ? usable_first(topology::detect_machine()) : topology::read_machine(file);
  if (topology::usable_gpus(machine).empty()) refuse_without_gpus(machine, file, share);
  const auto catalogue = topology::Catalogue::read(share / "catalogue");
  topology::add_catalogue_facts(machine, catalogue);
  if (machine.name.empty()) machine.name = machine.source;
  std::vector<std::string> notices;
  if (std::string assumed = simulate::assumed_of_processors(machine, catalogue); !assumed.empty())
    notices.push_back(std::move(assumed));
  const std::vector<std::uint32_t> order = gpu_order(options, machine, notices);
  SimulatedHardware hardware =
      gpus_of_machine(machine, known_constants(options.machine, machine, catalogue), order);
  limit_to_usable(hardware, order, machine);
  hardware.notices = std::move(notices);
  if (!file.empty()) hardware.name = file;
  hardware.of_this_machine = file.empty();
  hardware.hosts = options.machine.hosts.value_or(1);
  if (hardware.hosts > 1) hardware.name = fmt::format("{} x {}", hardware.hosts, hardware.name);
  return hardware;
}

}  // namespace convoy::job
