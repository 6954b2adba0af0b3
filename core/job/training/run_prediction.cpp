#include "core/job/training/run_prediction.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/base/error.hpp"
#include "core/job/hardware/linked_hardware.hpp"
#include "core/job/hardware/run_hardware.hpp"
#include "core/job/simulation/prediction_options.hpp"
#include "core/job/simulation/simulated_events.hpp"
#include "core/simulate/predictor.hpp"

namespace convoy::job {

RunPrediction::RunPrediction(Setup& setup, std::function<void(const std::string&)> why_not)
    : setup_(setup), why_not_(std::move(why_not)) {
  try {
    hardware_ = setup.task == nullptr ? hardware_of_run(setup) : linked_hardware(setup);
  } catch (const Error& error) {
    why_not_(fmt::format("there is no prediction beside the measurement: {}", error.what()));
  }
}

void RunPrediction::fit(simulate::Predictor& predictor, const runtime::Session& session) const {
  try {
    fit_to_given_rate(setup_, *hardware_, *setup_.strategy, session.options().bucket_elements,
                      predictor);
  } catch (const Error& error) {
    why_not_(fmt::format("--images_per_sec is not used in the prediction: {}", error.what()));
  }
}

std::optional<report::PredictionRecord> RunPrediction::of(const runtime::Session& session) const {
  if (!hardware_) return std::nullopt;
  const simulate::SimulatedCluster on = setup_.task == nullptr
                                            ? hardware_->cluster(1, session.cluster().replicas())
                                            : linked_cluster(setup_, *hardware_);
  if (on.cluster.places.size() != session.cluster().places.size()) return std::nullopt;
  simulate::Predictor predictor(session.graph(),
                                prediction_options(setup_, *hardware_, session.options().batch));
  fit(predictor, session);
  const simulate::Prediction prediction = predictor.predict(session.lowered_plan(), on);
  if (!prediction.step) return std::nullopt;
  return report::PredictionRecord{
      hardware_->name,       hardware_->rates,
      hardware_->calibrated, *prediction.step,
      on.machine.links,      simulated_timeline(session.lowered_plan(), on, *prediction.step)};
}

}  // namespace convoy::job
