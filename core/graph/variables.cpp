#include "core/graph/variables.hpp"

#include <cmath>
#include <utility>

#include "core/base/numbers/truncated_normal.hpp"

namespace convoy::graph {
namespace {

// Returns, per layer, the kind of the only layer that reads its output; 0 if several layers do. A
// convolution whose output is first added to something has no ReLU of its own.
std::vector<uint32_t> follower_kinds(const std::vector<GraphNode>& nodes) {
  std::vector<uint32_t> kinds(nodes.size(), 0);
  std::vector<int> readers(nodes.size(), 0);
  for (const GraphNode& node : nodes) {
    for (const uint32_t input : node.inputs) {
      kinds[input] = ++readers[input] == 1 ? node.layer.kind : 0;
    }
  }
  return kinds;
}

double default_deviation(const GraphNode& node, uint64_t fan_in, uint32_t follower) {
  const auto inputs = static_cast<double>(fan_in);
  if (node.layer.kind == CONVOY_LAYER_CONVOLUTION)
    return std::sqrt(1 / inputs) / kTruncatedDeviation;
  return std::sqrt((follower == CONVOY_LAYER_RELU ? 2 : 1) / inputs);
}

convoy_initializer resolve_weights(const GraphNode& node, uint64_t fan_in, uint32_t follower) {
  convoy_initializer result = node.layer.weights;
  switch (result.kind) {
    case CONVOY_INITIALIZE_DEFAULT:
      result.kind = node.layer.kind == CONVOY_LAYER_CONVOLUTION
                        ? CONVOY_INITIALIZE_VARIANCE_SCALING
                        : CONVOY_INITIALIZE_TRUNCATED_NORMAL;
      result.value = default_deviation(node, fan_in, follower);
      break;
    case CONVOY_INITIALIZE_VARIANCE_SCALING:
      result.value = std::sqrt(1 / static_cast<double>(fan_in)) / kTruncatedDeviation;
      break;
    default:
      break;
  }
  return result;
}

convoy_initializer resolve_constant(const convoy_initializer& given, double usual) {
  if (given.kind != CONVOY_INITIALIZE_DEFAULT) return given;
  return {CONVOY_INITIALIZE_CONSTANT, 0, usual};
}

std::vector<uint64_t> weight_dimensions(const GraphNode& node) {
  const convoy_layer& layer = node.layer;
  if (layer.kind == CONVOY_LAYER_FULLY_CONNECTED) return {layer.channels, node.input.elements()};
  return {layer.channels, node.input.channels / layer.groups, layer.kernel_height,
          layer.kernel_width};
}

class VariableList {
 public:
  void add(GraphNode& node, uint32_t node_index, int slot, GraphVariable variable) {
    variable.node = node_index;
    variable.elements = 1;
    for (const uint64_t dimension : variable.dimensions) variable.elements *= dimension;
    node.variables[slot] = static_cast<uint32_t>(variables_.size());
    variables_.push_back(std::move(variable));
  }
  std::vector<GraphVariable> take() { return std::move(variables_); }

