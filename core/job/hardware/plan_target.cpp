#include "core/job/hardware/plan_target.hpp"

#include "core/job/component_options.hpp"
#include "core/job/hardware/opened_devices.hpp"
#include "core/job/sizes.hpp"
#include "core/job/tasks/task_cluster.hpp"
#include "core/runtime/storage.hpp"

namespace convoy::job {

namespace {

std::shared_ptr<runtime::OpenDevices> devices_for(const Setup& setup, std::uint32_t devices) {
  if (setup.open_devices != nullptr && setup.open_devices->descriptions().size() == devices)
    return setup.open_devices;
  return open_devices(setup, devices);
}

graph::Arena storage_on(const Setup& setup, const runtime::OpenDevices& open,
                        std::uint32_t devices) {
  const runtime::SessionOptions options =
      session_options(setup, choose_sizes(setup, devices), devices);
  return runtime::choose_storage(*setup.graph, open, options, false);
}

}  // namespace

PlanTarget target_on_devices(const Setup& setup, std::uint32_t devices) {
  const std::shared_ptr<runtime::OpenDevices> open = devices_for(setup, devices);
  return {open->cluster(), storage_on(setup, *open, devices)};
}

PlanTarget target_on_tasks(const Setup& setup, const ListedTasks& tasks, std::uint32_t devices) {
  require_devices(tasks.workers, devices);
  const std::shared_ptr<runtime::OpenDevices> open = devices_for(setup, devices);
  return {cluster_of_tasks(tasks.workers, tasks.servers, task_devices(*open, devices)),
          storage_on(setup, *open, devices)};
}

bool has_devices_of(const plugin::DevicePlugin* device, const SimulatedHardware& hardware) {
  return hardware.of_this_machine && device != nullptr &&
         device->has(CONVOY_DEVICES_ON_HOST_PROCESSORS) == hardware.on_host_processors;
}

plugin::KernelForms forms_on(const plugin::DevicePlugin* device,
                             const SimulatedHardware& hardware) {
  if (has_devices_of(device, hardware)) return device->kernel_forms();
  if (hardware.on_host_processors) return {.devices = "CPU devices"};
  return plugin::gpu_forms("the GPUs of " + hardware.name);
}

SimulatedTarget simulated_target(const Setup& setup, const SimulatedHardware& hardware,
                                 std::uint32_t hosts, std::uint32_t devices_per_host) {
  require_devices(hosts, devices_per_host);
  SimulatedTarget target{hardware.cluster(hosts, devices_per_host), graph::Arena(*setup.graph)};
  if (!has_devices_of(setup.device.get(), hardware) || hosts > 1) return target;
  PlanTarget here = target_on_devices(setup, devices_per_host);
  target.on.cluster = std::move(here.cluster);
  target.arena = std::move(here.arena);
  return target;
}

}  // namespace convoy::job
