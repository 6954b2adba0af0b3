#include "core/runtime/model_map.hpp"

#include "core/graph/layout.hpp"

namespace convoy::runtime {
plan::ArenaMap make_arena_map(const graph::Graph& graph, const graph::Arena& arena,
                              std::uint64_t bucket_elements) {
  plan::ArenaMap map;
  map.elements = arena.elements();
  for (std::size_t i = graph.variables().size(); i-- > 0;) {
    const graph::GraphVariable& variable = graph.variables()[i];
    const std::uint64_t end = i == 0 ? arena.elements() : arena.range(i - 1).first;
    const std::uint64_t first = arena.range(i).first;
    const auto [rows, columns] = graph::stored_matrix(arena.layout(i));
    map.variables.push_back({variable.name,
                             {first, end - first},
                             variable.elements,
                             variable.node,
                             variable.kind,
                             variable.dimensions,
                             rows,
                             columns});
  }
  map.segments.resize(graph.segment_count());
  for (std::size_t node = 0; node < graph.nodes().size(); ++node) {
    plan::Segment& segment = map.segments[graph.nodes()[node].segment];
    if (segment.layer_count++ == 0) segment.first_layer = node;
  }
  for (std::size_t i = 0; i < map.segments.size(); ++i)
    map.segments[i].range = arena.segment_range(i);
  map.buckets = plan::make_buckets(map.elements, bucket_elements);
  return map;
}

}  // namespace convoy::runtime
