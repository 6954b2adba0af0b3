#pragma once

#include <convoy/abi.h>

#include <cstdint>

#include "core/graph/graph.hpp"

namespace convoy::graph {

// The work of a layer's pass for a whole batch. It follows from the shapes alone, whatever
// implements the pass.
struct LayerWork {
  double flops = 0;  // two per multiply-add; convolutions, fully connected layers and attention
  double bytes = 0;  // every tensor read once and written once, 4 bytes per element
};

LayerWork layer_work(const Graph& graph, std::uint32_t node, std::uint32_t batch, convoy_pass pass);

// Returns, per node, whether variables lie before it, so that its backward data pass is needed.
std::vector<bool> nodes_behind_variables(const Graph& graph);

// Returns the bytes that a training step must move besides convolutions and fully connected layers,
// however well its passes are fused. Batch norm moves 2 + 3 tensors. A relu or addition behind it
// moves only the addition's other operand, forward and backward. Relus behind other layers, sigmoid
// and similar layers move nothing forward and 3 tensors backward. Pools, dropout, products and
// other norms move what layer_work() says. Concats move nothing, because producers can write to the
// result. The update reads gradients, parameters and state, and writes the last two.
double unavoidable_bytes(const Graph& graph, std::uint32_t batch, std::uint32_t state_slots);

}  // namespace convoy::graph
