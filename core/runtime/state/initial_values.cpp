#include "core/runtime/state/initial_values.hpp"

#include <algorithm>

#include "core/base/numbers/hash_fill.hpp"
#include "core/train/initializer.hpp"

namespace convoy::runtime {

std::vector<float> initial_variable(const graph::Graph& graph, std::uint32_t index,
                                    std::uint64_t seed, bool hash, int threads) {
  const graph::GraphVariable& variable = graph.variables()[index];
  std::vector<float> plain(variable.elements);
  if (hash) {
    for (std::uint32_t e = 0; e < variable.elements; ++e)
      plain[e] = hash_fill(index + 1, static_cast<std::uint32_t>(seed), e, variable.fill.scale,
                           variable.fill.offset);
  } else {
    train::initialize(variable.initializer, variable.fan_in, seed, index, plain, threads);
  }
  return plain;
}

std::vector<float> initial_state(const graph::Graph& graph) {
  std::vector<float> state(graph.state_elements(), 0.0f);
  for (const graph::GraphNode& node : graph.nodes()) {
    if (node.layer.kind != CONVOY_LAYER_BATCH_NORM) continue;
    const auto variance =
        state.begin() + static_cast<std::ptrdiff_t>(node.state_first) + node.output.channels;
    std::fill_n(variance, node.output.channels, 1.0f);
  }
  return state;
}

}  // namespace convoy::runtime
