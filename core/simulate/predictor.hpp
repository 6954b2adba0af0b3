#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/plan/lower.hpp"
#include "core/plan/plan.hpp"
#include "core/simulate/machine_builder.hpp"
#include "core/simulate/memory_need.hpp"
#include "core/simulate/simulate.hpp"

namespace convoy::simulate {

struct PredictorOptions {
  std::uint32_t batch = 1;     // images per device and step
  bool half = false;           // computes in 16 bits
  bool joins_updates = false;  // devices sum and update in one go, as CPU devices do
  LoweringOptions lowering;
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
  Plan lowered;                    // refers to the cluster
};

// One model and one way of planning, asked about several clusters.
class Predictor {
 public:
  // What the strategy writes for a cluster, for always the same arena, guards included.
  using PlanFunction = std::function<Plan(const Cluster&)>;

  // The graph must outlive this.
  Predictor(const Graph& graph, PlanFunction plan, const PredictorOptions& options)
      : graph_(graph), plan_(std::move(plan)), options_(options) {}

  // Scales the layers so that the step on this cluster, usually of one device, has this rate with
  // this input. 1 before.
  void fit(const SimulatedCluster& cluster, double images_per_second, const InputLoad& input = {});
  double layer_scale() const { return scale_; }
  void set_layer_scale(double scale) { scale_ = scale; }

  Prediction predict(const SimulatedCluster& cluster) const;

  // For those who compare many plans for one cluster: the layers' times on its devices, once, and
  // what a plan that is lowered already comes to with them.
  std::vector<LayerTimes> layers(const SimulatedMachine& machine) const {
    return layers(machine, scale_);
  }
  Prediction predict(Plan lowered, const SimulatedCluster& cluster,
                     const std::vector<LayerTimes>& layers) const;

 private:
  Plan lowered_plan(const Cluster& cluster) const;
  std::vector<LayerTimes> layers(const SimulatedMachine& machine, double scale) const;

  const Graph& graph_;
  PlanFunction plan_;
  PredictorOptions options_;
  double scale_ = 1;
};

}  // namespace convoy::simulate
