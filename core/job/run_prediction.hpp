#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/job/setup.hpp"
#include "core/job/simulated_hardware.hpp"
#include "core/report/prediction_record.hpp"
#include "core/runtime/session.hpp"
#include "core/simulate/predictor.hpp"
#include "core/simulate/simulate.hpp"

namespace convoy::job {

// What the simulator foresees of the plan that a run executes, for its record.
class RunPrediction {
 public:
  // Made before the run, because it may open the devices; of several hosts, once they are linked.
  // Where the hardware cannot be simulated, calls why_not with the reason and predicts nothing.
  RunPrediction(Setup& setup, std::function<void(const std::string&)> why_not);

  // Predicts a step of the session's plan, with its operations; nothing may run on the devices.
  std::optional<PredictionRecord> of(const Session& session) const;

 private:
  void fit(simulate::Predictor& predictor, const Session& session) const;

  const Setup& setup_;
  std::function<void(const std::string&)> why_not_;
  std::optional<SimulatedHardware> hardware_;
};

std::vector<PredictionRecord::Link> link_records(const simulate::SimulatedCluster& on,
                                                 const simulate::SimulationResult& step);
// A simulated step as records have it.
PredictionRecord prediction_record(const Plan& lowered, const simulate::SimulatedCluster& on,
                                   const simulate::SimulationResult& step);

}  // namespace convoy::job
