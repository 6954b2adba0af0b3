#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/job/setup.hpp"
#include "core/plan/step_plan.hpp"
#include "core/simulate/predictor.hpp"

namespace convoy::job {

// What a run on so many devices would execute, and how fast it would be.
struct SimulatedRun {
  std::unique_ptr<const simulate::SimulatedCluster> on;
  std::unique_ptr<const StepPlan> plan;  // refers to that cluster
  simulate::Prediction prediction;
};

// A job simulated on the hardware that its options describe, else on this machine.
struct Simulation {
  std::string machine;      // "platform dgx1-p100", "topology.xml", "2 CPU devices"
  std::string software;     // the profile's name and source
  std::string collectives;  // the library that its devices reduce with, and its source
  std::string rates;        // where the layers' times come from
  std::uint32_t hosts = 1;
  std::uint32_t batch = 1;           // per device
  std::vector<SimulatedRun> runs;    // one for each number of devices
  double one_device_rate = 0;        // images per second
  std::vector<std::string> notices;  // for people
};

// counts: numbers of devices per host; empty: what the options say, else as many as a run
// would take. Error kUsage for a
// machine that does not exist, and as make_plan().
Simulation simulate_job(const Setup& setup, const std::vector<std::uint32_t>& counts);

}  // namespace convoy::job
