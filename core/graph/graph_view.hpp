#pragma once

#include <convoy/abi.h>

#include <vector>

#include "core/graph/arena.hpp"
#include "core/graph/graph.hpp"

namespace convoy::graph {

// A graph and its arena as the C tables that devices receive. It owns copies, so the tables live
// exactly as long as this object and keep their addresses.
class GraphView {
 public:
  GraphView(Graph graph, const Arena& arena);
  GraphView(const GraphView&) = delete;
  GraphView& operator=(const GraphView&) = delete;

  const convoy_graph* c_graph() const { return &c_graph_; }

 private:
  void fill_nodes();
  void fill_variables(const Arena& arena);

  Graph graph_;
  std::vector<convoy_layer> layers_;
  std::vector<convoy_node> nodes_;
  std::vector<convoy_graph_variable> variables_;
  std::vector<const convoy_node*> node_pointers_;
  std::vector<const convoy_graph_variable*> variable_pointers_;
  convoy_graph c_graph_{};
};

}  // namespace convoy::graph
