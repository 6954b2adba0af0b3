#include "tests/abi/training_case.hpp"

#include "core/graph/assembler.hpp"
#include "core/runtime/session.hpp"
#include "core/train/optimizer.hpp"

namespace convoy::testing {
namespace {

constexpr std::uint32_t kReplicas = 2;
constexpr std::uint32_t kBatch = 4;
constexpr std::uint32_t kClasses = 10;

// Images between 0 and 1 and labels, other ones for each replica.
struct Images {
  explicit Images(std::uint32_t replica) {
    for (std::uint32_t i = 0; i < kBatch * 3 * 8 * 8; ++i)
      pixels.push_back(static_cast<float>((i + replica * 7919) * 2654435761u >> 24) / 256);
    for (std::uint32_t b = 0; b < kBatch; ++b)
      labels.push_back(static_cast<std::int32_t>((b * 3 + replica) % kClasses));
  }
  std::vector<float> pixels;
  std::vector<std::int32_t> labels;
};

runtime::SessionOptions options() {
  OptimizerOptions optimizer;
  optimizer.kind = CONVOY_OPTIMIZER_SGD;
  runtime::SessionOptions options;
  options.batch = kBatch;
  options.hash_initializer = true;
  options.bucket_elements = 512;
  options.optimizer = train::make_optimizer(optimizer, kReplicas);
  return options;
}

// A session with plug-ins from these files.
struct FromFiles {
  explicit FromFiles(const Files& files)
      : model(host.load_model(plugin::read_plugin(files.model)), {}),
        strategy(host.load_strategy(plugin::read_plugin(files.strategy)), {}),
        devices(host.load_device(plugin::read_plugin(files.device)), {}),
        session(graph_of(model), strategy,
                std::make_shared<runtime::OpenDevices>(devices, kReplicas, 1), options()) {}
  plugin::PluginHost host;
  plugin::ModelPlugin model;
  plugin::StrategyPlugin strategy;
  plugin::DevicePlugin devices;
  runtime::Session session;
};

}  // namespace

graph::Graph graph_of(plugin::ModelPlugin& model) {
  return graph::assemble_graph(model.manifest().name, model.info().image_size, kClasses,
                               [&](const convoy_graph_builder& builder) { model.build(builder); });
}

std::vector<double> train(const Files& files) {
  FromFiles from(files);
  const Images images[kReplicas] = {Images(0), Images(1)};
  runtime::StepInput input;
  input.learning_rate = 0.02;
  for (const Images& it : images) input.batches.push_back({it.pixels.data(), it.labels.data()});
  std::vector<double> losses;
  for (int step = 0; step < 4; ++step) {
    from.session.executor().submit_step(input);
    double loss = 0;
    for (const double of_replica : from.session.executor().finish_step().losses)
      loss += of_replica / kReplicas;
    losses.push_back(loss);
  }
  return losses;
}

std::vector<MemoryUse> memory_use(const Files& files) {
  return FromFiles(files).session.memory_use();
}

}  // namespace convoy::testing
