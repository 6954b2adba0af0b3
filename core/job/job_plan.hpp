#pragma once

#include <memory>

#include "core/job/setup.hpp"
#include "core/plan/step_plan.hpp"

namespace convoy::job {

// What a job executes per step, and where.
struct JobPlan {
  std::unique_ptr<const Cluster> cluster;
  std::unique_ptr<const StepPlan> plan;  // refers to the cluster
};

// Whether it is for the devices that a run opens here, alone or in every task that is listed by its
// address: no machine, number of hosts or kind of devices is described.
bool plans_for_devices_here(const MachineOptions& machine);

// For these devices, else for the machine or the hosts that the options describe; of hosts of which
// no more is known, two devices each unless the options say. Error as make_plan() and for a machine
// that does not exist.
JobPlan plan_job(const Setup& setup);

}  // namespace convoy::job
