#include "core/simulate/machine/described_constants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/base/error.hpp"

namespace convoy::simulate {
namespace {

using topology::Fact;

void take(const Fact<double>& fact, double& value) {
  if (fact.known()) value = *fact.value;
}

std::uint64_t bytes(const Fact<double>& fact) {
  return static_cast<std::uint64_t>(fact.value_or(0));
}

// The peak of the faster 16-bit type.
double half_peak(const topology::DeviceEntry& entry) {
  return std::max(entry.peak_f16.value_or(0), entry.peak_bf16.value_or(0));
}

// Null when the catalogue knows none of its processors.
const topology::HostEntry* find_host_of(const topology::Machine& machine,
                                        const topology::Catalogue& catalogue) {
  for (const topology::Node& node : machine.nodes)
    if (node.kind == topology::NodeKind::package && !node.model.empty())
      if (const topology::HostEntry* entry = catalogue.find_host(node.model)) return entry;
  return nullptr;
}

SimulatedDevice unknown_device(const topology::Node& gpu) {
  SimulatedDevice device;
  device.name = gpu.model.empty() ? gpu.name : gpu.model;
  device.memory_bytes = gpu.memory_bytes.value_or(0);
  device.memory_bytes_per_second = gpu.memory_bytes_per_second.value_or(0);
  return device;
}

std::string kind_of(const topology::Node& gpu) {
  std::string model = (gpu.id ? topology::format_pci_id(*gpu.id) : std::string()) + " " + gpu.model;
  if (!gpu.part) return model;
  return fmt::format("{} {} {}", model, gpu.part->multiprocessors, gpu.part->memory_bytes);
}

// Slices (MIG) compute with their multiprocessors, and memory is cut into eighths with their share
// of its rate (NVIDIA's guide to multi-instance GPUs).
void keep_part(const topology::GpuPart& part, const topology::DeviceEntry& entry,
               SimulatedDevice& device) {
  constexpr double kMemorySlices = 8;
  if (!entry.multiprocessors.known() || part.multiprocessors == 0 || device.memory_bytes == 0)
    return;
  const double computing = std::min(1.0, part.multiprocessors / entry.multiprocessors.value_or(1));
  const double eighths = std::round(kMemorySlices * static_cast<double>(part.memory_bytes) /
                                    static_cast<double>(device.memory_bytes));
  for (double* const rate :
       {&device.flops_per_second, &device.half_flops_per_second, &device.tf32_flops_per_second})
    *rate *= computing;
  device.memory_bytes_per_second *= std::clamp(eighths, 1.0, kMemorySlices) / kMemorySlices;
  device.memory_bytes = part.memory_bytes;
  device.name = fmt::format("{} of {:.0f} multiprocessors of {}", part.multiprocessors,
                            entry.multiprocessors.value_or(0), device.name);
}

// What the machine says of its hosts: that the collective library is told to use peer access
// everywhere, and how many GPUs a process has.
void take_host_facts(const topology::Machine& machine, std::vector<SimulatedHost>& hosts) {
  for (const topology::Node& node : machine.nodes) {
    if (node.host >= hosts.size()) continue;
    if (node.peers_over_root.value_or(false))
      hosts[node.host].peers_over_root = std::numeric_limits<double>::infinity();
    if (node.gpus_per_process.known())
      hosts[node.host].devices_per_process = *node.gpus_per_process.value;
  }
}

}  // namespace

SimulatedDevice simulated_device(const topology::DeviceEntry& entry) {
  SimulatedDevice device;
  device.name = entry.name;
  device.generation = entry.generation;
  take(entry.peak_f32, device.flops_per_second);
  device.half_flops_per_second = half_peak(entry);
  take(entry.peak_tf32, device.tf32_flops_per_second);
  take(entry.memory_bytes_per_second, device.memory_bytes_per_second);
  device.memory_bytes = bytes(entry.memory_bytes);
  device.reserved_bytes = bytes(entry.reserved_bytes);
  take(entry.flops_efficiency, device.flops_efficiency);
  take(entry.memory_efficiency, device.memory_efficiency);
  take(entry.kernel_seconds, device.kernel_seconds);
  take(entry.gain_3x3, device.gain_3x3);
  take(entry.gain_5x5, device.gain_5x5);
  take(entry.layer_flops_efficiency, device.layer_flops_efficiency);
  take(entry.layer_memory_efficiency, device.layer_memory_efficiency);
  take(entry.narrow_channels, device.narrow_channels);
  take(entry.tensor_memory_efficiency, device.tensor_memory_efficiency);
  take(entry.tensor_operations_per_byte, device.tensor_operations_per_byte);
  if (entry.copy_engines.known())
    device.copy_engines = static_cast<std::uint32_t>(*entry.copy_engines.value);
  take(entry.collective_progress, device.collective_progress);
  take(entry.collective_tax, device.collective_tax);
  take(entry.collective_seconds, device.collective_seconds);
  const auto dies = static_cast<std::size_t>(entry.dies_per_board.value_or(1));
  if (dies > 1) {
    device.board_rates.assign(dies, 1.0);
    device.board_rates.back() = entry.board_coupling.value_or(1);
  }
  return device;
}

SimulatedHost simulated_host(const topology::HostEntry& entry) {
  SimulatedHost host;
  host.name = entry.name;
  take(entry.pcie_efficiency, host.pcie_efficiency);
  take(entry.nvlink_efficiency, host.nvlink_efficiency);
  take(entry.socket_efficiency, host.socket_efficiency);
  take(entry.network_efficiency, host.network_efficiency);
  take(entry.rdma_efficiency, host.rdma_efficiency);
  take(entry.socket_bytes_per_second, host.unknown_socket_bytes_per_second);
  take(entry.memory_bytes_per_second, host.memory_bytes_per_second);
  take(entry.add_bytes_per_second, host.add_bytes_per_second);
  take(entry.decoded_images_per_core, host.decoded_images_per_core);
  take(entry.nvlink_hop_seconds, host.nvlink_hop_seconds);
  take(entry.pcie_hop_seconds, host.pcie_hop_seconds);
  take(entry.network_hop_seconds, host.network_hop_seconds);
  take(entry.proxy_seconds, host.proxy_seconds);
  take(entry.root_overhead, host.root_overhead);
  take(entry.peers_over_root, host.peers_over_root);
  return host;
}

MachineConstants machine_constants(const topology::Machine& machine,
                                   const topology::Catalogue& catalogue,
                                   std::vector<std::string>& unknown) {
  MachineConstants constants;
  const topology::HostEntry* host = find_host_of(machine, catalogue);
  constants.hosts = {simulated_host(host != nullptr ? *host : catalogue.fallback_host())};
  take_host_facts(machine, constants.hosts);
  std::map<std::string, std::uint32_t> kinds;
  for (const topology::Node& node : machine.nodes) {
    if (node.kind == topology::NodeKind::package && node.host == 0)
      constants.hosts.front().input_cores += node.cores.value_or(0);
    if (node.kind != topology::NodeKind::gpu) continue;
    const auto next = static_cast<std::uint32_t>(constants.devices.size());
    if (!kinds.try_emplace(kind_of(node), next).second) continue;
    const topology::DeviceEntry* entry = catalogue.find_device(node);
    constants.devices.push_back(entry != nullptr ? simulated_device(*entry) : unknown_device(node));
    if (entry != nullptr && node.part) keep_part(*node.part, *entry, constants.devices.back());
    if (entry == nullptr) unknown.push_back(catalogue.missing_device(node));
  }
  constants.device_of = [kinds](const topology::Node& gpu) { return kinds.at(kind_of(gpu)); };
  return constants;
}

std::string assumed_of_processors(const topology::Machine& machine,
                                  const topology::Catalogue& catalogue) {
  if (find_host_of(machine, catalogue) != nullptr) return {};
  const auto named = std::ranges::find_if(machine.nodes, [](const topology::Node& node) {
    return node.kind == topology::NodeKind::package && !node.model.empty();
  });
  const std::string which =
      named == machine.nodes.end()
          ? fmt::format("{} does not name its processors", machine.source)
          : fmt::format("the catalogue does not know the processors, {}", named->model);
  return fmt::format(
      "{}: usual rates of their links, and {:.0f} GB/s of memory each where none is given, are "
      "assumed",
      which, catalogue.fallback_host().memory_bytes_per_second.value_or(0) / 1e9);
}

MachineConstants platform_constants(const topology::Platform& platform,
                                    const topology::Catalogue& catalogue) {
  std::vector<std::string> unknown;
  MachineConstants constants = machine_constants(platform.machine, catalogue, unknown);
  CONVOY_CHECK(unknown.empty());  // the reader took the platform's GPU from the catalogue
  constants.hosts.clear();
  for (const topology::PlatformHosts& kind : platform.kinds) {
    const topology::HostEntry* entry = catalogue.find_host(kind.constants);
    CONVOY_CHECK(entry != nullptr);
    SimulatedHost host = simulated_host(*entry);
    host.input_cores = kind.input_cores;
    constants.hosts.insert(constants.hosts.end(), kind.hosts, host);
  }
  take_host_facts(platform.machine, constants.hosts);
  return constants;
}

}  // namespace convoy::simulate
