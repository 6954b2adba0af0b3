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

// The target of a run with these flags on this number of devices, as the devices describe
// themselves. Opens the devices for a moment, unless the setup has them open already.
PlanTarget target_on_devices(const Setup& setup, std::uint32_t devices);

// The target of a run of several tasks, whose workers have this number of devices each. They are
// taken to be like the devices of this machine.
PlanTarget target_on_tasks(const Setup& setup, const ListedTasks& tasks, std::uint32_t devices);

// Whether the hardware is this machine's and has the devices of this plug-in, which can be opened
// to ask them; null: there is none.
bool has_devices_of(const plugin::DevicePlugin* device, const SimulatedHardware& hardware);

// The forms of strategies' kernels that the hardware's devices run.
plugin::KernelForms forms_on(const plugin::DevicePlugin* device, const SimulatedHardware& hardware);

// The target of a simulated plan. The devices of this machine are asked how they store variables;
// devices of described machines store them in the plain way.
struct SimulatedTarget {
  simulate::SimulatedCluster on;
  graph::Arena arena;
};
SimulatedTarget simulated_target(const Setup& setup, const SimulatedHardware& hardware,
                                 std::uint32_t hosts, std::uint32_t devices_per_host);

}  // namespace convoy::job
