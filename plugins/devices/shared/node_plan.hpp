#pragma once

#include <convoy/abi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace convoy {

inline constexpr std::size_t kNoNode = static_cast<std::size_t>(-1);

// The decisions about a node before any primitive exists.
struct NodePlan {
  const convoy_node* node = nullptr;
  std::vector<std::size_t> inputs;
  std::vector<std::size_t> consumers;
  std::size_t value = 0;          // index of its activation
  bool in_place = false;          // works on its input's activation
  bool done_by_producer = false;  // a relu or a sum that its producer computes in the forward pass
  std::size_t fused_relu = kNoNode;  // the relu that this node computes, if any
  std::size_t fused_add = kNoNode;   // the sum that this batch norm computes, if any
  bool needs_gradient = false;       // the node or one before it has a variable
};

// An activation: the node that produces it and the nodes that work on it in place.
struct ValuePlan {
  std::vector<std::size_t> members;  // ascending; the first is the producer
};

struct GraphPlan {
  std::vector<NodePlan> nodes;
  std::vector<ValuePlan> values;

  // Whether the node's backward changes the gradient of its own activation in place.
  bool changes_gradient(std::size_t node) const;
  // Whether a batch norm computes the relu or the sum `node`, and so also its backward.
  bool part_of_batch_norm(std::size_t node) const;
  // The relu that ends the work of a batch norm, behind its sum if it has one.
  std::size_t last_relu(std::size_t batch_norm) const;
};

struct PlanOptions {
  bool dropout = false;  // whether dropout layers drop
  bool rounds = false;   // whether every activation is rounded before the next layer reads it
};

// Decides which nodes work in place, which relus and sums their producers compute, and which nodes
// need no gradient because only data come before them.
GraphPlan plan_graph(const convoy_graph& graph, const PlanOptions& options);

}  // namespace convoy
