#include "core/graph/arena.hpp"

#include <utility>

#include "core/base/error.hpp"
#include "core/base/numbers/fnv.hpp"
#include "core/graph/layout.hpp"

namespace convoy::graph {
namespace {

std::vector<convoy_layout> plain_layouts(const Graph& graph) {
  std::vector<convoy_layout> layouts;
  for (const GraphVariable& variable : graph.variables())
    layouts.push_back(plain_layout(variable.dimensions));
  return layouts;
}

uint64_t align(uint64_t elements) {
  return (elements + Arena::kAlignment - 1) / Arena::kAlignment * Arena::kAlignment;
}

}  // namespace

Arena::Arena(const Graph& graph) : Arena(graph, plain_layouts(graph)) {}

Arena::Arena(const Graph& graph, std::vector<convoy_layout> layouts)
    : layouts_(std::move(layouts)),
      first_(layouts_.size()),
      segments_(graph.segment_count(), convoy_range{0, 0}) {
  CONVOY_CHECK_EQ(layouts_.size(), graph.variables().size());
  for (size_t variable = layouts_.size(); variable-- > 0;) {
    const GraphVariable& what = graph.variables()[variable];
    const std::string problem = layout_problem(layouts_[variable], what.dimensions);
    if (!problem.empty())
      fail(ExitCode::kUnavailable, "the layout that the device proposes for {} is unusable: {}",
           what.name, problem);
    plain_ = plain_ && is_plain(layouts_[variable], what.dimensions);
    first_[variable] = elements_;
    convoy_range& segment = segments_[graph.segment_of(variable)];
    if (segment.count == 0) segment.first = elements_;
    elements_ += align(layouts_[variable].elements);
    segment.count = elements_ - segment.first;
  }
}

const convoy_layout& Arena::layout(uint64_t variable) const {
  CONVOY_CHECK_LT(variable, layouts_.size());
  return layouts_[variable];
}

convoy_range Arena::range(uint64_t variable) const {
  CONVOY_CHECK_LT(variable, layouts_.size());
  return {first_[variable], layouts_[variable].elements};
}

convoy_range Arena::segment_range(uint64_t segment) const {
  CONVOY_CHECK_LT(segment, segments_.size());
  return segments_[segment];
}

uint64_t Arena::hash() const {
  Fnv1a64 hash;  // hash of the layouts; offsets follow from them
  for (const convoy_layout& layout : layouts_) hash.add_word(hash_layout(layout));
  return hash.value();
}

std::vector<convoy_decay_range> decayed_ranges(const Graph& graph, const Arena& arena) {
  std::vector<convoy_decay_range> ranges;
  for (std::size_t i = graph.variables().size(); i-- > 0;) {
    if (!graph.variables()[i].decayed) continue;
    const convoy_range range = arena.range(i);
    ranges.push_back({range.first, range.count});
  }
  return ranges;
}

}  // namespace convoy::graph
