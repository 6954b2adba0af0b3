#include "core/job/hardware/run_hardware.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/job/hardware/opened_devices.hpp"
#include "core/job/hardware/simulated_topology.hpp"
#include "core/job/hardware/this_hardware.hpp"
#include "core/job/sizes.hpp"
#include "core/plugin/search_path.hpp"
#include "core/simulate/machine/described_constants.hpp"
#include "topology/catalogue/catalogue_facts.hpp"
#include "topology/detect/detect.hpp"
#include "topology/graph/gpu_order.hpp"
#include "topology/graph/graph_edit.hpp"

namespace convoy::job {
namespace {

std::vector<topology::PciAddress> parse_addresses(std::span<const std::string> texts) {
  std::vector<topology::PciAddress> addresses;
  for (const std::string& text : texts) {
    const auto address = topology::parse_pci_address(text);
    if (!address)
      fail(ExitCode::kUnavailable,
           "nothing is known of the speed of a device whose place is '{}': only PCI addresses are "
           "in the catalogue",
           text);
    addresses.push_back(*address);
  }
  return addresses;
}

std::vector<std::string> addresses_of_devices(Setup& setup) {
  open_devices_early(setup);
  std::vector<std::string> addresses;
  for (const convoy_device_description& device : setup.open_devices->descriptions())
    addresses.emplace_back(device.locality);
  return addresses;
}

// A slice (MIG) has the address of its GPU, but only a part of the resources in the catalogue.
void note_parts_of_gpus(const topology::Machine& machine, const Setup& setup,
                        std::vector<std::string>& notices) {
  constexpr double kMuch = 0.75;  // a whole GPU has a larger share, even if some memory is reserved
  const auto known = topology::nodes_by_address(machine);
  for (const convoy_device_description& device : setup.open_devices->descriptions()) {
    const auto address = topology::parse_pci_address(device.locality);
    const auto found = address ? known.find(*address) : known.end();
    if (found == known.end()) continue;
    const topology::Node& gpu = machine.nodes[found->second];
    const double all = static_cast<double>(gpu.memory_bytes.value_or(0));
    const double own = static_cast<double>(device.memory_bytes);
    if (own < kMuch * all)
      notices.push_back(fmt::format(
          "{} has {:.3g} of the {:.3g} GB of {}, a slice (MIG) of it: {}", device.name, own / 1e9,
          all / 1e9, gpu.name,
          gpu.part
              ? "the prediction gives it its share of the GPU's speed, which nobody has measured"
              : "the prediction is for the whole GPU, which is faster"));
  }
}

}  // namespace

void open_devices_early(Setup& setup) {
  if (setup.open_devices) return;
  setup.open_devices = open_devices(setup, count_devices(setup));
}

SimulatedHardware gpus_of_run(topology::Machine machine, std::span<const std::string> addresses,
                              const std::filesystem::path& share) {
  machine = topology::gpus_first(machine, parse_addresses(addresses));
  const auto catalogue = topology::Catalogue::read(share / "catalogue");
  topology::add_catalogue_facts(machine, catalogue);
  if (machine.name.empty()) machine.name = machine.source;
  std::vector<std::string> unknown;
  const auto constants = simulate::machine_constants(machine, catalogue, unknown);
  if (!unknown.empty()) fail(ExitCode::kUnavailable, "{}", unknown.front());
  SimulatedHardware hardware = gpus_of_machine(machine, constants);
  hardware.known_error = kUnmeasuredError;
  hardware.of_this_machine = true;
  hardware.most_devices = static_cast<std::uint32_t>(addresses.size());
  hardware.software = simulate::read_software_profile(share / "profiles", "convoy");
  return hardware;
}

SimulatedHardware hardware_of_run(Setup& setup) {
  if (setup.device->has(CONVOY_DEVICES_ON_HOST_PROCESSORS))
    return this_machine_hardware(setup.options, setup.device->manifest());
  const topology::Machine machine = topology::detect_machine();
  SimulatedHardware hardware =
      gpus_of_run(machine, addresses_of_devices(setup), plugin::share_directory());
  note_parts_of_gpus(machine, setup, hardware.notices);
  return hardware;
}

std::optional<SimulatedHardware> if_known(Setup& setup, SimulatedHardware (*find)(Setup&),
                                          const std::function<void(const std::string&)>& tell) {
  try {
    return find(setup);
  } catch (const Error& error) {
    if (!setup.options.machine.calibration_file.empty()) throw;
    tell(fmt::format("no simulation of this run: {}", error.what()));
    return std::nullopt;
  }
}

}  // namespace convoy::job
