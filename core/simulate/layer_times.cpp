#include "core/simulate/layer_times.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/simulate/layer_rates.hpp"

namespace convoy::simulate {
namespace {

// What 3x3 and 5x5 convolutions save by other algorithms than the direct one.
double algorithm_gain(const GraphNode& node, const SimulatedDevice& device) {
  const convoy_layer& it = node.layer;
  const bool unit_stride = it.stride_height == 1 && it.stride_width == 1;
  if (it.kind != CONVOY_LAYER_CONVOLUTION || !unit_stride) return 1;
  if (it.kernel_height != it.kernel_width) return 1;
  if (it.kernel_height == 3) return device.gain_3x3;
  return it.kernel_height == 5 ? device.gain_5x5 : 1;
}

class Roofline {
 public:
  Roofline(const Graph& graph, std::uint32_t batch, const SimulatedDevice& device,
           Arithmetic arithmetic)
      : graph_(graph),
        batch_(batch),
        device_(device),
        behind_variables_(nodes_behind_variables(graph)),
        shapes_(layer_shapes(graph, batch)),
        gain_{peak(device, arithmetic) / device.flops_per_second,
              arithmetic == Arithmetic::kHalf ? 2.0 : 1.0},
        flops_(device.flops_efficiency * peak(device, arithmetic)),
        bytes_(device.memory_efficiency * device.memory_bytes_per_second * gain_.bytes) {}

  void append(std::uint32_t node, convoy_pass pass, PassTime& time) const {
    const LayerWork work = layer_work(graph_, node, batch_, pass);
    if (work.flops == 0 && work.bytes == 0) return;
    time.seconds += device_.layer_rates
                        ? device_.layer_rates->seconds(shapes_[node], pass, work, gain_)
                        : at_peak(node, work);
    time.kernel_ends.push_back(time.seconds);
    time.flops += work.flops;
    time.bytes += work.bytes / gain_.bytes;
  }

  // Gradients of data, where any variable lies before the node, and of weights.
  void append_backward(std::uint32_t node, PassTime& time) const {
    if (behind_variables_[node]) append(node, CONVOY_PASS_BACKWARD_DATA, time);
    if (owns_weights(graph_.nodes()[node].layer.kind))
      append(node, CONVOY_PASS_BACKWARD_WEIGHTS, time);
  }

 private:
  static double peak(const SimulatedDevice& device, Arithmetic arithmetic) {
    double peak = 0;
    if (arithmetic == Arithmetic::kHalf) peak = device.half_flops_per_second;
    if (arithmetic == Arithmetic::kTf32) peak = device.tf32_flops_per_second;
    return peak > 0 ? peak : device.flops_per_second;
  }

  double at_peak(std::uint32_t node, const LayerWork& work) const {
    const double gain = algorithm_gain(graph_.nodes()[node], device_);
    return device_.kernel_seconds + std::max(work.flops / (flops_ * gain), work.bytes / bytes_);
  }

  const Graph& graph_;
  std::uint32_t batch_;
  const SimulatedDevice& device_;
  std::vector<bool> behind_variables_;
  std::vector<LayerShape> shapes_;
  RateGain gain_;
  double flops_;
  double bytes_;
};

PassTime scaled_pass(const PassTime& pass, double factor) {
  PassTime result = pass;
  result.seconds *= factor;
  for (double& end : result.kernel_ends) end *= factor;
  return result;
}

}  // namespace

double LayerTimes::seconds() const {
  double sum = 0;
  for (const auto* passes : {&forward, &backward})
    for (const PassTime& pass : *passes) sum += pass.seconds;
  return sum;
}

LayerTimes LayerTimes::scaled(double factor) const {
  LayerTimes result;
  for (const PassTime& pass : forward) result.forward.push_back(scaled_pass(pass, factor));
  for (const PassTime& pass : backward) result.backward.push_back(scaled_pass(pass, factor));
  return result;
}

LayerTimes layer_times(const Graph& graph, std::uint32_t batch, const SimulatedDevice& device,
                       Arithmetic arithmetic) {
  if (!(device.flops_per_second > 0) || !(device.memory_bytes_per_second > 0))
    fail(ExitCode::kUnavailable,
         "no rates are known of device '{}' (peak {} FLOP/s, memory {} bytes/s): add them to its "
         "entry of the device catalogue",
         device.name, device.flops_per_second, device.memory_bytes_per_second);
  const Roofline roofline(graph, batch, device, arithmetic);
  LayerTimes times;
  times.forward.resize(graph.segment_count());
  times.backward.resize(graph.segment_count());
  const auto nodes = static_cast<std::uint32_t>(graph.nodes().size());
  for (std::uint32_t node = 1; node < nodes; ++node)
    roofline.append(node, CONVOY_PASS_FORWARD, times.forward[graph.nodes()[node].segment]);
  for (std::uint32_t node = nodes; node-- > 1;)
    roofline.append_backward(node, times.backward[graph.nodes()[node].segment]);
  return times;
}

double fit_layer_scale(const std::function<double(double factor)>& step_seconds, double target) {
  constexpr double kSmallest = 1e-4;
  constexpr double kLargest = 1e4;
  constexpr double kTolerance = 1e-7;
  double low = kSmallest;
  double high = kLargest;
  if (step_seconds(low) >= target) return low;
  // Steps are nearly linear in the factor: the secant almost always hits, bisection secures it.
  double factor = 1;
  for (int round = 0; round < 100 && high / low > 1 + kTolerance; ++round) {
    const double seconds = step_seconds(factor);
    if (std::abs(seconds / target - 1) < kTolerance) break;
    (seconds < target ? low : high) = factor;
    const double guess = factor * target / seconds;
    factor = guess > low && guess < high ? guess : std::sqrt(low * high);
  }
  return factor;
}

}  // namespace convoy::simulate
