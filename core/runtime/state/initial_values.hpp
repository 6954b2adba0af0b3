#pragma once

#include <vector>

#include "core/graph/arena.hpp"
#include "core/graph/graph.hpp"

namespace convoy::runtime {

// A variable's first values, plain (OIHW, OI or N). With `hash`, the reference fill that other
// programs can reproduce bit for bit (key = creation index + 1), else the layer's own initialiser.
// Depends on nothing but the arguments; not on `threads`.
std::vector<float> initial_variable(const graph::Graph& graph, std::uint32_t index,
                                    std::uint64_t seed, bool hash, int threads);

// Batch norm statistics before the first step: means 0, variances 1.
std::vector<float> initial_state(const graph::Graph& graph);

}  // namespace convoy::runtime
