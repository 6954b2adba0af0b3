#include "core/graph/layer_work.hpp"

#include "core/graph/layer_traits.hpp"

namespace convoy::graph {
namespace {

constexpr double kBytes = 4;

double elements_of_inputs(const Graph& graph, const GraphNode& node) {
  double sum = 0;
  for (const std::uint32_t input : node.inputs)
    sum += static_cast<double>(graph.nodes()[input].output.elements());
  return sum;
}

double variable_elements(const Graph& graph, const GraphNode& node) {
  double sum = 0;
  for (const std::uint32_t variable : node.variables)
    if (variable != CONVOY_NONE) sum += static_cast<double>(graph.variables()[variable].elements);
  return sum;
}

bool behind_batch_norm(const Graph& graph, const GraphNode& node) {
  const std::uint32_t kind = graph.nodes()[node.inputs.at(0)].layer.kind;
  return kind == CONVOY_LAYER_BATCH_NORM || kind == CONVOY_LAYER_ADD;
}

double unavoidable_of_node(const Graph& graph, std::uint32_t index, std::uint32_t batch) {
  const GraphNode& node = graph.nodes()[index];
  const double output = kBytes * batch * static_cast<double>(node.output.elements());
  switch (find_layer_traits(node.layer.kind)->traffic) {
    case LayerTraffic::kOperand:
      return 2 * output;
    case LayerTraffic::kBackward:
      return node.layer.kind == CONVOY_LAYER_RELU && behind_batch_norm(graph, node) ? 0
                                                                                    : 3 * output;
    case LayerTraffic::kPasses:
      return layer_work(graph, index, batch, CONVOY_PASS_FORWARD).bytes +
             layer_work(graph, index, batch, CONVOY_PASS_BACKWARD_DATA).bytes;
    case LayerTraffic::kNothing:
      break;
  }
  return 0;
}

}  // namespace

LayerWork layer_work(const Graph& graph, std::uint32_t node, std::uint32_t batch,
                     convoy_pass pass) {
  const GraphNode& it = graph.nodes().at(node);
  const double input = elements_of_inputs(graph, it) * batch;
  const double output = static_cast<double>(it.output.elements()) * batch;
  if (owns_weights(it.layer.kind))
    return {2.0 * static_cast<double>(it.multiply_adds) * batch,
            kBytes * (input + output + variable_elements(graph, it))};
  const bool forward = pass == CONVOY_PASS_FORWARD;
  const bool reads_more =
      !forward && (find_layer_traits(it.layer.kind)->properties & kReadsForward) != 0;
  // Attention: two products backward for each one forward. Other layers have no multiply-adds.
  const double flops = (forward ? 2.0 : 4.0) * static_cast<double>(it.multiply_adds) * batch;
  return {flops, kBytes * (reads_more ? 2 * input + output : input + output)};
}

std::vector<bool> nodes_behind_variables(const Graph& graph) {
  std::vector<bool> behind(graph.nodes().size());
  for (std::size_t i = 0; i < behind.size(); ++i)
    for (const std::uint32_t input : graph.nodes()[i].inputs)
      if (behind[input] || graph.nodes()[input].variables[0] != CONVOY_NONE ||
          graph.nodes()[input].variables[1] != CONVOY_NONE)
        behind[i] = true;
  return behind;
}

double unavoidable_bytes(const Graph& graph, std::uint32_t batch, std::uint32_t state_slots) {
  double bytes = kBytes * static_cast<double>(graph.parameter_count()) * (3 + 2 * state_slots);
  for (std::uint32_t i = 0; i < graph.nodes().size(); ++i)
    bytes += unavoidable_of_node(graph, i, batch);
  return bytes;
}

}  // namespace convoy::graph
