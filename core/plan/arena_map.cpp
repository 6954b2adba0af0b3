#include "core/plan/arena_map.hpp"

#include <algorithm>

namespace convoy::plan {

std::string ArenaMap::variable_at(std::uint64_t element) const {
  const auto after = std::upper_bound(
      variables.begin(), variables.end(), element,
      [](std::uint64_t at, const VariableRange& variable) { return at < variable.range.first; });
  if (after == variables.begin()) return "padding";
  const VariableRange& variable = *std::prev(after);
  return element < variable.range.first + variable.range.count ? variable.name : "padding";
}

std::uint64_t bucket_size(std::uint64_t elements) {
  constexpr std::uint64_t kAlignment = 16;  // elements of f32 in a cache line
  return std::max(kAlignment, (elements + kAlignment - 1) / kAlignment * kAlignment);
}

std::vector<ElementRange> make_buckets(std::uint64_t arena_elements, std::uint64_t elements) {
  const std::uint64_t size = bucket_size(elements == 0 ? arena_elements : elements);
  std::vector<ElementRange> buckets;
  for (std::uint64_t first = 0; first < arena_elements; first += size)
    buckets.push_back({first, std::min(size, arena_elements - first)});
  return buckets;
}

std::vector<ElementRange> variable_buckets(const ArenaMap& arena) {
  std::vector<ElementRange> buckets;
  for (std::size_t i = 0; i < arena.variables.size(); ++i) {
    const std::uint64_t first = i == 0 ? 0 : arena.variables[i].range.first;
    const bool last = i + 1 == arena.variables.size();
    const std::uint64_t end = last ? arena.elements : arena.variables[i + 1].range.first;
    buckets.push_back({first, end - first});
  }
  return buckets;
}

}  // namespace convoy::plan
