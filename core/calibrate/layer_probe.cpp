#include "core/calibrate/layer_probe.hpp"

#include <algorithm>
#include <array>

#include "core/calibrate/probe_session.hpp"

namespace convoy::calibrate {
namespace {

using Records = std::vector<std::vector<convoy_profile_record>>;

constexpr int kLeastSteps = 2;  // the first one is slower

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

PassSeconds fastest_step(ProbeSession& probe, double enough_seconds) {
  Session& session = probe.session();
  PassSeconds fastest;
  Records before = session.profile();
  double spent = 0;
  for (int step = 0; step < kLeastSteps || spent < enough_seconds; ++step) {
    spent += probe.step();
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
                                                double enough_seconds) {
  ProbeSession probe(network, sharing_nothing, devices, true);
  const PassSeconds seconds = fastest_step(probe, enough_seconds);
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
