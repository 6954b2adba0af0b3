#include "core/simulate/layers/layer_shape.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace convoy::simulate {
namespace {

// The weights of differences in shape, in doublings. Properties for which a library chooses another
// algorithm weigh most. Next come the sizes that decide how full vectors and caches are.
constexpr double kNeighbourWeight = 3;
// For layers with products, which take long whatever is computed beside them.
constexpr double kProductNeighbourWeight = 0.5;
constexpr double kKernelWeight = 2;
constexpr double kStrideWeight = 2;
constexpr double kChannelWeight = 1;
constexpr double kPixelWeight = 0.5;
constexpr double kBatchWeight = 0.5;

double steps(double a, double b) {
  return std::abs(std::log2(std::max(a, 1.0) / std::max(b, 1.0)));
}

bool is_kernel_of(const LayerShape& a, const LayerShape& b) {
  return a.kernel_height == b.kernel_height && a.kernel_width == b.kernel_width;
}

std::uint32_t pixels(const graph::TensorShape& shape) {
  return shape.height * shape.width;
}

LayerShape plain_shape(const graph::Graph& graph, const graph::GraphNode& node,
                       std::uint32_t batch) {
  LayerShape shape;
  shape.kind = node.layer.kind;
  if (!node.inputs.empty()) shape.producer = graph.nodes()[node.inputs.front()].layer.kind;
  shape.batch = batch;
  shape.inputs = static_cast<std::uint32_t>(node.inputs.size());
  shape.kernel_height = std::max(1u, node.layer.kernel_height);
  shape.kernel_width = std::max(1u, node.layer.kernel_width);
  shape.stride = std::max(1u, node.layer.stride_height);
  shape.groups = std::max(1u, node.layer.groups);
  shape.input_channels = node.input.channels;
  shape.input_pixels = pixels(node.input);
  shape.output_channels = node.output.channels;
  shape.output_pixels = pixels(node.output);
  return shape;
}

}  // namespace

std::vector<LayerShape> layer_shapes(const graph::Graph& graph, std::uint32_t batch) {
  const std::vector<graph::GraphNode>& nodes = graph.nodes();
  std::vector<LayerShape> shapes;
  shapes.reserve(nodes.size());
  for (const graph::GraphNode& node : nodes) shapes.push_back(plain_shape(graph, node, batch));
  std::vector<std::uint32_t> readers(nodes.size(), 0);
  for (const graph::GraphNode& node : nodes) {
    for (const std::uint32_t input : node.inputs) {
      LayerShape& shape = shapes[input];
      const bool only = ++readers[input] == 1;
      shape.consumer = only ? node.layer.kind : 0;
      shape.ends_sum = only && node.layer.kind == CONVOY_LAYER_ADD && node.inputs.back() == input;
    }
  }
  return shapes;
}

double shape_distance(const LayerShape& a, const LayerShape& b) {
  if (a.kind != b.kind) return std::numeric_limits<double>::infinity();
  double distance = 0;
  const double neighbour = graph::owns_weights(a.kind) ? kProductNeighbourWeight : kNeighbourWeight;
  if (a.producer != b.producer) distance += neighbour;
  if (a.consumer != b.consumer || a.ends_sum != b.ends_sum) distance += neighbour;
  if (!is_kernel_of(a, b)) {
    const double taps_a = double(a.kernel_height) * a.kernel_width;
    const double taps_b = double(b.kernel_height) * b.kernel_width;
    distance += kKernelWeight * std::max(1.0, steps(taps_a, taps_b));
  }
  distance += kStrideWeight * steps(a.stride, b.stride);
  distance += kChannelWeight * (steps(a.groups, b.groups) + steps(a.inputs, b.inputs) +
                                steps(a.input_channels, b.input_channels) +
                                steps(a.output_channels, b.output_channels));
  distance += kPixelWeight *
              (steps(a.input_pixels, b.input_pixels) + steps(a.output_pixels, b.output_pixels));
  return distance + kBatchWeight * steps(a.batch, b.batch);
}

}  // namespace convoy::simulate
