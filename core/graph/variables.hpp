#pragma once

#include <vector>

#include "core/graph/graph.hpp"

namespace convoy::graph {

// Creates the variables of all nodes in creation order (weights before bias, gamma before beta) and
// notes their indices in the nodes. Names are <layer>/kernel or weights, biases, gamma, beta.
std::vector<GraphVariable> create_variables(std::vector<GraphNode>& nodes);

}  // namespace convoy::graph
