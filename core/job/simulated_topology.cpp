#include "core/job/simulated_topology.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "core/base/error.hpp"
#include "core/job/limits.hpp"
#include "core/simulate/described_constants.hpp"
#include "topology/catalogue/catalogue_facts.hpp"
#include "topology/catalogue/platform.hpp"
#include "topology/detect/detect.hpp"
#include "topology/graph/graph_edit.hpp"
#include "topology/graph/several_hosts.hpp"
#include "topology/read/read_machine.hpp"

namespace convoy::job {
namespace {

// Of a device whose speed --images_per_sec says. Layers take their shares of that time, so only the
// ratio of the two peaks counts: about that of all GPUs from the P100 to the V100.
constexpr double kAnyPeak = 14e12;
constexpr double kAnyMemoryRate = 9e11;

[[noreturn]] void refuse_without_gpus(const topology::Machine& machine, const std::string& file,
                                      const std::filesystem::path& share) {
  if (!file.empty())
    fail(ExitCode::kUsage, "--topology={}: no GPU is in it{}{}", file,
         machine.notes.empty() ? "" : ": ", fmt::join(machine.notes, "; "));
  fail(
      ExitCode::kUsage,
      "which machine? This one shows no GPU. --platform=NAME takes one of {}, or a file; "
      "--topology=FILE takes what lstopo --of xml, NCCL_TOPO_DUMP_FILE or convoy topo --json wrote "
      "on another machine; --device=cpu takes CPU devices",
      fmt::join(topology::platform_names(share / "platforms"), ", "));
}

simulate::MachineConstants known_constants(const Setup& setup, const topology::Machine& machine,
                                           const topology::Catalogue& catalogue) {
  std::vector<std::string> unknown;
  simulate::MachineConstants constants = simulate::machine_constants(machine, catalogue, unknown);
  if (!unknown.empty() && !setup.options.machine.images_per_second)
    fail(ExitCode::kUsage, "{}", unknown.front());
  for (simulate::SimulatedDevice& device : constants.devices)
    if (device.flops_per_second <= 0) {
      device.flops_per_second = kAnyPeak;
      device.memory_bytes_per_second = kAnyMemoryRate;
    }
  return constants;
}

}  // namespace

std::vector<std::uint32_t> gpu_order(const JobOptions& options, std::vector<std::string>& notices) {
  std::vector<std::uint32_t> order;
  for (const std::int64_t number : options.device_order)
    order.push_back(static_cast<std::uint32_t>(std::min<std::int64_t>(number, kMostDevices)));
  const std::set<std::uint32_t> different(order.begin(), order.end());
  if (different.size() < order.size()) {
    notices.push_back(fmt::format(
        "--gpu_indices={} lists a GPU twice; all replicas are foreseen as if each had one of its "
        "own, which is faster than sharing one",
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

SimulatedHardware topology_hardware(const Setup& setup, const std::filesystem::path& share) {
  const std::string file = setup.options.machine.topology;
  topology::Machine machine =
      file.empty() ? topology::detect_machine() : topology::read_machine(file);
  if (topology::nodes_of(machine, topology::NodeKind::gpu).empty())
    refuse_without_gpus(machine, file, share);
  const auto catalogue = topology::Catalogue::read(share / "catalogue");
  topology::add_catalogue_facts(machine, catalogue);
  if (machine.name.empty()) machine.name = machine.source;
  std::vector<std::string> notices;
  SimulatedHardware hardware = gpus_of_machine(machine, known_constants(setup, machine, catalogue),
                                               gpu_order(setup.options, notices));
  hardware.notices = std::move(notices);
  if (!file.empty()) hardware.name = file;
  hardware.of_this_machine = file.empty();
  hardware.hosts = setup.options.machine.hosts.value_or(1);
  if (hardware.hosts > 1) hardware.name = fmt::format("{} x {}", hardware.hosts, hardware.name);
  return hardware;
}

}  // namespace convoy::job
