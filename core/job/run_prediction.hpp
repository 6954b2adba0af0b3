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
  // Before the run: its devices may have to be opened for that; of several hosts, once they are
  // linked. Where the hardware cannot be simulated, why_not is told and nothing is foreseen.
  RunPrediction(Setup& setup, std::function<void(const std::string&)> why_not);

  // Of the session's plan, operations of a step included, while nothing runs on its devices.
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
