#include "core/graph/graph_view.hpp"

#include <convoy/sized.hpp>

#include <algorithm>
#include <utility>

namespace convoy::graph {

GraphView::GraphView(Graph graph, const Arena& arena) : graph_(std::move(graph)) {
  fill_nodes();
  fill_variables(arena);
  for (const convoy_node& node : nodes_) node_pointers_.push_back(&node);
  for (const convoy_graph_variable& variable : variables_) variable_pointers_.push_back(&variable);
  c_graph_.struct_size = sizeof(c_graph_);
  c_graph_.nodes = node_pointers_.data();
  c_graph_.node_count = node_pointers_.size();
  c_graph_.variables = variable_pointers_.data();
  c_graph_.variable_count = variable_pointers_.size();
  c_graph_.arena_elements = arena.elements();
  c_graph_.state_elements = graph_.state_elements();
  c_graph_.segment_count = graph_.segment_count();
}

void GraphView::fill_nodes() {
  layers_.reserve(graph_.nodes().size());  // nodes point into it
  for (const GraphNode& node : graph_.nodes()) {
    convoy_layer layer = node.layer;
    layer.name = node.name.c_str();
    layer.inputs = node.inputs.data();
    layers_.push_back(layer);
    auto view = make_sized<convoy_node>();
    view.layer = &layers_.back();
    view.channels = node.output.channels;
    view.height = node.output.height;
    view.width = node.output.width;
    view.pad_top = node.rows.before;
    view.pad_bottom = node.rows.after;
    view.pad_left = node.columns.before;
    view.pad_right = node.columns.after;
    view.variables[0] = node.variables[0];
    view.variables[1] = node.variables[1];
    view.segment = node.segment;
    view.state_first = node.state_first;
    nodes_.push_back(view);
  }
}

void GraphView::fill_variables(const Arena& arena) {
  for (uint64_t index = 0; index < graph_.variables().size(); ++index) {
    const GraphVariable& variable = graph_.variables()[index];
    auto view = make_sized<convoy_graph_variable>();
    view.name = variable.name.c_str();
    view.rank = static_cast<uint32_t>(variable.dimensions.size());
    view.decayed = variable.decayed ? 1 : 0;
    std::ranges::copy(variable.dimensions, view.dimensions);
    view.elements = variable.elements;
    view.arena_first = arena.range(index).first;
    view.layout = arena.layout(index);
    variables_.push_back(view);
  }
}

}  // namespace convoy::graph
