#include "core/calibrate/layer_probe.hpp"

#include <algorithm>

#include "core/base/numbers/statistics.hpp"

namespace convoy::calibrate {
namespace {

constexpr double kSettled = 1.05;  // a factor on the sum of all fastest passes

template <typename Seconds>
double sum_of(const Seconds& seconds) {
  double total = 0;
  for (const std::array<double, 3>& passes : seconds) total += passes[0] + passes[1] + passes[2];
  return total;
}

}  // namespace

LayerProbe::LayerProbe(const ProbeNetwork& network, plugin::StrategyPlugin& sharing_nothing,
                       const std::shared_ptr<runtime::OpenDevices>& devices)
    : network_(network),
      probe_(network, sharing_nothing, devices, true),
      before_(probe_.session().profile()) {
  step();
  step_seconds_.clear();
}

LayerProbe::PassSeconds LayerProbe::seconds_since(const Records& before,
                                                  const Records& after) const {
  PassSeconds seconds(network_.graph.nodes().size(), {0, 0, 0});
  const double devices = static_cast<double>(after.size());
  for (std::size_t device = 0; device < after.size(); ++device)
    for (std::size_t i = 0; i < after[device].size(); ++i) {
      const convoy_profile_record& now = after[device][i];
      seconds.at(now.node).at(now.pass) += (now.seconds - before[device].at(i).seconds) / devices;
    }
  return seconds;
}

void LayerProbe::step() {
  probe_.step();
  Records after = probe_.session().profile();
  const PassSeconds seconds = seconds_since(before_, after);
  before_ = std::move(after);
  step_seconds_.push_back(sum_of(seconds));
  if (fastest_.empty()) fastest_ = seconds;
  for (std::size_t node = 0; node < seconds.size(); ++node)
    for (std::size_t pass = 0; pass < 3; ++pass)
      fastest_[node][pass] = std::min(fastest_[node][pass], seconds[node][pass]);
}

bool LayerProbe::settled() const {
  const double least = sum_of(fastest_);
  return std::ranges::count_if(
             step_seconds_, [least](double seconds) { return seconds <= kSettled * least; }) >= 2;
}

double LayerProbe::usual_excess() const {
  const double least = sum_of(fastest_);
  return least > 0 ? median(step_seconds_) / least : 1;
}

std::vector<simulate::LayerSample> LayerProbe::samples() const {
  const std::vector<simulate::LayerShape> shapes =
      simulate::layer_shapes(network_.graph, network_.batch);
  const std::vector<bool> behind = graph::nodes_behind_variables(network_.graph);
  std::vector<simulate::LayerSample> samples;
  for (std::uint32_t node = 1; node < shapes.size(); ++node) {
    const bool weights = graph::owns_weights(shapes[node].kind);
    for (std::uint32_t pass = 0; pass < 3; ++pass) {
      if (pass == CONVOY_PASS_BACKWARD_DATA && !behind[node]) continue;
      if (pass == CONVOY_PASS_BACKWARD_WEIGHTS && !weights) continue;
      const auto which = static_cast<convoy_pass>(pass);
      double time = fastest_[node][pass];
      // The simulator expects gradients of weights only for layers with products, so others add
      // them to the data gradient.
      if (pass == CONVOY_PASS_BACKWARD_DATA && !weights)
        time += fastest_[node][CONVOY_PASS_BACKWARD_WEIGHTS];
      samples.push_back({shapes[node], which,
                         graph::layer_work(network_.graph, node, network_.batch, which), time});
    }
  }
  return samples;
}

}  // namespace convoy::calibrate
