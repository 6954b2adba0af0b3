#include "core/graph/graph.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/graph/variables.hpp"

namespace convoy::graph {
namespace {

uint64_t assign_segments(std::vector<GraphNode>& nodes) {
  uint32_t segment = 0;
  bool weights_seen = false;
  for (GraphNode& node : nodes) {
    if (owns_weights(node.layer.kind)) {
      if (weights_seen) ++segment;
      weights_seen = true;
    }
    node.segment = segment;
  }
  return uint64_t{segment} + 1;
}

uint64_t assign_state(std::vector<GraphNode>& nodes) {
  uint64_t next = 0;
  for (GraphNode& node : nodes) {
    if (node.layer.kind != CONVOY_LAYER_BATCH_NORM) continue;
    node.state_first = next;
    next += 2 * uint64_t{node.output.channels};
  }
  return next;
}

}  // namespace

bool owns_weights(uint32_t kind) {
  return kind == CONVOY_LAYER_CONVOLUTION || kind == CONVOY_LAYER_FULLY_CONNECTED;
}

Graph::Graph(std::string model, uint32_t classes, std::vector<GraphNode> nodes)
    : model_(std::move(model)), classes_(classes), nodes_(std::move(nodes)) {
  CONVOY_CHECK(!nodes_.empty());
  segment_count_ = assign_segments(nodes_);
  state_elements_ = assign_state(nodes_);
  variables_ = create_variables(nodes_);
}

uint64_t Graph::parameter_count() const {
  uint64_t total = 0;
  for (const GraphVariable& variable : variables_) total += variable.elements;
  return total;
}

uint64_t Graph::multiply_adds() const {
  uint64_t total = 0;
  for (const GraphNode& node : nodes_) total += node.multiply_adds;
  return total;
}

uint64_t Graph::count(convoy_layer_kind kind) const {
  return static_cast<uint64_t>(std::ranges::count_if(
      nodes_, [kind](const GraphNode& node) { return node.layer.kind == uint32_t{kind}; }));
}

uint32_t Graph::segment_of(uint64_t variable) const {
  CONVOY_CHECK_LT(variable, variables_.size());
  return nodes_[variables_[variable].node].segment;
}

}  // namespace convoy::graph
