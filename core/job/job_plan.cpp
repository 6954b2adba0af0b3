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

JobPlan written(const Setup& setup, Cluster cluster, ArenaMap map) {
  JobPlan result;
  result.cluster = std::make_unique<const Cluster>(std::move(cluster));
  result.plan =
      std::make_unique<const StepPlan>(*result.cluster, std::move(map), author_of(*setup.strategy),
                                       StepPlanOptions{.guard = setup.guard});
  return result;
}

}  // namespace

bool plans_for_devices_here(const MachineOptions& machine) {
  return plans_for_this_machine(machine) && !machine.peer_access;
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
  PlanGround ground = plans_for_devices_here(machine)
                          ? ground_of_devices(setup, count_devices(setup))
                          : imagined_ground(setup);
  ArenaMap map = make_arena_map(*setup.graph, ground.arena, setup.bucket_elements);
  return written(setup, std::move(ground.cluster), std::move(map));
}

}  // namespace convoy::job
