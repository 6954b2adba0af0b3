#pragma once

#include <memory>

#include "core/job/setup.hpp"
#include "core/plan/step_plan.hpp"

namespace convoy::job {

// The plan of a job, and its cluster.
struct JobPlan {
  std::unique_ptr<const plan::Cluster> cluster;
  std::unique_ptr<const plan::StepPlan> plan;  // refers to the cluster
};

// Returns whether plans are for the devices that a run opens here, in one process or in every task
// that is listed by address. Then the options describe no machine, number of hosts or kind of
// devices.
bool plans_for_devices_here(const MachineOptions& machine);

// Returns the plan for the devices here, else for the machine or the hosts that the options
// describe. Hosts that are only named have two devices each, unless the options say otherwise.
// Errors as make_plan(), and for a machine that does not exist.
JobPlan plan_job(const Setup& setup);

}  // namespace convoy::job
