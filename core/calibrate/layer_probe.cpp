#include "core/calibrate/layer_probe.hpp"

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

void train(Session& session, const ProbeBatch& batch, int steps) {
  StepInput input;
  input.learning_rate = kLearningRate;
  input.batches.assign(session.replicas(), {batch.images.data(), batch.labels.data()});
  int submitted = 0;
  for (int finished = 0; finished < steps; ++finished) {
    for (; submitted < steps && submitted - finished < session.executor().steps_in_flight();
         ++submitted)
      session.executor().submit_step(input);
    session.executor().finish_step();
  }
}

// Seconds per step, per node and pass: the mean over the devices.
std::vector<std::vector<double>> seconds_between(const Records& before, const Records& after,
                                                 std::size_t nodes, int steps) {
  std::vector<std::vector<double>> seconds(nodes, std::vector<double>(3, 0));
  const double shares = static_cast<double>(after.size()) * steps;
  for (std::size_t device = 0; device < after.size(); ++device)
    for (std::size_t i = 0; i < after[device].size(); ++i) {
      const convoy_profile_record& now = after[device][i];
      seconds.at(now.node).at(now.pass) += (now.seconds - before[device].at(i).seconds) / shares;
    }
  return seconds;
}

}  // namespace

std::vector<simulate::LayerSample> probe_layers(const ProbeNetwork& network,
                                                StrategyPlugin& independent,
                                                const std::shared_ptr<OpenDevices>& devices,
                                                int steps) {
  SessionOptions options;
  options.devices = devices->cluster().replicas();
  options.batch = network.batch;
  options.optimizer = make_optimizer({}, options.devices);
  options.profile = true;
  Session session(network.graph, independent, devices, options);
  const ProbeBatch batch(network.graph, network.batch);
  train(session, batch, 1);
  const Records before = session.profile();
  train(session, batch, steps);
  const auto seconds =
      seconds_between(before, session.profile(), network.graph.nodes().size(), steps);
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
