#pragma once

#include <vector>

#include "core/graph/arena.hpp"
#include "core/graph/graph.hpp"

namespace convoy {

// Every variable's first values in its storage, padding zero. With `hash`, the reference fill that
// other programs can reproduce bit for bit (key = creation index + 1), else the layers' own
// initialisers. Depends on nothing but the arguments; not on `threads`.
std::vector<float> initial_parameters(const Graph& graph, const Arena& arena, std::uint64_t seed,
                                      bool hash, int threads);

// Batch norm statistics before the first step: means 0, variances 1.
std::vector<float> initial_state(const Graph& graph);

}  // namespace convoy
