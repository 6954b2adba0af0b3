#include "plugins/devices/cpu/node_plan.hpp"

namespace convoy::cpu {
namespace {

bool can_compute_relu(std::uint32_t kind, double limit) {
  switch (kind) {
    case CONVOY_LAYER_CONVOLUTION:
    case CONVOY_LAYER_FULLY_CONNECTED:
    case CONVOY_LAYER_ADD:
      return true;
    case CONVOY_LAYER_BATCH_NORM:
      return limit <= 0.0;
    default:
      return false;
  }
}

// A relu needs its output in its backward: a dropout behind it may zero elements there, which
// zeroes their gradient once more, but must not scale them across the relu's upper limit.
bool may_overwrite(const NodePlan& producer, bool drops) {
  const convoy_layer& layer = *producer.node->layer;
  if (layer.kind == CONVOY_LAYER_INPUT) return false;
  return !(drops && layer.kind == CONVOY_LAYER_RELU && layer.limit > 0.0);
}

void decide_in_place(GraphPlan& plan, std::size_t index, bool dropout) {
  NodePlan& here = plan.nodes[index];
  const convoy_layer& layer = *here.node->layer;
  const bool relu = layer.kind == CONVOY_LAYER_RELU;
  const bool drop = layer.kind == CONVOY_LAYER_DROPOUT;
  if (!relu && !drop) return;
  NodePlan& producer = plan.nodes[here.inputs[0]];
  if (producer.consumers.size() != 1 || !may_overwrite(producer, drop && dropout)) return;
  here.in_place = true;
  if (relu && can_compute_relu(producer.node->layer->kind, layer.limit)) {
    here.done_by_producer = true;
    producer.fused_relu = index;
  }
}

void assign_value(GraphPlan& plan, std::size_t index) {
  NodePlan& here = plan.nodes[index];
  if (here.in_place) {
    here.value = plan.nodes[here.inputs[0]].value;
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
  if (!here.in_place) return false;
  return !here.done_by_producer ||
         nodes[here.inputs[0]].node->layer->kind != CONVOY_LAYER_BATCH_NORM;
}

GraphPlan plan_graph(const convoy_graph& graph, bool dropout) {
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
    decide_in_place(plan, index, dropout);
    assign_value(plan, index);
  }
  return plan;
}

}  // namespace convoy::cpu
