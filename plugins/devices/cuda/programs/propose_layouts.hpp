#pragma once

#include <convoy/abi.h>

namespace convoy::cuda {

// Storage that CUDA devices read as it is: filters of convolutions as [output][row][column][input],
// everything else plain. Pure.
void propose_layouts(const convoy_graph& graph, convoy_layout* out);

// Whether a filter is stored so, but for the padding.
bool is_channels_last(const convoy_graph_variable& variable);

}  // namespace convoy::cuda
