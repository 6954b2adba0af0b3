#include "core/job/job_plan.hpp"

#include <utility>

#include "core/job/hardware/described_hosts.hpp"
#include "core/job/hardware/plan_target.hpp"
#include "core/job/simulation/prediction_options.hpp"
#include "core/job/sizes.hpp"
#include "core/runtime/model_map.hpp"
#include "core/runtime/prepared_plan.hpp"

namespace convoy::job {
namespace {

// Returns the target for hosts and devices about which only the options are known.
PlanTarget described_target(const Setup& setup) {
  constexpr std::uint32_t kUsualDevices = 2;
  const MachineOptions& machine = setup.options.machine;
  plan::HostsDescription hosts = describe_hosts(machine);
  hosts.devices_per_host = setup.options.num_devices.value_or(kUsualDevices);
  hosts.peer_access = machine.peer_access.value_or(true);
  require_devices(hosts.hosts, hosts.devices_per_host);
  return {plan::make_hosts(hosts), graph::Arena(*setup.graph)};
}

PlanTarget target_of(const Setup& setup) {
  const MachineOptions& machine = setup.options.machine;
  if (!plans_for_devices_here(machine)) return described_target(setup);
  const std::uint32_t devices = count_devices(setup);
  if (const auto tasks = listed_tasks(machine)) return target_on_tasks(setup, *tasks, devices);
  return target_on_devices(setup, devices);
}

JobPlan written(const Setup& setup, plan::Cluster cluster, plan::ArenaMap map) {
  JobPlan result;
  result.cluster = std::make_unique<const plan::Cluster>(std::move(cluster));
  result.plan = std::make_unique<const plan::StepPlan>(
      *result.cluster, std::move(map), runtime::author_of(*setup.strategy),
      plan::StepPlanOptions{.guard = guard_options(setup.options)});
  return result;
}

}  // namespace

bool plans_for_devices_here(const MachineOptions& machine) {
  return (plans_for_this_machine(machine) || listed_tasks(machine)) && !machine.peer_access;
}

JobPlan plan_job(const Setup& setup) {
  const MachineOptions& machine = setup.options.machine;
  if (describes_machine(machine)) {
    const SimulatedHardware hardware = choose_simulated_hardware(setup);
    SimulatedTarget target = simulated_target(
        setup, hardware, hardware.hosts, setup.options.num_devices.value_or(hardware.most_devices));
    plan::ArenaMap map = simulated_map(setup, hardware, target.arena, setup.bucket_elements);
    return written(setup, std::move(target.on.cluster), std::move(map));
  }
  PlanTarget target = target_of(setup);
  plan::ArenaMap map = runtime::make_arena_map(*setup.graph, target.arena, setup.bucket_elements);
  return written(setup, std::move(target.cluster), std::move(map));
}

}  // namespace convoy::job
