#include "tests/runtime/initial_parameters.hpp"

#include "core/graph/layout.hpp"
#include "core/runtime/state/initial_values.hpp"

namespace convoy::testing {

std::vector<float> initial_parameters(const Graph& graph, const Arena& arena, std::uint64_t seed,
                                      bool hash, int threads) {
  std::vector<float> result(arena.elements(), 0.0f);
  for (std::uint32_t i = 0; i < graph.variables().size(); ++i)
    pack(arena.layout(i), graph.variables()[i].dimensions,
         runtime::initial_variable(graph, i, seed, hash, threads).data(),
         result.data() + arena.range(i).first);
  return result;
}

}  // namespace convoy::testing
