#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "core/cli/run_setup.hpp"
#include "core/plan/step_plan.hpp"
#include "core/simulate/predictor.hpp"

namespace convoy {

// What was imagined besides a run's flags.
struct SimulationSubject {
  std::string machine;      // "platform dgx1-p100", "topology.xml", "2 CPU devices"
  std::string software;     // the profile's name and source
  std::string collectives;  // the library that its devices reduce with, and its source
  std::string rates;        // where the layers' times come from
  std::uint32_t hosts = 1;
  std::uint32_t batch = 1;  // per device
};

// What a run on so many devices would execute, and how fast it would be.
struct SimulatedCount {
  std::unique_ptr<const simulate::SimulatedCluster> on;
  std::unique_ptr<const StepPlan> plan;  // refers to that cluster
  simulate::Prediction prediction;
};

// The header of a run, marked simulated, for the last of the counts.
void print_simulation_header(std::ostream& out, const RunSetup& setup,
                             const SimulationSubject& subject, const SimulatedCount& last);
// Total, breakdown and link loads of one prediction that fits.
void print_simulated_step(std::ostream& out, const SimulatedCount& count);
// A row per number of devices: speed, speed-up and efficiency against one device's rate.
void print_scaling_table(std::ostream& out, const std::vector<SimulatedCount>& counts,
                         double one_device_rate);

// All of it as one JSON object.
std::string simulation_json(const RunSetup& setup, const SimulationSubject& subject,
                            const std::vector<SimulatedCount>& counts, double one_device_rate);

}  // namespace convoy
