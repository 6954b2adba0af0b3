#include "plugins/devices/shared/node_plan.hpp"

#include <algorithm>

namespace convoy {
namespace {

bool can_compute_relu(std::uint32_t kind, double limit, bool rounds) {
  switch (kind) {
    case CONVOY_LAYER_CONVOLUTION:
    case CONVOY_LAYER_FULLY_CONNECTED:
    case CONVOY_LAYER_ADD:
      return true;
    case CONVOY_LAYER_BATCH_NORM:
      return !(rounds && limit > 0.0);
    default:
      return false;
  }
}

// The backward of a relu needs its output. So a dropout behind it may overwrite the output with
// zeros, which zeroes their gradient once more, but must not scale values across the relu's upper
// limit.
bool may_overwrite(const NodePlan& producer, bool drops) {
  const convoy_layer& layer = *producer.node->layer;
  if (layer.kind == CONVOY_LAYER_INPUT) return false;
  return !(drops && layer.kind == CONVOY_LAYER_RELU && layer.limit > 0.0);
}

// A batch norm directly before a sum of two computes the sum if no other node reads its own result.
// The other summand is complete by then.
void decide_sum(GraphPlan& plan, std::size_t index, const PlanOptions& options) {
  NodePlan& here = plan.nodes[index];
  if (options.rounds || here.inputs.size() != 2 || here.inputs[0] == here.inputs[1]) return;
  const std::size_t last = std::max(here.inputs[0], here.inputs[1]);
  NodePlan& producer = plan.nodes[last];
  if (last + 1 != index || producer.node->layer->kind != CONVOY_LAYER_BATCH_NORM) return;
  if (producer.consumers.size() != 1) return;
  here.in_place = true;
  here.done_by_producer = true;
  producer.fused_add = index;
}

void decide_in_place(GraphPlan& plan, std::size_t index, const PlanOptions& options) {
  NodePlan& here = plan.nodes[index];
  const convoy_layer& layer = *here.node->layer;
  const bool relu = layer.kind == CONVOY_LAYER_RELU;
  const bool drop =
      layer.kind == CONVOY_LAYER_DROPOUT || layer.kind == CONVOY_LAYER_STOCHASTIC_DEPTH;
  if (layer.kind == CONVOY_LAYER_ADD) return decide_sum(plan, index, options);
  if (!relu && !drop) return;
  NodePlan& producer = plan.nodes[here.inputs[0]];
  if (producer.consumers.size() != 1 || !may_overwrite(producer, drop && options.dropout)) return;
  here.in_place = true;
  if (relu && can_compute_relu(producer.node->layer->kind, layer.limit, options.rounds)) {
    here.done_by_producer = true;
    producer.fused_relu = index;
  }
}

void assign_value(GraphPlan& plan, std::size_t index) {
  NodePlan& here = plan.nodes[index];
  if (here.in_place) {
    // Uses the last input: for a sum, this is the batch norm that computes it.
    here.value = plan.nodes[*std::max_element(here.inputs.begin(), here.inputs.end())].value;
  } else {
    here.value = plan.values.size();
    plan.values.emplace_back();
  }
  plan.values[here.value].members.push_back(index);
}

bool has_variables(const convoy_node& node) {
  return node.variables[0] != CONVOY_NONE || node.variables[1] != CONVOY_NONE;
}

}  // namespace

bool GraphPlan::changes_gradient(std::size_t node) const {
  const NodePlan& here = nodes[node];
  if (here.fused_add != kNoNode) return true;
  return here.in_place && !part_of_batch_norm(node);
}

bool GraphPlan::part_of_batch_norm(std::size_t node) const {
  const NodePlan& here = nodes[node];
  if (!here.done_by_producer) return false;
  const std::size_t producer = values[here.value].members.front();
  return nodes[producer].node->layer->kind == CONVOY_LAYER_BATCH_NORM;
}

std::size_t GraphPlan::last_relu(std::size_t batch_norm) const {
  const std::size_t sum = nodes[batch_norm].fused_add;
  return nodes[sum == kNoNode ? batch_norm : sum].fused_relu;
}

GraphPlan plan_graph(const convoy_graph& graph, const PlanOptions& options) {
  GraphPlan plan;
  plan.nodes.resize(graph.node_count);
  for (std::size_t index = 0; index < graph.node_count; ++index) {
    NodePlan& here = plan.nodes[index];
    here.node = graph.nodes[index];
    const convoy_layer& layer = *here.node->layer;
    here.inputs.assign(layer.inputs, layer.inputs + layer.input_count);
    here.needs_gradient = has_variables(*here.node);
    for (std::size_t input : here.inputs) {
      plan.nodes[input].consumers.push_back(index);
      here.needs_gradient = here.needs_gradient || plan.nodes[input].needs_gradient;
    }
  }
  for (std::size_t index = 0; index < graph.node_count; ++index) {
    decide_in_place(plan, index, options);
    assign_value(plan, index);
  }
  return plan;
}

}  // namespace convoy
