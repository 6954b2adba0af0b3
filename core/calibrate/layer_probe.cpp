#include "core/calibrate/layer_probe.hpp"

#include <algorithm>
#include <array>

#include "core/runtime/session.hpp"
#include "core/train/optimizer.hpp"

namespace convoy::calibrate {
namespace {

using Records = std::vector<std::vector<convoy_profile_record>>;

// Numbers must stay finite and normal, or they decide what a step costs.
constexpr double kLearningRate = 1e-6;

// One batch that all devices train on.
struct ProbeBatch {
  std::vector<float> images;
  std::vector<std::int32_t> labels;

  ProbeBatch(const Graph& graph, std::uint32_t batch)
      : images(batch * graph.nodes().front().output.elements()), labels(batch) {
    std::uint32_t state = 1;
    for (float& value : images) {
      state = state * 1664525u + 1013904223u;  // Numerical Recipes' generator: any noise will do
      value = static_cast<float>(state >> 8) / float(1 << 23) - 1;
    }
    for (std::size_t i = 0; i < labels.size(); ++i)
      labels[i] = static_cast<std::int32_t>(i % graph.classes());
  }
};

void take_step(Session& session, const ProbeBatch& batch) {
  StepInput input;
  input.learning_rate = kLearningRate;
  input.batches.assign(session.replicas(), {batch.images.data(), batch.labels.data()});
  session.executor().submit_step(input);
  session.executor().finish_step();
}

using PassSeconds = std::vector<std::array<double, 3>>;  // per node

// Of one step: the mean over the devices.
PassSeconds seconds_between(const Records& before, const Records& after, std::size_t nodes) {
  PassSeconds seconds(nodes, {0, 0, 0});
  const double devices = static_cast<double>(after.size());
  for (std::size_t device = 0; device < after.size(); ++device)
    for (std::size_t i = 0; i < after[device].size(); ++i) {
      const convoy_profile_record& now = after[device][i];
      seconds.at(now.node).at(now.pass) += (now.seconds - before[device].at(i).seconds) / devices;
    }
  return seconds;
}

double sum(const PassSeconds& seconds) {
  double total = 0;
  for (const std::array<double, 3>& passes : seconds) total += passes[0] + passes[1] + passes[2];
  return total;
}

PassSeconds fastest_step(Session& session, const ProbeBatch& batch, int steps) {
  PassSeconds fastest;
  Records before = session.profile();
  for (int step = 0; step < steps; ++step) {
    take_step(session, batch);
    Records after = session.profile();
    PassSeconds seconds = seconds_between(before, after, session.graph().nodes().size());
    if (fastest.empty() || sum(seconds) < sum(fastest)) fastest = std::move(seconds);
    before = std::move(after);
  }
  return fastest;
}

}  // namespace

std::vector<simulate::LayerSample> probe_layers(const ProbeNetwork& network,
                                                StrategyPlugin& sharing_nothing,
                                                const std::shared_ptr<OpenDevices>& devices,
                                                int steps) {
  SessionOptions options;
  options.devices = devices->cluster().replicas();
  options.batch = network.batch;
  options.optimizer = make_optimizer({}, options.devices);
  options.profile = true;
  Session session(network.graph, sharing_nothing, devices, options);
  const ProbeBatch batch(network.graph, network.batch);
  const PassSeconds seconds = fastest_step(session, batch, steps);
  const std::vector<simulate::LayerShape> shapes =
      simulate::layer_shapes(network.graph, network.batch);
  const std::vector<bool> behind = nodes_behind_variables(network.graph);
  std::vector<simulate::LayerSample> samples;
  for (std::uint32_t node = 1; node < shapes.size(); ++node) {
    const bool weights = owns_weights(shapes[node].kind);
    for (std::uint32_t pass = 0; pass < 3; ++pass) {
      if (pass == CONVOY_PASS_BACKWARD_DATA && !behind[node]) continue;
      if (pass == CONVOY_PASS_BACKWARD_WEIGHTS && !weights) continue;
      const auto which = static_cast<convoy_pass>(pass);
      double time = seconds[node][pass];
      // The simulator knows weights' gradients of layers with products only.
      if (pass == CONVOY_PASS_BACKWARD_DATA && !weights)
        time += seconds[node][CONVOY_PASS_BACKWARD_WEIGHTS];
      samples.push_back(
          {shapes[node], which, layer_work(network.graph, node, network.batch, which), time});
    }
  }
  return samples;
}

}  // namespace convoy::calibrate
