#pragma once

#include <convoy/abi.h>

#include <cstdint>
#include <span>
#include <vector>

namespace convoy::graph {

// Some rows (indices of dimension 0) of a variable: where they lie in its storage, and their layout
// once these pieces are concatenated. With it, a variable is packed or unpacked a few rows at a
// time, in the plain order of its elements, without a second copy of all of it.
struct RowSlab {
  uint64_t first = 0;                // the first row
  convoy_layout layout{};            // the layout of the concatenated pieces
  std::vector<uint64_t> dimensions;  // the dimensions of these rows
  std::vector<convoy_range> pieces;  // ranges of the variable's storage, all of one size, ascending

  uint64_t elements() const;  // the number of elements without padding
};

// Cuts a variable into slabs of about `elements` elements of storage; at least one row block each.
std::vector<RowSlab> row_slabs(const convoy_layout& layout, std::span<const uint64_t> dimensions,
                               uint64_t elements);

}  // namespace convoy::graph
