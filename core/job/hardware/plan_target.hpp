#pragma once

#include <cstdint>

#include "core/graph/arena.hpp"
#include "core/job/hardware/described_hosts.hpp"
#include "core/job/hardware/simulated_hardware.hpp"
#include "core/job/setup.hpp"
#include "core/plan/cluster.hpp"

namespace convoy::job {

// The target of a plan: a cluster, and how the model's variables are stored in its memory.
struct PlanTarget {
  plan::Cluster cluster;
  graph::Arena arena;
};

// Returns the target of a run with these flags on this number of devices, as the devices describe
// themselves. Opens the devices for a moment, unless the setup has them open already.
PlanTarget target_on_devices(const Setup& setup, std::uint32_t devices);

// Returns the target of a run of several tasks, whose workers have this number of devices each. The
// devices are assumed to be like those of this machine.
PlanTarget target_on_tasks(const Setup& setup, const ListedTasks& tasks, std::uint32_t devices);

// Returns whether the hardware is this machine's and has the devices of this plug-in, so that they
// can be opened and queried; null: there is no plug-in.
bool has_devices_of(const plugin::DevicePlugin* device, const SimulatedHardware& hardware);

// Returns the forms of strategies' kernels that the hardware's devices run.
plugin::KernelForms forms_on(const plugin::DevicePlugin* device, const SimulatedHardware& hardware);

// The target of a simulated plan. Devices of this machine are asked how they store variables.
// Devices of described machines store them in the plain way.
struct SimulatedTarget {
  simulate::SimulatedCluster on;
  graph::Arena arena;
};
SimulatedTarget simulated_target(const Setup& setup, const SimulatedHardware& hardware,
                                 std::uint32_t hosts, std::uint32_t devices_per_host);

}  // namespace convoy::job
