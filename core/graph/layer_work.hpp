#pragma once

#include <convoy/abi.h>

#include <cstdint>

#include "core/graph/graph.hpp"

namespace convoy::graph {

// What a layer's pass has to do for a whole batch, from its shapes alone, whatever implements it.
struct LayerWork {
  double flops = 0;  // two per multiply-add; convolutions, fully connected layers and attention
  double bytes = 0;  // every tensor read once and written once, 4 bytes per element
};

LayerWork layer_work(const Graph& graph, std::uint32_t node, std::uint32_t batch, convoy_pass pass);

// Whether variables lie before the node, so that its backward data pass is needed, per node.
std::vector<bool> nodes_behind_variables(const Graph& graph);

// Bytes that a training step must move besides convolutions and fully connected layers, however
// well its passes are fused: batch norm 2 + 3 tensors, with any relu or addition behind it only the
// addition's other operand forward and backward; relus behind other layers, sigmoid and its like
// nothing forward and 3 backward; pools, dropout, products and other norms as layer_work(); concats
// nothing (producers can write to the result). The update reads gradients, parameters and state and
// writes the last two.
double unavoidable_bytes(const Graph& graph, std::uint32_t batch, std::uint32_t state_slots);

}  // namespace convoy::graph
