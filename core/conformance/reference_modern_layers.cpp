// The part of ReferenceNetwork for layers of networks since 2017.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/conformance/reference_network.hpp"
#include "core/conformance/reference_plane.hpp"

namespace convoy::conformance {

using Tensor = ReferenceNetwork::Tensor;

namespace {

double sigmoid(double x) {
  return 1.0 / (1.0 + std::exp(-x));
}

using Curve = double (*)(double);

// Returns the function that a layer applies to every element separately; null if it is not such a
// layer.
Curve curve_of(std::uint32_t kind) {
  switch (kind) {
    case CONVOY_LAYER_SIGMOID:
      return sigmoid;
    case CONVOY_LAYER_TANH:
      return [](double x) { return std::tanh(x); };
    case CONVOY_LAYER_SILU:
      return [](double x) { return x * sigmoid(x); };
    case CONVOY_LAYER_GELU:
      return [](double x) { return 0.5 * x * (1.0 + std::erf(x / std::sqrt(2.0))); };
    default:
      return nullptr;
  }
}

}  // namespace

Tensor ReferenceNetwork::modern_layer(const graph::GraphNode& node) {
  switch (node.layer.kind) {
    case CONVOY_LAYER_LAYER_NORM:
      return layer_norm(node);
    case CONVOY_LAYER_MULTIPLY:
      return multiply(node);
    case CONVOY_LAYER_SCALE:
      return scale(node);
    case CONVOY_LAYER_STOCHASTIC_DEPTH:
      return input(node);
    case CONVOY_LAYER_CLASS_TOKEN:
      return class_token(node);
    case CONVOY_LAYER_POSITION:
      return position(node);
    case CONVOY_LAYER_ATTENTION:
      return attention(node);
    case CONVOY_LAYER_UPSAMPLE:
      return upsample(node);
    default:
      break;
  }
  const Curve curve = curve_of(node.layer.kind);
  if (curve == nullptr) throw std::logic_error("the reference does not know this layer");
  Tensor result = input(node);
  for (double& value : result) value = curve(value);
  return result;
}

Tensor ReferenceNetwork::layer_norm(const graph::GraphNode& node) {
  const std::size_t channels = node.output.channels, plane = Plane(node.output).size;
  const std::uint32_t gamma = node.variables[0], beta = node.variables[1];
  const double count = static_cast<double>(channels);
  Tensor result = input(node);
  for (std::size_t cell = 0; cell < batch_ * plane; ++cell) {
    double* const first = &result[cell / plane * channels * plane + cell % plane];
    double mean = 0.0, variance = 0.0;
    for (std::size_t c = 0; c < channels; ++c) mean += first[c * plane] / count;
    for (std::size_t c = 0; c < channels; ++c)
      variance += (first[c * plane] - mean) * (first[c * plane] - mean) / count;
    const double inverse = 1.0 / std::sqrt(variance + node.layer.epsilon);
    for (std::size_t c = 0; c < channels; ++c)
      first[c * plane] = (first[c * plane] - mean) * inverse *
                             (gamma == CONVOY_NONE ? 1.0 : parameters_[gamma][c]) +
                         parameters_[beta][c];
  }
  return result;
}

Tensor ReferenceNetwork::multiply(const graph::GraphNode& node) {
  Tensor result = input(node);
  const Tensor& factors = input(node, 1);
  const std::size_t repeats = result.size() / factors.size();
  for (std::size_t k = 0; k < result.size(); ++k) result[k] *= factors[k / repeats];
  return result;
}

Tensor ReferenceNetwork::scale(const graph::GraphNode& node) {
  Tensor result = input(node);
  const Tensor& gamma = parameters_[node.variables[0]];
  const std::size_t plane = Plane(node.output).size;
  for (std::size_t k = 0; k < result.size(); ++k) result[k] *= gamma[k / plane % gamma.size()];
  return result;
}

Tensor ReferenceNetwork::class_token(const graph::GraphNode& node) {
  const Tensor& token = parameters_[node.variables[0]];
  const std::size_t cells = Plane(node.output).size;
  Tensor result(batch_ * node.output.elements());
  for (std::size_t k = 0; k < result.size(); ++k) {
    const std::size_t plane = k / cells, cell = k % cells;
    result[k] =
        cell == 0 ? token[plane % token.size()] : input(node)[plane * (cells - 1) + cell - 1];
  }
  return result;
}

Tensor ReferenceNetwork::position(const graph::GraphNode& node) {
  const Tensor& positions = parameters_[node.variables[0]];
  const std::size_t cells = Plane(node.output).size, channels = node.output.channels;
  Tensor result = input(node);
  for (std::size_t k = 0; k < result.size(); ++k)
    result[k] += positions[k % cells * channels + k / cells % channels];
  return result;
}

// Channel c of the results of head h is channel h * width + c; element (channel, cell) of an image
// is at channel * cells + cell.
Tensor ReferenceNetwork::attention(const graph::GraphNode& node) {
  const std::size_t cells = Plane(node.output).size, channels = node.output.channels;
  const std::size_t heads = node.layer.groups, width = channels / heads;
  Tensor result(batch_ * node.output.elements());
  std::vector<double> weights(cells);
  for (std::size_t row = 0; row < batch_ * heads * cells; ++row) {
    const std::size_t cell = row % cells, head = row / cells % heads, image = row / cells / heads;
    const double* const q = &input(node)[(image * 3 * channels + head * width) * cells];
    const double *const k = q + channels * cells, *const v = k + channels * cells;
    double sum = 0.0;
    for (std::size_t other = 0; other < cells; ++other) {
      double score = 0.0;
      for (std::size_t c = 0; c < width; ++c) score += q[c * cells + cell] * k[c * cells + other];
      weights[other] = std::exp(score / std::sqrt(static_cast<double>(width)));
      sum += weights[other];
    }
    for (double& weight : weights) weight = rounds_ ? nearest_bf16(weight / sum) : weight / sum;
    double* const to = &result[(image * channels + head * width) * cells + cell];
    for (std::size_t c = 0; c < width; ++c)
      for (std::size_t other = 0; other < cells; ++other)
        to[c * cells] += weights[other] * v[c * cells + other];
  }
  return result;
}

namespace {

// The two cells of an axis between which an upsampled cell lies, and the weight of the second one.
struct Between {
  std::int64_t first, second;
  double share;
};

Between between(std::int64_t output, std::int64_t factor, std::int64_t size, bool interpolated) {
  if (!interpolated) return {output / factor, output / factor, 0.0};
  const double place = (static_cast<double>(output) + 0.5) / static_cast<double>(factor) - 0.5;
  const double first = std::floor(place);
  const auto on_image = [size](double cell) {
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(cell), 0, size - 1);
  };
  return {on_image(first), on_image(first + 1), place - first};
}

}  // namespace

Tensor ReferenceNetwork::upsample(const graph::GraphNode& node) {
  const bool interpolated = (node.layer.flags & CONVOY_LAYER_INTERPOLATED) != 0;
  const Plane in(node.input), out(node.output);
  Tensor result(batch_ * node.output.elements());
  for (std::size_t plane = 0; plane < batch_ * node.output.channels; ++plane)
    for (std::int64_t y = 0; y < node.output.height; ++y)
      for (std::int64_t x = 0; x < node.output.width; ++x) {
        const Between row = between(y, node.layer.stride_height, node.input.height, interpolated);
        const Between column = between(x, node.layer.stride_width, node.input.width, interpolated);
        const auto in_row = [&](std::int64_t at) {
          return (1 - column.share) * input(node)[in.at(plane, at, column.first)] +
                 column.share * input(node)[in.at(plane, at, column.second)];
        };
        result[out.at(plane, y, x)] =
            (1 - row.share) * in_row(row.first) + row.share * in_row(row.second);
      }
  return result;
}

}  // namespace convoy::conformance