 private:
  std::vector<GraphVariable> variables_;
};

void add_weights(VariableList& list, GraphNode& node, uint32_t index, uint32_t follower) {
  const bool convolution = node.layer.kind == CONVOY_LAYER_CONVOLUTION;
  GraphVariable weights;
  weights.name = node.name + (convolution ? "/kernel" : "/weights");
  weights.kind = CONVOY_VARIABLE_WEIGHTS;
  weights.dimensions = weight_dimensions(node);
  weights.fan_in = convolution
                       ? weights.dimensions[1] * weights.dimensions[2] * weights.dimensions[3]
                       : weights.dimensions[1];
  weights.decayed = true;
  weights.initializer = resolve_weights(node, weights.fan_in, follower);
  const double gain = follower == CONVOY_LAYER_RELU ? 24 : 12;
  weights.fill = {std::sqrt(gain / static_cast<double>(weights.fan_in)), 0};
  list.add(node, index, 0, std::move(weights));
  if ((node.layer.flags & CONVOY_LAYER_HAS_BIAS) == 0) return;
  GraphVariable bias;
  bias.name = node.name + "/biases";
  bias.kind = CONVOY_VARIABLE_OFFSETS;
  bias.dimensions = {node.layer.channels};
  bias.decayed = true;
  bias.initializer = resolve_constant(node.layer.bias, 0);
  bias.fill = {0.2, 0};
  list.add(node, index, 1, std::move(bias));
}

void add_gamma(VariableList& list, GraphNode& node, uint32_t index) {
  GraphVariable gamma;
  gamma.name = node.name + "/gamma";
  gamma.kind = CONVOY_VARIABLE_SCALES;
  gamma.dimensions = {node.output.channels};
  gamma.decayed = (node.layer.flags & CONVOY_LAYER_DECAYED) != 0;
  gamma.initializer = resolve_constant(node.layer.weights, 1);
  gamma.fill = {0.2, 1};
  list.add(node, index, 0, std::move(gamma));
}

void add_norm(VariableList& list, GraphNode& node, uint32_t index, uint32_t follower) {
  if ((node.layer.flags & CONVOY_LAYER_HAS_SCALE) != 0) add_gamma(list, node, index);
  GraphVariable beta;
  beta.name = node.name + "/beta";
  beta.kind = CONVOY_VARIABLE_OFFSETS;
  beta.dimensions = {node.output.channels};
  beta.decayed = (node.layer.flags & CONVOY_LAYER_DECAYED) != 0;
  beta.initializer = resolve_constant(node.layer.bias, 0);
  beta.fill = follower == CONVOY_LAYER_RELU ? HashFill{2, 1} : HashFill{0.2, 0};
  list.add(node, index, 1, std::move(beta));
}

// Adds a variable that is learned for the cells themselves: a class token or positions.
void add_cells(VariableList& list, GraphNode& node, uint32_t index, const char* name,
               std::vector<uint64_t> dimensions, const convoy_initializer& initializer) {
  GraphVariable cells;
  cells.name = node.name + name;
  cells.kind = CONVOY_VARIABLE_VALUES;
  cells.dimensions = std::move(dimensions);
  cells.initializer =
      node.layer.weights.kind == CONVOY_INITIALIZE_DEFAULT ? initializer : node.layer.weights;
  cells.fill = {0.2, 0};
  list.add(node, index, 0, std::move(cells));
}

void add_class_token(VariableList& list, GraphNode& node, uint32_t index) {
  add_cells(list, node, index, "/token", {node.output.channels},
            {CONVOY_INITIALIZE_CONSTANT, 0, 0});
}

void add_positions(VariableList& list, GraphNode& node, uint32_t index) {
  constexpr double kUsualDeviation = 0.02;
  add_cells(list, node, index, "/positions",
            {uint64_t{node.output.height} * node.output.width, node.output.channels},
            {CONVOY_INITIALIZE_TRUNCATED_NORMAL, 0, kUsualDeviation});
}

}  // namespace

std::vector<GraphVariable> create_variables(std::vector<GraphNode>& nodes) {
  const std::vector<uint32_t> followers = follower_kinds(nodes);
  VariableList list;
  for (uint32_t index = 0; index < nodes.size(); ++index) {
    GraphNode& node = nodes[index];
    const uint32_t kind = node.layer.kind;
    if (owns_weights(kind)) add_weights(list, node, index, followers[index]);
    if (kind == CONVOY_LAYER_BATCH_NORM || kind == CONVOY_LAYER_LAYER_NORM)
      add_norm(list, node, index, followers[index]);
    if (kind == CONVOY_LAYER_SCALE) add_gamma(list, node, index);
    if (kind == CONVOY_LAYER_CLASS_TOKEN) add_class_token(list, node, index);
    if (kind == CONVOY_LAYER_POSITION) add_positions(list, node, index);
  }
  return list.take();
}

}  // namespace convoy::graph
