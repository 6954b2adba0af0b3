#include "plugins/devices/cuda/programs/propose_layouts.hpp"

#include <algorithm>
#include <cstdint>

namespace convoy::cuda {
namespace {

// Arranges the dimensions from the outermost to the innermost in memory.
void arrange(const convoy_graph_variable& variable, const std::uint32_t* order,
             convoy_layout& out) {
  std::copy_n(variable.dimensions, variable.rank, out.padded);
  std::uint64_t inner = 1;
  for (std::uint32_t i = variable.rank; i-- > 1;) {
    out.strides[order[i]] = inner;
    inner *= variable.dimensions[order[i]];
  }
  out.strides[order[0]] = inner;
  out.elements = variable.elements;
}

}  // namespace

void propose_layouts(const convoy_graph& graph, convoy_layout* out) {
  constexpr std::uint32_t kPlain[] = {0, 1, 2, 3};
  constexpr std::uint32_t kChannelsLast[] = {0, 2, 3, 1};
  for (std::uint64_t i = 0; i < graph.variable_count; ++i) {
    const convoy_graph_variable& variable = *graph.variables[i];
    out[i] = {};
    out[i].rank = variable.rank;
    arrange(variable, variable.rank == 4 ? kChannelsLast : kPlain, out[i]);
  }
}

bool is_channels_last(const convoy_graph_variable& variable) {
  const std::uint64_t* size = variable.dimensions;  // OIHW
  const convoy_layout& layout = variable.layout;
  // The stride of a dimension of size 1 has no meaning.
  const auto fits = [&](int dimension, std::uint64_t stride) {
    return size[dimension] == 1 || layout.strides[dimension] == stride;
  };
  return layout.inner_blocks == 0 && fits(0, size[1] * size[2] * size[3]) && fits(1, 1) &&
         fits(2, size[3] * size[1]) && fits(3, size[1]);
}

}  // namespace convoy::cuda
