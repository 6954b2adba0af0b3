#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/calibrate/probe_networks.hpp"
#include "core/job/hardware/simulated_hardware.hpp"
#include "core/job/setup.hpp"
#include "core/qualify/probe_strategy.hpp"
#include "core/runtime/network/cluster_task.hpp"
#include "core/runtime/open_devices.hpp"

namespace convoy::qualify {

// The measured and the predicted time of a step or an operation. Without a measured time, no part
// of it runs here. Without a predicted time, it cannot be simulated.
struct ProbedTime {
  std::optional<double> measured;  // seconds; the median of steps, or the fastest of operations
  std::optional<double> expected;
};

struct ProbedTimes {
  ProbedTime step;                     // the whole step
  std::vector<ProbedTime> operations;  // the copies, or the reduction, in the order of the plan
};

// The target of measured plans: open devices, and what is known about them.
struct ProbeTarget {
  const job::Setup& setup;
  std::shared_ptr<runtime::OpenDevices> devices;
  const job::SimulatedHardware* hardware = nullptr;  // null: nothing is predicted
  // With several hosts, all tasks measure the same at the same time.
  const runtime::ClusterTask* task = nullptr;
};

// Returns a network of one small layer, so that a step takes hardly longer than the measured
// operations.
calibrate::ProbeNetwork smallest_network();

// Trains this network with this step: once to warm up, then `repetitions` times.
ProbedTimes probe_plan(const ProbeTarget& target, const calibrate::ProbeNetwork& network,
                       const ProbedStep& step, int repetitions);

}  // namespace convoy::qualify
