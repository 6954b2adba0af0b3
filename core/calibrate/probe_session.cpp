#include "core/calibrate/probe_session.hpp"

#include "core/base/numbers/statistics.hpp"
#include "core/train/optimizer.hpp"

namespace convoy::calibrate {
namespace {

// The numbers must stay finite and normal; others would change the cost of a step.
constexpr double kLearningRate = 1e-6;

runtime::SessionOptions probe_options(const ProbeNetwork& network, std::uint32_t devices,
                                      bool profile) {
  runtime::SessionOptions options;
  options.batch = network.batch;
  options.optimizer = train::make_optimizer({}, devices);
  options.profile = profile;
  options.hash_initializer = true;  // it is fast
  return options;
}

}  // namespace

ProbeSession::ProbeSession(const ProbeNetwork& network, plugin::StrategyPlugin& strategy,
                           const std::shared_ptr<runtime::OpenDevices>& devices, bool profile,
                           const std::optional<runtime::ClusterTask>& task)
    : session_(
          network.graph, strategy, devices,
          probe_options(network, (task ? *task->cluster : devices->cluster()).replicas(), profile),
          task),
      images_(network.batch * network.graph.nodes().front().output.elements()),
      labels_(network.batch) {
  std::uint32_t state = 1;
  for (float& value : images_) {
    // The generator of Numerical Recipes; the quality of the noise does not matter.
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(state >> 8) / float(1 << 23) - 1;
  }
  for (std::size_t i = 0; i < labels_.size(); ++i)
    labels_[i] = static_cast<std::int32_t>(i % network.graph.classes());
}

double ProbeSession::step() {
  runtime::StepInput input;
  input.learning_rate = kLearningRate;
  input.batches.assign(session_.cluster().replicas(), {images_.data(), labels_.data()});
  const double start = session_.devices()->now();
  session_.executor().submit_step(input);
  session_.executor().finish_step();
  return session_.devices()->now() - start;
}

double usual_step(ProbeSession& probe) {
  constexpr int kSteps = 2;
  probe.step();
  std::vector<double> seconds;
  seconds.reserve(kSteps);
  for (int step = 0; step < kSteps; ++step) seconds.push_back(probe.step());
  return median(std::move(seconds));
}

}  // namespace convoy::calibrate
