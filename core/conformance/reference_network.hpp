#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "core/graph/graph.hpp"

namespace convoy::conformance {

// Returns the nearest bf16 value, ties to even.
double nearest_bf16(double value);

// A slow forward pass in float64, which follows the definitions literally, in plain order.
// Gradients are computed from it by central differences, so that no derivative is implemented
// twice.
class ReferenceNetwork {
 public:
  using Tensor = std::vector<double>;

  ReferenceNetwork(const graph::Graph& graph, std::uint32_t batch,
                   const std::vector<std::vector<float>>& parameters,
                   const std::vector<float>& images, const std::vector<std::int32_t>& labels);

  // From now on, batch norms use these moving statistics, which have the device's layout.
  void use_statistics(const std::vector<float>& state) {
    state_.assign(state.begin(), state.end());
    changed_from_ = 0;
  }

  // From now on, images, weights, the weights of attention and the results of layers are rounded to
  // bf16. The result of a batch norm right before a sum of two is rounded only if also_before_sums
  // is set, because devices may compute both in one operation.
  void round_to_bf16(bool also_before_sums) {
    rounds_ = true;
    rounds_before_sums_ = also_before_sums;
    changed_from_ = 0;
  }

  double loss();
  double derivative(std::uint64_t variable, std::size_t element);
  // Returns the derivative of the loss when all elements of the variable move together along the
  // direction. It is the inner product of direction and gradient.
  double derivative_along(std::uint64_t variable, const std::vector<float>& direction);
  // Returns the batch mean and the unbiased variance per channel of a batch norm's input. Valid
  // after loss().
  const std::pair<Tensor, Tensor>& statistics(std::size_t node) const {
    return statistics_.at(node);
  }

 private:
  double loss_from(std::size_t first);
  double difference(std::uint64_t variable, double step,
                    const std::function<void(double)>& move_by);
  std::size_t first_reader(std::uint64_t variable) const;
  Tensor evaluate(std::size_t node);
  bool ends_in_sum(std::size_t node) const;
  Tensor weights(const graph::GraphNode& node) const;
  Tensor convolution(const graph::GraphNode& node);
  Tensor fully_connected(const graph::GraphNode& node);
  Tensor batch_norm(std::size_t index);
  Tensor pool(const graph::GraphNode& node, bool maximum);
  Tensor concat(const graph::GraphNode& node);
  Tensor pad_channels(const graph::GraphNode& node);
  Tensor local_response_norm(const graph::GraphNode& node);
  Tensor relu(const graph::GraphNode& node);
  Tensor add(const graph::GraphNode& node);
  // This and the following functions are in reference_modern_layers.cpp.
  Tensor modern_layer(const graph::GraphNode& node);
  Tensor layer_norm(const graph::GraphNode& node);
  Tensor multiply(const graph::GraphNode& node);
  Tensor scale(const graph::GraphNode& node);
  Tensor class_token(const graph::GraphNode& node);
  Tensor position(const graph::GraphNode& node);
  Tensor attention(const graph::GraphNode& node);
  Tensor upsample(const graph::GraphNode& node);
  double cross_entropy(const graph::GraphNode& node);
  const Tensor& input(const graph::GraphNode& node, std::size_t which = 0) {
    return outputs_[node.inputs[which]];
  }

  const graph::Graph& graph_;
  std::size_t batch_;
  std::vector<Tensor> parameters_;
  Tensor images_;
  std::vector<std::int32_t> labels_;
  bool rounds_ = false;
  bool rounds_before_sums_ = true;
  Tensor state_;  // empty: batch norms use the batch's statistics
  std::vector<Tensor> outputs_;
  std::size_t changed_from_ = 0;  // the first node whose output is out of date
  std::map<std::size_t, std::pair<Tensor, Tensor>> statistics_;
};

}  // namespace convoy::conformance
