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

// How long something took, and how long the simulator says that it takes. Empty: no part of it
// runs here; it cannot be foreseen.
struct ProbedTime {
  std::optional<double> measured;  // seconds; of steps the median, of operations the fastest
  std::optional<double> foreseen;
};

struct ProbedTimes {
  ProbedTime step;                     // all of it
  std::vector<ProbedTime> operations;  // the copies, or the reduction, in the order of the plan
};

// Where plans are tried: open devices, and what is known of them.
struct ProbeTarget {
  const job::Setup& setup;
  std::shared_ptr<runtime::OpenDevices> devices;
  const job::SimulatedHardware* hardware = nullptr;  // null: nothing is foreseen
  const runtime::ClusterTask* task = nullptr;  // of several hosts: all probe the same at a time
};

// A network of one small layer: a step takes as long as what is probed.
calibrate::ProbeNetwork smallest_network();

// Trains this network by this step: once to warm up, then so often.
ProbedTimes probe_plan(const ProbeTarget& target, const calibrate::ProbeNetwork& network,
                       const ProbedStep& step, int repetitions);

}  // namespace convoy::qualify
