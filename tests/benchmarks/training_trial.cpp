#include "tests/benchmarks/training_trial.hpp"

#include <algorithm>

#include "core/graph/assembler.hpp"
#include "core/plugin/model_plugin.hpp"
#include "core/train/optimizer.hpp"

namespace convoy::benchmarks {
namespace {

using runtime::SessionOptions;

plugin::FoundPlugin built(const std::string& name) {
  return plugin::read_plugin(CONVOY_BINARY_DIR "/lib/convoy/plugins/" + name + ".so");
}

SessionOptions session_options(const TrialOptions& options) {
  SessionOptions result;
  result.batch = options.batch;
  result.optimizer = train::make_optimizer({}, options.devices);
  return result;
}

}  // namespace

struct TrainingTrial::Plugins {
  explicit Plugins(const TrialOptions& options)
      : model(host.load_model(built(options.model)), {}),
        strategy(host.load_strategy(built(options.strategy)), options.strategy_options),
        device(host.load_device(built("convoy_device_cpu")), {}) {}

  plugin::PluginHost host;
  plugin::ModelPlugin model;
  plugin::StrategyPlugin strategy;
  plugin::DevicePlugin device;
};

TrainingTrial::TrainingTrial(const TrialOptions& options)
    : plugins_(std::make_unique<Plugins>(options)) {
  const std::uint32_t size = plugins_->model.info().image_size;
  const auto build = [&](const convoy_graph_builder& builder) { plugins_->model.build(builder); };
  graph::Graph graph = graph::assemble_graph(options.model, size, kClasses, build);
  SessionOptions settings = session_options(options);
  if (options.buckets > 0) {
    const std::uint64_t elements = graph::Arena(graph).elements();
    settings.bucket_elements = (elements + options.buckets - 1) / options.buckets;
  }
  session_ = std::make_unique<runtime::Session>(
      std::move(graph), plugins_->strategy,
      std::make_shared<runtime::OpenDevices>(plugins_->device, options.devices, 0), settings);
  steps_ = std::make_unique<TrainingSteps>(*session_);
}

TrainingTrial::~TrainingTrial() = default;

std::size_t TrainingTrial::buckets() const {
  return plan::make_buckets(session_->arena().elements(), session_->options().bucket_elements)
      .size();
}

double TrainingTrial::run(int steps) {
  return steps_->run(steps);
}

}  // namespace convoy::benchmarks
