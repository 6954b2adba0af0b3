#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/arena.hpp"
#include "core/graph/graph.hpp"

namespace convoy::testing {

// The first values of all variables as a session has them, each in its storage, padding zero.
std::vector<float> initial_parameters(const Graph& graph, const Arena& arena, std::uint64_t seed,
                                      bool hash, int threads);

}  // namespace convoy::testing
