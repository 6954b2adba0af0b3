#pragma once

#include "core/graph/arena.hpp"
#include "core/graph/graph.hpp"
#include "core/plan/arena_map.hpp"

namespace convoy::runtime {

// The data for planning of a model whose storage is decided: variables in arena order, segments in
// forward order, buckets of about bucket_elements (0: one bucket).
plan::ArenaMap make_arena_map(const graph::Graph& graph, const graph::Arena& arena,
                              std::uint64_t bucket_elements);

}  // namespace convoy::runtime
