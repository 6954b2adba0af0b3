#pragma once

#include <convoy/job.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/job/hardware/simulated_hardware.hpp"
#include "core/job/setup.hpp"
#include "core/plan/step_plan.hpp"
#include "core/simulate/predictor.hpp"

namespace convoy::job {

// A simulated run on one number of devices: its plan, and its predicted speed.
struct SimulatedRun {
  std::unique_ptr<const simulate::SimulatedCluster> on;
  std::unique_ptr<plan::StepPlan> plan;      // refers to that cluster; has only the lowered plan
  std::uint32_t proved_hosts = 0;            // the plan was proved for this number of hosts
  std::vector<simulate::LayerTimes> layers;  // for each kind of device of the cluster
  simulate::Prediction prediction;
  std::uint32_t threads = 0;  // threads of each CPU device of this machine; 0: other devices
};

// The simulation of a job on the hardware that its options describe, else on this machine.
struct Simulation {
  std::string machine;   // "platform dgx1-p100", "topology.xml", "2 CPU devices"
  std::string software;  // the profile's name and source
  // The library with which its devices reduce, and the source of its constants.
  std::string collectives;
  std::string rates;  // the origin of the layers' times
  std::uint32_t hosts = 1;
  std::uint32_t batch = 1;           // per device
  std::string compute_dtype;         // "f32", "tf32", or "half": the devices' 16-bit type
  std::vector<SimulatedRun> runs;    // one for each number of devices
  double one_device_rate = 0;        // images per second
  std::vector<std::string> notices;  // for people
};

// A simulation in two parts, for callers that make several at a time: plans come from plug-ins,
// which need not be thread-safe; predictions use no plug-in. Above 256 devices, the plan for the
// first hosts is proved instead of the plan for all, and a notice says so.
class PlannedSimulation {
 public:
  // Writes the plans. counts: numbers of devices per host; empty: that of the options, else that of
  // a run. Error kUsage for a machine that does not exist, and as make_plan(); kFailed for plans
  // that do not fit into this machine's memory. The setup must outlive this object.
  PlannedSimulation(const Setup& setup, std::vector<std::uint32_t> counts);

  // To be called once. Errors as StepPlan::lowered(). keep_operations: also keeps the times of all
  // operations.
  Simulation predict(bool keep_operations = false);

 private:
  SimulatedRun planned(std::uint32_t hosts, std::uint32_t devices) const;
  // Returns the plan for more hosts, written and lowered, but not proved.
  SimulatedRun lowered_like(const SimulatedRun& fewer, std::uint32_t hosts,
                            std::uint32_t devices) const;
  void require_forms(const SimulatedRun& run) const;
  // Returns only the plan, not proved. The guard in the options is the setup's.
  SimulatedRun written(std::uint32_t hosts, std::uint32_t devices, std::uint64_t bucket_elements,
                       plan::StepPlanOptions options) const;
  // Returns the plan for the smaller number of hosts that is proved instead; empty if the whole
  // plan is proved.
  std::optional<SimulatedRun> written_for_fewer(std::uint32_t hosts, std::uint32_t devices) const;
  // Adds a notice that says what is not proved.
  void note_proof(const SimulatedRun& run);
  void estimate_memory(std::uint32_t devices) const;
  double estimated(std::uint32_t devices, double bucket_mb) const;
  // Makes a plan for one device. If the strategy refuses one device, there is no such plan. This is
  // an error if the rate of one device is given.
  void plan_one_device();
  double predicted_rate(const simulate::Predictor& predictor) const;

  const Setup& setup_;
  SimulatedHardware hardware_;
  std::optional<double> given_rate_;
  std::optional<SimulatedRun> one_device_;
  Simulation result_;
};

// Returns the prediction for the first number of devices, which must fit into their memory.
SimulatedJob simulated_job(const Simulation& simulation);

// Runs both parts of PlannedSimulation.
Simulation simulate_job(const Setup& setup, const std::vector<std::uint32_t>& counts,
                        bool keep_operations = false);

}  // namespace convoy::job
