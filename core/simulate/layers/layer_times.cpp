#include "core/simulate/layers/layer_times.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/simulate/layers/layer_rates.hpp"

namespace convoy::simulate {
namespace {

// The rates of layers on a device in one arithmetic.
struct LayerReach {
  double flops_per_second = 0;  // for products with many channels
  double bytes_per_second = 0;  // for everything else
  double gain_3x3 = 1;
  double gain_5x5 = 1;
  double gain_uneven = 1;  // for 1x7, 7x1 and the like
};

// Libraries have worse kernels for them than for square convolutions. The factor is fitted to
// inception3 on V100, RTX 2080 Ti, A100 and RTX A6000, tests/simulate/single_device_rates.json.
constexpr double kUnevenGain = 0.4;

// The peak of another arithmetic than f32; 0 if the device lacks it or its peak is unknown.
double peak_of_its_own(const SimulatedDevice& device, Arithmetic arithmetic) {
  if (arithmetic == Arithmetic::kHalf) return device.half_flops_per_second;
  return arithmetic == Arithmetic::kTf32 ? device.tf32_flops_per_second : 0;
}

double or_else(double value, double otherwise) {
  return value > 0 ? value : otherwise;
}

double peak(const SimulatedDevice& device, Arithmetic arithmetic) {
  return or_else(peak_of_its_own(device, arithmetic), device.flops_per_second);
}

// The rates in f32, and in other arithmetics if the device has no matrix units or their rates are
// unknown.
LayerReach f32_reach(const SimulatedDevice& device, Arithmetic arithmetic) {
  return {
      or_else(device.layer_flops_efficiency, device.flops_efficiency) * peak(device, arithmetic),
      or_else(device.layer_memory_efficiency, device.memory_efficiency) *
          device.memory_bytes_per_second,
      device.gain_3x3, device.gain_5x5, device.layer_flops_efficiency > 0 ? kUnevenGain : 1};
}

// The rates of matrix units. They multiply directly, so Winograd and FFT gain nothing.
LayerReach tensor_reach(const SimulatedDevice& device, Arithmetic arithmetic) {
  const double fed = device.tensor_operations_per_byte * device.memory_bytes_per_second;
  return {1 / (1 / peak(device, arithmetic) + 1 / fed),
          or_else(device.tensor_memory_efficiency, device.memory_efficiency) *
              device.memory_bytes_per_second,
          1, 1, kUnevenGain};
}

// Returns the rates of each kind of kernels that libraries choose from. Libraries take the faster
// kind for each layer. The kind for layers without products comes first.
std::vector<LayerReach> layer_reaches(const SimulatedDevice& device, Arithmetic arithmetic) {
  const bool on_matrix_units =
      device.tensor_operations_per_byte > 0 && peak_of_its_own(device, arithmetic) > 0;
  if (!on_matrix_units) return {f32_reach(device, arithmetic)};
  return {tensor_reach(device, arithmetic), f32_reach(device, Arithmetic::kSingle)};
}

// The gain of 3x3 and 5x5 convolutions by other algorithms than the direct one.
double algorithm_gain(const graph::GraphNode& node, const LayerReach& reach) {
  const convoy_layer& it = node.layer;
  const bool unit_stride = it.stride_height == 1 && it.stride_width == 1;
  if (it.kind != CONVOY_LAYER_CONVOLUTION || !unit_stride) return 1;
  if (it.kernel_height != it.kernel_width) return reach.gain_uneven;
  if (it.kernel_height == 3) return reach.gain_3x3;
  return it.kernel_height == 5 ? reach.gain_5x5 : 1;
}

// The smaller side of a layer's matrix of weights, which limits how often its factors are reused.
double channels_of(const graph::GraphNode& node) {
  const double groups = std::max(1u, node.layer.groups);
  const double taps =
      std::max(1u, node.layer.kernel_height) * std::max(1u, node.layer.kernel_width);
  const bool is_convolution = node.layer.kind == CONVOY_LAYER_CONVOLUTION;
  const double inputs =
      is_convolution ? taps * node.input.channels : static_cast<double>(node.input.elements());
  return std::max(1.0, std::min(inputs, static_cast<double>(node.output.channels)) / groups);
}

class Roofline {
 public:
  Roofline(const graph::Graph& graph, std::uint32_t batch, const SimulatedDevice& device,
           Arithmetic arithmetic)
      : graph_(graph),
        batch_(batch),
        device_(device),
        behind_variables_(graph::nodes_behind_variables(graph)),
        shapes_(layer_shapes(graph, batch)),
        gain_{peak(device, arithmetic) / device.flops_per_second,
              arithmetic == Arithmetic::kHalf ? 2.0 : 1.0},
        reaches_(layer_reaches(device, arithmetic)) {}

  void append(std::uint32_t node, convoy_pass pass, PassTime& time) const {
    const graph::LayerWork work = graph::layer_work(graph_, node, batch_, pass);
    if (work.flops == 0 && work.bytes == 0) return;
    time.seconds += device_.layer_rates
                        ? device_.layer_rates->seconds(shapes_[node], pass, work, gain_)
                        : at_peak(node, work);
    time.kernel_ends.push_back(time.seconds);
    time.flops += work.flops;
    time.bytes += work.bytes / gain_.bytes;
  }

  // Appends the gradients of data, if any variable lies before the node, and those of weights.
  void append_backward(std::uint32_t node, PassTime& time) const {
    if (behind_variables_[node]) append(node, CONVOY_PASS_BACKWARD_DATA, time);
    if (graph::owns_weights(graph_.nodes()[node].layer.kind))
      append(node, CONVOY_PASS_BACKWARD_WEIGHTS, time);
  }

 private:
  double at_peak(std::uint32_t node, const graph::LayerWork& work) const {
    const graph::GraphNode& it = graph_.nodes()[node];
    if (work.flops == 0)
      return device_.kernel_seconds +
             work.bytes / (gain_.bytes * reaches_.front().bytes_per_second);
    // Products read and write everything once, as element-wise kernels do.
    const double moving =
        work.bytes / (gain_.bytes * device_.memory_efficiency * device_.memory_bytes_per_second);
    double wide = 0;
    for (const LayerReach& reach : reaches_)
      wide = std::max(wide, reach.flops_per_second * algorithm_gain(it, reach));
    const double computing = work.flops / wide * (1 + device_.narrow_channels / channels_of(it));
    return device_.kernel_seconds + std::max(computing, moving);
  }

  const graph::Graph& graph_;
  std::uint32_t batch_;
  const SimulatedDevice& device_;
  std::vector<bool> behind_variables_;
  std::vector<LayerShape> shapes_;
  RateGain gain_;
  std::vector<LayerReach> reaches_;
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

LayerTimes layer_times(const graph::Graph& graph, std::uint32_t batch,
                       const SimulatedDevice& device, Arithmetic arithmetic) {
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
  // The step is nearly linear in the factor, so the secant method almost always converges;
  // bisection guards it.
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
