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

// How fast a strategy trains a model on a cluster. Without a step it does not fit: problem says
// where, what it needs and what there is.
struct Prediction {
  std::uint32_t devices = 0;
  double images_per_second = 0;  // of all devices together
  std::optional<SimulationResult> step;
  std::string problem;
  std::vector<MemoryNeed> memory;  // per place
  // How fast each stage is, where a plan has several; the other fields are about the last one.
  struct Stage {
    std::uint64_t first_step = 0;
    double images_per_second = 0;
    double step_seconds = 0;
  };
  std::vector<Stage> stages = {};
};

// One model, asked about lowered plans on several clusters.
class Predictor {
 public:
  // The graph must outlive this.
  Predictor(const Graph& graph, const PredictorOptions& options)
      : graph_(graph), options_(options) {}

  // Scales the layers so that the step of a plan for this cluster, usually of one device, has this
  // rate with this input. 1 before.
  void fit(const Plan& lowered, const SimulatedCluster& cluster, double images_per_second,
           const InputLoad& input = {});

  Prediction predict(const Plan& lowered, const SimulatedCluster& cluster) const {
    return predict(lowered, cluster, layers(cluster.machine));
  }
  // The layers' times on the cluster's devices, to compute once when many plans are compared.
  std::vector<LayerTimes> layers(const SimulatedMachine& machine) const {
    return layers(machine, scale_);
  }
  Prediction predict(const Plan& lowered, const SimulatedCluster& cluster,
                     const std::vector<LayerTimes>& layers) const;

 private:
  std::vector<LayerTimes> layers(const SimulatedMachine& machine, double scale) const;

  const Graph& graph_;
  PredictorOptions options_;
  double scale_ = 1;
};

}  // namespace convoy::simulate
