#pragma once

#include <convoy/abi.h>

namespace convoy::cuda {

// Proposes the storage that CUDA devices read directly: filters of convolutions as
// [output][row][column][input], everything else plain. It only computes.
void propose_layouts(const convoy_graph& graph, convoy_layout* out);

// Whether a filter is stored in that order, apart from padding.
bool is_channels_last(const convoy_graph_variable& variable);

}  // namespace convoy::cuda
