#include "core/conformance/reference_network.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/conformance/reference_plane.hpp"

namespace convoy::conformance {
namespace {

using Tensor = ReferenceNetwork::Tensor;

// Calls body(output row, output column, input row, input column, kernel row, kernel column) for
// every cell of every window that lies on the image. The outer loops run over the cells of a window
// and the inner ones over the outputs, so an output gets its cells in their order, and neighbouring
// outputs follow each other.
template <typename Body>
void for_each_cell(const graph::GraphNode& node, const Body& body) {
  const convoy_layer& layer = node.layer;
  const std::int64_t dy = std::max(layer.dilation_height, 1u);
  const std::int64_t dx = std::max(layer.dilation_width, 1u);
  const std::int64_t height = node.input.height, width = node.input.width;
  for (std::int64_t ky = 0; ky < layer.kernel_height; ++ky) {
    for (std::int64_t kx = 0; kx < layer.kernel_width; ++kx) {
      for (std::int64_t y = 0; y < node.output.height; ++y) {
        const std::int64_t iy = y * layer.stride_height + ky * dy - node.rows.before;
        if (iy < 0 || iy >= height) continue;
        for (std::int64_t x = 0; x < node.output.width; ++x) {
          const std::int64_t ix = x * layer.stride_width + kx * dx - node.columns.before;
          if (ix >= 0 && ix < width) body(y, x, iy, ix, ky, kx);
        }
      }
    }
  }
}

}  // namespace

// bf16 has 8 significant bits and the exponent range of f32. Test values are far from the limits of
// that range.
double nearest_bf16(double value) {
  if (value == 0.0) return value;
  int exponent = 0;
  const double significand = std::frexp(value, &exponent);  // in [1/2, 1)
  return std::ldexp(std::nearbyint(significand * 256.0), exponent - 8);
}

ReferenceNetwork::ReferenceNetwork(const graph::Graph& graph, std::uint32_t batch,
                                   const std::vector<std::vector<float>>& parameters,
                                   const std::vector<float>& images,
                                   const std::vector<std::int32_t>& labels)
    : graph_(graph), batch_(batch), images_(images.begin(), images.end()), labels_(labels) {
  for (const std::vector<float>& values : parameters) {
    parameters_.emplace_back(values.begin(), values.end());
  }
}

double ReferenceNetwork::loss() {
  changed_from_ = 0;
  return loss_from(0);
}

// Re-evaluates the nodes from `first` on, and earlier ones that are out of date.
double ReferenceNetwork::loss_from(std::size_t first) {
  outputs_.resize(graph_.nodes().size());
  const std::size_t begin = std::min(first, std::exchange(changed_from_, outputs_.size()));
  for (std::size_t node = begin; node + 1 < graph_.nodes().size(); ++node) {
    outputs_[node] = evaluate(node);
    if (!rounds_ || (!rounds_before_sums_ && ends_in_sum(node))) continue;
    for (double& value : outputs_[node]) value = nearest_bf16(value);
  }
  const graph::GraphNode& last = graph_.nodes().back();
  if (last.layer.kind == CONVOY_LAYER_SOFTMAX_CROSS_ENTROPY) return cross_entropy(last);
  const Tensor& values = input(last);
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Returns whether the node is a batch norm that is read only by the next layer, the sum of its
// result and an earlier layer.
bool ReferenceNetwork::ends_in_sum(std::size_t node) const {
  const graph::GraphNode& sum = graph_.nodes()[node + 1];
  if (graph_.nodes()[node].layer.kind != CONVOY_LAYER_BATCH_NORM) return false;
  if (sum.layer.kind != CONVOY_LAYER_ADD || sum.inputs.size() != 2) return false;
  std::size_t readers = 0;
  for (const graph::GraphNode& other : graph_.nodes()) {
    readers += static_cast<std::size_t>(std::count(other.inputs.begin(), other.inputs.end(), node));
  }
  return readers == 1 && std::max(sum.inputs[0], sum.inputs[1]) == node;
}

std::size_t ReferenceNetwork::first_reader(std::uint64_t variable) const {
  const auto reads = [&](const graph::GraphNode& node) {
    return std::ranges::find(node.variables, variable) != std::ranges::end(node.variables);
  };
  return static_cast<std::size_t>(std::ranges::find_if(graph_.nodes(), reads) -
                                  graph_.nodes().begin());
}

// Returns the central difference of the loss. move_by(step) moves the variable by `step` from its
// original value.
double ReferenceNetwork::difference(std::uint64_t variable, double step,
                                    const std::function<void(double)>& move_by) {
  const std::size_t first = first_reader(variable);
  move_by(step);
  const double above = loss_from(first);
  move_by(-step);
  const double below = loss_from(first);
  move_by(0);
  changed_from_ = first;
  return (above - below) / (2 * step);
}

double ReferenceNetwork::derivative(std::uint64_t variable, std::size_t element) {
  double& value = parameters_[variable][element];
  const double original = value;
  return difference(variable, 1e-5, [&](double step) { value = original + step; });
}

double ReferenceNetwork::derivative_along(std::uint64_t variable,
                                          const std::vector<float>& direction) {
  constexpr double kStep = 1e-8;  // so small that hardly any maximum changes its position
  Tensor& values = parameters_[variable];
  const Tensor original = values;
  return difference(variable, kStep, [&](double step) {
    for (std::size_t i = 0; i < original.size(); ++i)
      values[i] = original[i] + step * static_cast<double>(direction[i]);
  });
}

Tensor ReferenceNetwork::evaluate(std::size_t index) {
  const graph::GraphNode& node = graph_.nodes()[index];
  switch (node.layer.kind) {
    case CONVOY_LAYER_INPUT:
      return images_;
    case CONVOY_LAYER_CONVOLUTION:
      return convolution(node);
    case CONVOY_LAYER_FULLY_CONNECTED:
      return fully_connected(node);
    case CONVOY_LAYER_BATCH_NORM:
      return batch_norm(index);
    case CONVOY_LAYER_MAX_POOL:
      return pool(node, true);
    case CONVOY_LAYER_AVERAGE_POOL:
      return pool(node, false);
    case CONVOY_LAYER_CONCAT:
      return concat(node);
    case CONVOY_LAYER_PAD_CHANNELS:
      return pad_channels(node);
    case CONVOY_LAYER_LOCAL_RESPONSE_NORM:
      return local_response_norm(node);
    case CONVOY_LAYER_RELU:
      return relu(node);
    case CONVOY_LAYER_ADD:
      return add(node);
    case CONVOY_LAYER_DROPOUT:
      return input(node);
    default:
      return modern_layer(node);
  }
}

Tensor ReferenceNetwork::relu(const graph::GraphNode& node) {
  double limit = node.layer.limit > 0 ? node.layer.limit : 1e300;
  if (rounds_) limit = nearest_bf16(limit);
  Tensor result = input(node);
  for (double& value : result) value = std::clamp(value, 0.0, limit);
  return result;
}

Tensor ReferenceNetwork::add(const graph::GraphNode& node) {
  Tensor result = input(node);
  for (std::size_t i = 1; i < node.inputs.size(); ++i)
    for (std::size_t k = 0; k < result.size(); ++k) result[k] += input(node, i)[k];
  return result;
}

Tensor ReferenceNetwork::weights(const graph::GraphNode& node) const {
  Tensor values = parameters_[node.variables[0]];
  if (!rounds_) return values;
  for (double& value : values) value = nearest_bf16(value);
  return values;
}

Tensor ReferenceNetwork::convolution(const graph::GraphNode& node) {
  const Tensor weights = this->weights(node);
  const std::size_t groups = std::max<std::uint32_t>(node.layer.groups, 1);
  const std::size_t channels = node.output.channels, inputs = node.input.channels / groups;
  const Plane in(node.input), out(node.output);
  const std::size_t kernel = node.layer.kernel_height * node.layer.kernel_width;
  const Tensor& values = input(node);
  Tensor result(batch_ * node.output.elements());
  for (std::size_t o = 0; o < batch_ * channels; ++o) {
    const std::size_t channel = o % channels, image = o / channels;
    const std::size_t first = image * node.input.channels + channel / (channels / groups) * inputs;
    if (node.variables[1] != CONVOY_NONE) {
      std::fill_n(result.begin() + static_cast<std::ptrdiff_t>(o * out.size), out.size,
                  parameters_[node.variables[1]][channel]);
    }
    for (std::size_t i = 0; i < inputs; ++i) {
      const double* w = &weights[(channel * inputs + i) * kernel];
      for_each_cell(node, [&](auto y, auto x, auto iy, auto ix, auto ky, auto kx) {
        result[out.at(o, y, x)] +=
            w[ky * node.layer.kernel_width + kx] * values[in.at(first + i, iy, ix)];
      });
    }
  }
  return result;
}

Tensor ReferenceNetwork::fully_connected(const graph::GraphNode& node) {
  const Tensor weights = this->weights(node);
  const std::size_t inputs = node.input.elements(), outputs = node.output.channels;
  Tensor result(batch_ * outputs);
  for (std::size_t k = 0; k < result.size(); ++k) {
    const double* w = &weights[k % outputs * inputs];
    const double* x = &input(node)[k / outputs * inputs];
    result[k] = std::inner_product(w, w + inputs, x, 0.0);
    if (node.variables[1] != CONVOY_NONE) result[k] += parameters_[node.variables[1]][k % outputs];
  }
  return result;
}

Tensor ReferenceNetwork::batch_norm(std::size_t index) {
  const graph::GraphNode& node = graph_.nodes()[index];
  const std::size_t channels = node.output.channels, plane = Plane(node.output).size;
  const double count = static_cast<double>(batch_ * plane);
  Tensor result = input(node), means, variances;
  for (std::size_t channel = 0; channel < channels; ++channel) {
    const auto for_each = [&](const auto& body) {
      for (std::size_t image = 0; image < batch_; ++image) {
        for (std::size_t k = 0; k < plane; ++k) {
          body(result[(image * channels + channel) * plane + k]);
        }
      }
    };
    double sum = 0.0, squares = 0.0;
    for_each([&](double& value) { sum += value; });
    double mean = sum / count;
    for_each([&](double& value) { squares += (value - mean) * (value - mean); });
    double variance = squares / count;
    if (!state_.empty()) {
      mean = state_[node.state_first + channel];
      variance = state_[node.state_first + channels + channel];
    }
    const std::uint32_t gamma = node.variables[0], beta = node.variables[1];
    const double scale = (gamma == CONVOY_NONE ? 1.0 : parameters_[gamma][channel]) /
                         std::sqrt(variance + node.layer.epsilon);
    const double shift = beta == CONVOY_NONE ? 0.0 : parameters_[beta][channel];
    for_each([&](double& value) { value = (value - mean) * scale + shift; });
    means.push_back(mean);
    variances.push_back(squares / (count - 1));
  }
  statistics_[index] = {means, variances};
  return result;
}

Tensor ReferenceNetwork::pool(const graph::GraphNode& node, bool maximum) {
  const Plane in(node.input), out(node.output);
  Tensor result(batch_ * node.output.elements(),
                maximum ? -std::numeric_limits<double>::infinity() : 0.0);
  std::vector<double> cells(out.size);
  for_each_cell(node, [&](auto y, auto x, auto, auto, auto, auto) { ++cells[out.at(0, y, x)]; });
  for (std::size_t plane = 0; plane < batch_ * node.output.channels; ++plane) {
    for_each_cell(node, [&](auto y, auto x, auto iy, auto ix, auto, auto) {
      double& cell = result[out.at(plane, y, x)];
      const double value = input(node)[in.at(plane, iy, ix)];
      cell = maximum ? std::max(cell, value) : cell + value / cells[out.at(0, y, x)];
    });
  }
  return result;
}

Tensor ReferenceNetwork::concat(const graph::GraphNode& node) {
  Tensor result;
  for (std::size_t image = 0; image < batch_; ++image) {
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const Tensor& part = input(node, i);
      const auto size = static_cast<std::ptrdiff_t>(part.size() / batch_);
      const auto first = part.begin() + static_cast<std::ptrdiff_t>(image) * size;
      result.insert(result.end(), first, first + size);
    }
  }
  return result;
}

Tensor ReferenceNetwork::pad_channels(const graph::GraphNode& node) {
  const std::size_t size = node.input.elements(), padded = node.output.elements();
  const std::size_t before =
      (node.output.channels - node.input.channels) / 2 * Plane(node.input).size;
  Tensor result(batch_ * padded);
  for (std::size_t k = 0; k < batch_ * size; ++k)
    result[k / size * padded + before + k % size] = input(node)[k];
  return result;
}

Tensor ReferenceNetwork::local_response_norm(const graph::GraphNode& node) {
  const Tensor& values = input(node);
  const auto channels = static_cast<std::int64_t>(node.output.channels);
  const auto plane = static_cast<std::int64_t>(Plane(node.output).size);
  const auto radius = static_cast<std::int64_t>(node.layer.radius);
  Tensor result(values.size());
  for (std::int64_t k = 0; k < static_cast<std::int64_t>(values.size()); ++k) {
    const std::int64_t channel = k / plane % channels;
    double squares = 0.0;
    for (std::int64_t other = -radius; other <= radius; ++other) {
      if (channel + other < 0 || channel + other >= channels) continue;
      const double value = values[static_cast<std::size_t>(k + other * plane)];
      squares += value * value;
    }
    const auto at = static_cast<std::size_t>(k);
    result[at] =
        values[at] / std::pow(node.layer.offset + node.layer.alpha * squares, node.layer.beta);
  }
  return result;
}

double ReferenceNetwork::cross_entropy(const graph::GraphNode& node) {
  const Tensor& logits = input(node);
  const std::size_t classes = logits.size() / batch_;
  double total = 0.0;
  for (std::size_t image = 0; image < batch_; ++image) {
    if (labels_[image] < 0) continue;  // an image that does not count
    const double* row = &logits[image * classes];
    double sum = 0.0;
    for (std::size_t k = 0; k < classes; ++k) sum += std::exp(row[k]);
    total += std::log(sum) - row[labels_[image]];
  }
  return total / static_cast<double>(batch_);
}

}  // namespace convoy::conformance
