#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/data/pipeline/batch_source.hpp"
#include "core/runtime/session.hpp"
#include "core/runtime/training_loop.hpp"
#include "core/train/optimizer.hpp"
#include "tests/runtime/plugins.hpp"

namespace convoy::testing {

// What one golden test varies.
struct GoldenRunOptions {
  std::string strategy = "replicated";
  std::uint32_t devices = 1;
  OptimizerOptions optimizer = {};
  plugin::OptionValues strategy_options = {};
  bool reference_fill = true;  // else the layers' own initialisers
  std::uint32_t threads = 1;   // of each device
  std::uint32_t dtype = CONVOY_F32;
};

// A model on the processors of this machine, from the reference fill and on the reference images,
// without dropout. The golden file's global batch is divided among the devices.
class GoldenRun {
 public:
  GoldenRun(const nlohmann::json& golden, const graph::Graph& graph,
            const GoldenRunOptions& options);

  // Takes steps at a constant rate; may be called again to go on.
  std::vector<TrainingStep> train(double rate, std::int64_t steps);
  runtime::Session& session() { return *session_; }
  data::BatchSource& source() { return *source_; }
  // What replica 0 computed in the last step, as it is stored.
  std::vector<float> gradient_arena();
  // A variable's values (OIHW, OI or N) out of an arena as it is stored.
  std::vector<float> plain(const std::vector<float>& arena, std::size_t variable) const;

 private:
  plugin::PluginHost host_;
  std::unique_ptr<plugin::DevicePlugin> devices_;
  std::unique_ptr<plugin::StrategyPlugin> strategy_;
  std::unique_ptr<runtime::Session> session_;
  std::unique_ptr<data::BatchSource> source_;
  std::int64_t steps_ = 0;
};

// The optimizers of the files' trajectories: "sgd" has no weight decay; the others are momentum.
OptimizerOptions plain_optimizer();
OptimizerOptions momentum_optimizer(const nlohmann::json& trajectory);

}  // namespace convoy::testing
