#include "core/job/plan_ground.hpp"

#include "core/job/component_options.hpp"
#include "core/job/described_hosts.hpp"
#include "core/job/opened_devices.hpp"
#include "core/job/sizes.hpp"
#include "core/runtime/storage.hpp"

namespace convoy::job {

PlanGround ground_of_devices(const Setup& setup, std::uint32_t devices) {
  std::shared_ptr<OpenDevices> open = setup.open_devices;
  if (open == nullptr || open->descriptions().size() != devices)
    open = open_devices(setup, devices);
  const SessionOptions options = session_options(setup, choose_sizes(setup, devices), devices);
  return {open->cluster(), choose_storage(*setup.graph, *open, options, false)};
}

bool has_devices_of(const Setup& setup, const SimulatedHardware& hardware) {
  return hardware.of_this_machine && setup.device != nullptr &&
         setup.device->has(CONVOY_DEVICES_ON_HOST_PROCESSORS) == hardware.on_host_processors;
}

SimulatedGround simulated_ground(const Setup& setup, const SimulatedHardware& hardware,
                                 std::uint32_t hosts, std::uint32_t devices_per_host) {
  require_devices(hosts, devices_per_host);
  SimulatedGround ground{hardware.cluster(hosts, devices_per_host), Arena(*setup.graph)};
  if (!has_devices_of(setup, hardware) || hosts > 1) return ground;
  PlanGround here = ground_of_devices(setup, devices_per_host);
  ground.on.cluster = std::move(here.cluster);
  ground.arena = std::move(here.arena);
  return ground;
}

}  // namespace convoy::job
