#include "core/calibrate/step_check.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/calibrate/calibrated_cluster.hpp"
#include "core/calibrate/probe_session.hpp"
#include "core/simulate/predictor.hpp"
#include "core/train/optimizer.hpp"

namespace convoy::calibrate {
namespace {

double predicted_seconds(const MachineProfile& profile, const ProbeNetwork& network,
                         const Session& session, const simulate::SoftwareProfile& software) {
  const simulate::SimulatedCluster cluster =
      calibrated_cluster(profile, session.replicas(), session.devices().front().threads);
  simulate::PredictorOptions options;
  options.batch = network.batch;
  options.simulation.software = software;
  options.simulation.state_slots = state_slots(OptimizerOptions{}.kind);
  const simulate::Predictor predictor(network.graph, nullptr, options);
  const simulate::Prediction prediction =
      predictor.predict(session.lowered_plan(), cluster, predictor.layers(cluster.machine));
  CONVOY_CHECK(prediction.step.has_value());  // it has just been trained here
  return prediction.step->step_seconds;
}

}  // namespace

CheckedStep check_step(const MachineProfile& profile, const ProbeNetwork& network,
                       StrategyPlugin& sharing_nothing, const std::shared_ptr<OpenDevices>& devices,
                       const simulate::SoftwareProfile& software, double enough_seconds) {
  ProbeSession probe(network, sharing_nothing, devices, false);
  CheckedStep check;
  check.devices = probe.session().replicas();
  check.predicted_seconds = predicted_seconds(profile, network, probe.session(), software);
  check.measured_seconds = probe.step();
  double spent = check.measured_seconds;
  do {
    const double seconds = probe.step();
    check.measured_seconds = std::min(check.measured_seconds, seconds);
    spent += seconds;
  } while (spent < enough_seconds);
  return check;
}

}  // namespace convoy::calibrate
