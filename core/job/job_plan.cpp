#include "core/job/job_plan.hpp"

#include <utility>

#include "core/job/described_hosts.hpp"
#include "core/job/plan_ground.hpp"
#include "core/job/prediction_options.hpp"
#include "core/job/sizes.hpp"
#include "core/runtime/model_map.hpp"
#include "core/runtime/prepared_plan.hpp"

namespace convoy::job {
namespace {

// Of hosts and devices of which no more is known than the options say.
PlanGround imagined_ground(const Setup& setup) {
  constexpr std::uint32_t kUsualDevices = 2;
  const MachineOptions& machine = setup.options.machine;
  HostsDescription hosts = describe_hosts(machine);
  hosts.devices_per_host = setup.options.num_devices.value_or(kUsualDevices);
  hosts.peer_access = machine.peer_access.value_or(true);
  require_devices(hosts.hosts, hosts.devices_per_host);
  return {make_hosts(hosts), Arena(*setup.graph)};
}

PlanGround ground_of(const Setup& setup) {
  const MachineOptions& machine = setup.options.machine;
  if (!plans_for_devices_here(machine)) return imagined_ground(setup);
  const std::uint32_t devices = count_devices(setup);
  if (const auto tasks = listed_tasks(machine)) return ground_of_tasks(setup, *tasks, devices);
  return ground_of_devices(setup, devices);
}

JobPlan written(const Setup& setup, Cluster cluster, ArenaMap map) {
  JobPlan result;
  result.cluster = std::make_unique<const Cluster>(std::move(cluster));
  result.plan = std::make_unique<const StepPlan>(*result.cluster, std::move(map),
                                                 runtime::author_of(*setup.strategy),
                                                 StepPlanOptions{.guard = setup.guard});
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
    SimulatedGround ground = simulated_ground(
        setup, hardware, hardware.hosts, setup.options.num_devices.value_or(hardware.most_devices));
    ArenaMap map = simulated_map(setup, hardware, ground.arena, setup.bucket_elements);
    return written(setup, std::move(ground.on.cluster), std::move(map));
  }
  PlanGround ground = ground_of(setup);
  ArenaMap map = runtime::make_arena_map(*setup.graph, ground.arena, setup.bucket_elements);
  return written(setup, std::move(ground.cluster), std::move(map));
}

}  // namespace convoy::job
