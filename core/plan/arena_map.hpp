#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/plan/operation.hpp"

namespace convoy::plan {

struct VariableRange {
  std::string name;
  ElementRange range{};  // padding included
  std::uint64_t elements = 0;
  std::uint64_t layer = 0;
  std::uint32_t kind = CONVOY_VARIABLE_UNKNOWN;
  std::vector<std::uint64_t> dimensions = {};  // at most 4
  std::uint64_t matrix_rows = 0;               // see convoy_variable
  std::uint64_t matrix_columns = 0;
};

// Layers that run as one forward and one backward operation, and the arena range of their
// variables.
struct Segment {
  std::uint64_t first_layer = 0;
  std::uint64_t layer_count = 0;
  ElementRange range{};
};

// The data about a model for planning: variables in arena order (the order in which their gradients
// appear), segments in forward order (their ranges descend in the arena), buckets in arena order.
struct ArenaMap {
  std::uint64_t elements = 0;
  std::vector<VariableRange> variables;
  std::vector<Segment> segments;
  std::vector<ElementRange> buckets;

  // Returns the name of the variable that holds this element, or "padding".
  std::string variable_at(std::uint64_t element) const;
  std::uint64_t layers() const {
    return segments.empty() ? 0 : segments.back().first_layer + segments.back().layer_count;
  }
};

// Rounds the number of elements of a bucket up to a multiple of 16, at which buckets begin and end.
std::uint64_t bucket_size(std::uint64_t elements);
// Cuts the arena into such buckets; the last one may be smaller. One bucket when 0 is given.
std::vector<ElementRange> make_buckets(std::uint64_t arena_elements, std::uint64_t elements);
// Returns one bucket per variable, with the padding behind it.
std::vector<ElementRange> variable_buckets(const ArenaMap& arena);

}  // namespace convoy::plan
