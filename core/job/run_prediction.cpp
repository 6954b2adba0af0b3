#include "core/job/run_prediction.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/base/error.hpp"
#include "core/job/linked_hardware.hpp"
#include "core/job/prediction_options.hpp"
#include "core/job/run_hardware.hpp"
#include "core/job/simulated_events.hpp"
#include "core/simulate/predictor.hpp"

namespace convoy::job {

RunPrediction::RunPrediction(Setup& setup, std::function<void(const std::string&)> why_not)
    : setup_(setup), why_not_(std::move(why_not)) {
  try {
    hardware_ = setup.task == nullptr ? hardware_of_run(setup) : linked_hardware(setup);
  } catch (const Error& error) {
    why_not_(fmt::format("nothing is predicted beside what is measured: {}", error.what()));
  }
}

void RunPrediction::fit(simulate::Predictor& predictor, const Session& session) const {
  try {
    fit_to_given_rate(setup_, *hardware_, *setup_.strategy, session.options().bucket_elements,
                      predictor);
  } catch (const Error& error) {
    why_not_(fmt::format("--images_per_sec has no part in the prediction: {}", error.what()));
  }
}

std::optional<PredictionRecord> RunPrediction::of(const Session& session) const {
  if (!hardware_) return std::nullopt;
  const simulate::SimulatedCluster on = setup_.task == nullptr
                                            ? hardware_->cluster(1, session.replicas())
                                            : linked_cluster(setup_, *hardware_);
  if (on.cluster.places.size() != session.cluster().places.size()) return std::nullopt;
  simulate::Predictor predictor(session.graph(),
                                prediction_options(setup_, *hardware_, session.options().batch));
  fit(predictor, session);
  const simulate::Prediction prediction = predictor.predict(session.lowered_plan(), on);
  if (!prediction.step) return std::nullopt;
  PredictionRecord record = prediction_record(session.lowered_plan(), on, *prediction.step);
  record.machine = hardware_->name;
  record.rates = hardware_->rates;
  record.calibrated = hardware_->calibrated;
  return record;
}

std::vector<PredictionRecord::Link> link_records(const simulate::SimulatedCluster& on,
                                                 const simulate::SimulationResult& step) {
  std::vector<PredictionRecord::Link> links;
  for (const simulate::LinkLoad& load : step.links)
    links.push_back({on.machine.links[load.link].name, load.bytes, load.utilization,
                     on.machine.links[load.link].assumed});
  return links;
}

PredictionRecord prediction_record(const Plan& lowered, const simulate::SimulatedCluster& on,
                                   const simulate::SimulationResult& step) {
  PredictionRecord record;
  record.step_seconds = step.step_seconds;
  record.compute_seconds = step.compute_seconds;
  record.exposed_seconds = step.exposed_seconds;
  record.bottleneck = step.bottleneck;
  record.links = link_records(on, step);
  record.timeline.seconds = step.step_seconds;
  record.timeline.events = simulated_events(lowered, on, step);
  return record;
}

}  // namespace convoy::job
