#include "core/calibrate/step_check.hpp"

#include "core/base/error.hpp"
#include "core/calibrate/calibrated_cluster.hpp"
#include "core/simulate/predictor.hpp"
#include "core/train/optimizer.hpp"

namespace convoy::calibrate {

double predict_step(const MachineProfile& profile, const graph::Graph& graph, std::uint32_t batch,
                    const plan::Plan& lowered, std::uint32_t threads,
                    const simulate::SoftwareProfile& software) {
  const simulate::SimulatedCluster cluster =
      calibrated_cluster(profile, lowered.cluster->replicas(), threads);
  simulate::PredictorOptions options;
  options.batch = batch;
  options.simulation.software = software;
  options.simulation.state_slots = train::state_slots(OptimizerOptions{}.kind);
  const simulate::Predictor predictor(graph, options);
  const simulate::Prediction prediction = predictor.predict(lowered, cluster);
  CONVOY_CHECK(prediction.step.has_value());  // the network was just trained here, so it fits
  return prediction.step->step_seconds;
}

StepCheck::StepCheck(const ProbeNetwork& network, plugin::StrategyPlugin& sharing_nothing,
                     const std::shared_ptr<runtime::OpenDevices>& devices)
    : batch_(network.batch),
      probe_(std::make_unique<ProbeSession>(network, sharing_nothing, devices, false)) {
  measured_seconds_ = usual_step(*probe_);
}

CheckedStep StepCheck::against(const MachineProfile& profile,
                               const simulate::SoftwareProfile& software) const {
  const runtime::Session& session = probe_->session();
  return {session.cluster().replicas(),
          predict_step(profile, session.graph(), batch_, session.lowered_plan(),
                       session.devices()->descriptions().front().threads, software),
          measured_seconds_};
}

}  // namespace convoy::calibrate
