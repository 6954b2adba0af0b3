#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/plan/plan.hpp"
#include "core/simulate/machine/machine_builder.hpp"
#include "core/simulate/memory_need.hpp"
#include "core/simulate/simulate.hpp"

namespace convoy::simulate {

struct PredictorOptions {
  std::uint32_t batch = 1;  // images per device and step
  Arithmetic arithmetic = Arithmetic::kSingle;
  SimulationOptions simulation;
};

// How fast a strategy trains a model on a cluster. If there is no step, the model does not fit, and
// `problem` says which place needs how much and has how much.
struct Prediction {
  std::uint32_t devices = 0;
  double images_per_second = 0;  // of all devices together
  std::optional<SimulationResult> step;
  std::string problem;
  std::vector<MemoryNeed> memory;  // per place
  // How fast each stage is, if a plan has several. The other fields then describe the last stage.
  struct Stage {
    std::uint64_t first_step = 0;
    double images_per_second = 0;
    double step_seconds = 0;
  };
  std::vector<Stage> stages = {};
};

// Predicts the speed of one model with lowered plans on several clusters.
class Predictor {
 public:
  // The graph must outlive the predictor.
  Predictor(const graph::Graph& graph, const PredictorOptions& options)
      : graph_(graph), options_(options) {}

  // Scales the times of layers so that the plan reaches this rate on this cluster, usually of one
  // device, with this input. Before the first call, the scale is 1.
  void fit(const plan::Plan& lowered, const SimulatedCluster& cluster, double images_per_second,
           const InputLoad& input = {});

  Prediction predict(const plan::Plan& lowered, const SimulatedCluster& cluster) const {
    return predict(lowered, cluster, layers(cluster.machine));
  }
  // Returns the times of layers on the machine's devices. Compute them once when many plans are
  // compared.
  std::vector<LayerTimes> layers(const SimulatedMachine& machine) const {
    return layers(machine, scale_);
  }
  Prediction predict(const plan::Plan& lowered, const SimulatedCluster& cluster,
                     const std::vector<LayerTimes>& layers) const;

 private:
  std::vector<LayerTimes> layers(const SimulatedMachine& machine, double scale) const;

  const graph::Graph& graph_;
  PredictorOptions options_;
  double scale_ = 1;
};

}  // namespace convoy::simulate
