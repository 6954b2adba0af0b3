#pragma once

#include "core/job/hardware/plan_target.hpp"
#include "core/job/hardware/simulated_hardware.hpp"
#include "core/job/setup.hpp"

namespace convoy::job {

// Returns the hosts of a run whose tasks are linked. Every host is assumed to be a machine like
// this one. Messages take the times that were measured between the tasks. Errors as
// hardware_of_run().
SimulatedHardware linked_hardware(Setup& setup);

// Returns the cluster of these hosts, and the target of the run's plans on it. `hardware` is from
// linked_hardware().
simulate::SimulatedCluster linked_cluster(const Setup& setup, const SimulatedHardware& hardware);
SimulatedTarget linked_target(const Setup& setup, const SimulatedHardware& hardware);

}  // namespace convoy::job
