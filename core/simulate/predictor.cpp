#include "core/simulate/predictor.hpp"

#include "core/base/error.hpp"
#include "core/plan/stages.hpp"

namespace convoy::simulate {

std::vector<LayerTimes> Predictor::layers(const SimulatedMachine& machine, double scale) const {
  std::vector<LayerTimes> result;
  for (const SimulatedDevice& device : machine.devices)
    result.push_back(
        layer_times(graph_, options_.batch, device, options_.arithmetic).scaled(scale));
  return result;
}

void Predictor::fit(const plan::Plan& lowered, const SimulatedCluster& cluster,
                    double images_per_second, const InputLoad& input) {
  CONVOY_CHECK(images_per_second > 0);
  const std::vector<LayerTimes> unscaled = layers(cluster.machine, 1);
  SimulationOptions options = options_.simulation;
  options.input = input;
  const double images = static_cast<double>(options_.batch) * cluster.cluster.replicas();
  scale_ = fit_layer_scale(
      [&](double factor) {
        std::vector<LayerTimes> scaled;
        scaled.reserve(unscaled.size());
        for (const LayerTimes& times : unscaled) scaled.push_back(times.scaled(factor));
        return simulate(lowered, cluster.machine, scaled, options).step_seconds;
      },
      images / images_per_second);
}

Prediction Predictor::predict(const plan::Plan& lowered, const SimulatedCluster& cluster,
                              const std::vector<LayerTimes>& layers) const {
  Prediction result;
  result.devices = cluster.cluster.replicas();
  result.memory = memory_needs(lowered, graph_, options_.batch, options_.simulation.state_slots,
                               options_.arithmetic == Arithmetic::kHalf, cluster.machine);
  result.problem = memory_problem(result.memory, cluster.cluster, cluster.machine);
  if (!result.problem.empty()) return result;
  const double images = static_cast<double>(options_.batch) * result.devices;
  for (std::size_t stage = 0; stage < plan::stage_count(lowered); ++stage) {
    result.step = lowered.later.empty()
                      ? simulate(lowered, cluster.machine, layers, options_.simulation)
                      : simulate(plan::stage_of(lowered, stage), cluster.machine, layers,
                                 options_.simulation);
    result.images_per_second = images / result.step->step_seconds;
    if (!lowered.later.empty())
      result.stages.push_back({plan::first_step_of(lowered, stage), result.images_per_second,
                               result.step->step_seconds});
  }
  return result;
}

}  // namespace convoy::simulate
