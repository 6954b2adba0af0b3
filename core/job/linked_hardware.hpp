#pragma once

#include "core/job/plan_ground.hpp"
#include "core/job/setup.hpp"
#include "core/job/simulated_hardware.hpp"

namespace convoy::job {

// This machine and its likes as the hosts of a run, once its tasks are linked: every host is taken
// to be as fast as this one, messages take what was measured between the tasks. Error as
// hardware_of_run.
SimulatedHardware linked_hardware(Setup& setup);

// The hosts and what the run's plans are for on them. The hardware is that of linked_hardware.
simulate::SimulatedCluster linked_cluster(const Setup& setup, const SimulatedHardware& hardware);
SimulatedGround linked_ground(const Setup& setup, const SimulatedHardware& hardware);

}  // namespace convoy::job
