#include "tests/benchmarks/training_trial.hpp"

#include <algorithm>

#include "core/data/dataset.hpp"
#include "core/data/source_factory.hpp"
#include "core/graph/assembler.hpp"
#include "core/plugin/model_plugin.hpp"
#include "core/train/optimizer.hpp"

namespace convoy::benchmarks {
namespace {

constexpr std::uint32_t kClasses = 1001;  // of imagenet
// Small: synthetic images make many models diverge, and numbers that are not finite or denormal
// must not decide what a step costs.
constexpr double kLearningRate = 1e-6;

FoundPlugin built(const std::string& name) {
  return read_plugin(CONVOY_BINARY_DIR "/lib/convoy/plugins/" + name + ".so");
}

SessionOptions session_options(const TrialOptions& options) {
  SessionOptions result;
  result.devices = options.devices;
  result.batch = options.batch;
  result.optimizer = make_optimizer({}, options.devices);
  return result;
}

}  // namespace

struct TrainingTrial::Plugins {
  explicit Plugins(const TrialOptions& options)
      : model(host.load_model(built(options.model)), {}),
        strategy(host.load_strategy(built(options.strategy)), options.strategy_options),
        device(host.load_device(built("convoy_device_cpu")), {}) {}

  PluginHost host;
  ModelPlugin model;
  StrategyPlugin strategy;
  DevicePlugin device;
};

TrainingTrial::TrainingTrial(const TrialOptions& options)
    : plugins_(std::make_unique<Plugins>(options)) {
  const std::uint32_t size = plugins_->model.info().image_size;
  const auto build = [&](const convoy_graph_builder& builder) { plugins_->model.build(builder); };
  Graph graph = assemble_graph(options.model, size, kClasses, build);
  SessionOptions settings = session_options(options);
  if (options.buckets > 0) {
    const std::uint64_t elements = Arena(graph).elements();
    settings.bucket_elements = (elements + options.buckets - 1) / options.buckets;
  }
  session_ =
      std::make_unique<Session>(std::move(graph), plugins_->strategy, plugins_->device, settings);
  DataOptions data;
  data.replicas = static_cast<int>(options.devices);
  data.batch = static_cast<int>(options.batch);
  data.height = data.width = static_cast<int>(size);
  data.classes = kClasses;
  source_ = make_source(data);
}

TrainingTrial::~TrainingTrial() = default;

std::size_t TrainingTrial::buckets() const {
  return make_buckets(session_->arena().elements(), session_->options().bucket_elements).size();
}

void TrainingTrial::submit() {
  StepInput input;
  input.learning_rate = kLearningRate;
  for (std::uint32_t replica = 0; replica < session_->replicas(); ++replica) {
    const Batch& batch = source_->acquire(static_cast<int>(replica), submitted_);
    input.batches.push_back({batch.images, batch.labels});
  }
  session_->executor().submit_step(input);
  ++submitted_;
}

double TrainingTrial::run(int steps) {
  const std::int64_t end = submitted_ + steps + 1;
  std::int64_t open = 0;
  double first_end = -1;
  double last_end = 0;
  while (submitted_ < end || open > 0) {
    for (; submitted_ < end && open < session_->executor().steps_in_flight(); ++open) submit();
    const StepResult& result = session_->executor().finish_step();
    for (std::uint32_t replica = 0; replica < session_->replicas(); ++replica)
      source_->release(static_cast<int>(replica), submitted_ - open);
    --open;
    if (first_end < 0) first_end = result.end;
    last_end = result.end;
  }
  return (last_end - first_end) / steps;
}

}  // namespace convoy::benchmarks
