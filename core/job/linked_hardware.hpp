#pragma once

#include "core/job/plan_ground.hpp"
#include "core/job/setup.hpp"
#include "core/job/simulated_hardware.hpp"

namespace convoy::job {

// The hosts of a run, once its tasks are linked: every host is taken to be a machine like this one,
// and messages take the times that were measured between the tasks. Error as hardware_of_run.
SimulatedHardware linked_hardware(Setup& setup);

// The hosts and what the run's plans are for on them. The hardware is that of linked_hardware.
simulate::SimulatedCluster linked_cluster(const Setup& setup, const SimulatedHardware& hardware);
SimulatedGround linked_ground(const Setup& setup, const SimulatedHardware& hardware);

}  // namespace convoy::job
