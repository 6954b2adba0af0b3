#pragma once

#include <convoy/abi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/graph/window.hpp"

namespace convoy::graph {

// Channels, height and width of one image's activation.
struct TensorShape {
  uint32_t channels = 0;
  uint32_t height = 0;
  uint32_t width = 0;

  uint64_t elements() const { return uint64_t{channels} * height * width; }
  bool operator==(const TensorShape&) const = default;
};

// One layer with everything the host inferred. In `layer`, the pointers are null (see name and
// inputs) and the defaults that depend on the layer alone are filled in (groups).
struct GraphNode {
  convoy_layer layer{};
  std::string name;
  std::vector<uint32_t> inputs;
  TensorShape input;  // shape of the first input; empty for the input layer
  TensorShape output;
  AxisWindow rows;                                     // convolutions and pools
  AxisWindow columns;                                  // likewise
  uint32_t variables[2] = {CONVOY_NONE, CONVOY_NONE};  // weights or gamma, bias or beta
  uint32_t segment = 0;
  uint64_t state_first = 0;  // batch norm: means, then variances, 2 * channels elements
  // Multiply-adds of the forward pass per image; only for convolutions, fully connected layers and
  // attention.
  uint64_t multiply_adds = 0;
};

// The reference fill, which lets two programs start from the same bits: offset + scale * u, where u
// in (-1/2, 1/2) is a hash of the element's index.
struct HashFill {
  double scale = 0;
  double offset = 0;
};

// A trainable tensor.
struct GraphVariable {
  std::string name;
  uint32_t node = 0;
  convoy_variable_kind kind = CONVOY_VARIABLE_UNKNOWN;
  std::vector<uint64_t> dimensions;  // OIHW (I per group), OI, N, or cells x channels
  uint64_t elements = 0;
  uint64_t fan_in = 0;  // inputs per output of the layer; 0 for biases, gammas and betas
  bool decayed = false;
  // Resolved: kind is never DEFAULT. For CONSTANT, value is the constant; for the two random kinds
  // it is the standard deviation of the normal distribution before it is cut at twice that value.
  convoy_initializer initializer{};
  HashFill fill;
};

// A model's layers in execution order and its variables in creation order. Built by GraphAssembler,
// immutable since. Node 0 is the input, the last node is the loss. A segment is the unit in which
// forward and backward are submitted: it starts at a layer that owns weights and reaches to the
// next one; what precedes the first belongs to segment 0. All counts are elements.
class Graph {
 public:
  Graph(std::string model, uint32_t classes, std::vector<GraphNode> nodes);

  const std::string& model() const { return model_; }
  uint32_t classes() const { return classes_; }
  uint32_t image_size() const { return nodes_.front().output.height; }
  const std::vector<GraphNode>& nodes() const { return nodes_; }
  const std::vector<GraphVariable>& variables() const { return variables_; }
  uint64_t segment_count() const { return segment_count_; }
  uint64_t state_elements() const { return state_elements_; }
  uint64_t parameter_count() const;
  uint64_t multiply_adds() const;                // sum over all nodes
  uint64_t count(convoy_layer_kind kind) const;  // layers of that kind
  uint32_t segment_of(uint64_t variable) const;

 private:
  std::string model_;
  uint32_t classes_;
  std::vector<GraphNode> nodes_;
  std::vector<GraphVariable> variables_;
  uint64_t segment_count_ = 0;
  uint64_t state_elements_ = 0;
};

// Whether layers of this kind have weights that are multiplied with activations.
bool owns_weights(uint32_t kind);

}  // namespace convoy::graph
