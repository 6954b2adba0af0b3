#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/job/hardware/simulated_hardware.hpp"
#include "core/job/setup.hpp"
#include "core/report/prediction_record.hpp"
#include "core/runtime/session.hpp"
#include "core/simulate/predictor.hpp"

namespace convoy::job {

// The simulator's prediction of the plan that a run executes, for the record.
class RunPrediction {
 public:
  // Constructed before the run, because it may open the devices; on several hosts, once they are
  // linked. If the hardware cannot be simulated, calls why_not with the reason and predicts
  // nothing.
  RunPrediction(Setup& setup, std::function<void(const std::string&)> why_not);

  // Predicts a step of the session's plan, with its operations. Nothing else may run on the devices
  // meanwhile.
  std::optional<report::PredictionRecord> of(const runtime::Session& session) const;

 private:
  void fit(simulate::Predictor& predictor, const runtime::Session& session) const;

  const Setup& setup_;
  std::function<void(const std::string&)> why_not_;
  std::optional<SimulatedHardware> hardware_;
};

}  // namespace convoy::job
