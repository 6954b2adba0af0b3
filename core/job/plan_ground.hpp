#pragma once

#include <cstdint>

#include "core/graph/arena.hpp"
#include "core/job/described_hosts.hpp"
#include "core/job/setup.hpp"
#include "core/job/simulated_hardware.hpp"
#include "core/plan/cluster.hpp"

namespace convoy::job {

// What a plan is for: a cluster, and how the model's variables are stored in its memory.
struct PlanGround {
  Cluster cluster;
  Arena arena;
};

// The ground of a run with these flags on so many of its devices, as the devices describe
// themselves. Opens them for a moment, unless the setup holds them already.
PlanGround ground_of_devices(const Setup& setup, std::uint32_t devices);

// The same of a run on several hosts whose workers have so many devices each, as they are here.
PlanGround ground_of_tasks(const Setup& setup, const ListedTasks& tasks, std::uint32_t devices);

// Whether the hardware is that of this machine and its devices can be asked.
bool has_devices_of(const Setup& setup, const SimulatedHardware& hardware);

// Which kernels of strategies its devices run.
KernelForms forms_on(const Setup& setup, const SimulatedHardware& hardware);

// A cluster on which the hardware's speed is known, and how the model is stored there: this
// machine's devices are asked, those of other machines have what the description says and store
// variables in the plain way.
struct SimulatedGround {
  simulate::SimulatedCluster on;
  Arena arena;
};
SimulatedGround simulated_ground(const Setup& setup, const SimulatedHardware& hardware,
                                 std::uint32_t hosts, std::uint32_t devices_per_host);

}  // namespace convoy::job
