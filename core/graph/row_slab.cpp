#include "core/graph/row_slab.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace convoy::graph {
namespace {

uint64_t block_rows(const convoy_layout& layout) {
  uint64_t rows = 1;
  for (uint32_t i = 0; i < layout.inner_blocks; ++i)
    if (layout.inner_dimension[i] == 0) rows *= layout.inner_size[i];
  return rows;
}

// Number of steps of size strides[d] that the storage has in dimension d.
uint64_t outer_count(const convoy_layout& layout, uint32_t d) {
  uint64_t block = 1;
  for (uint32_t i = 0; i < layout.inner_blocks; ++i)
    if (layout.inner_dimension[i] == d) block *= layout.inner_size[i];
  return layout.padded[d] / block;
}

// Storage is dense: dimensions with larger strides than the rows' one are outside of the rows, the
// others inside. So the rows are one piece per index of the outer dimensions. Returns where these
// pieces start.
std::vector<uint64_t> piece_starts(const convoy_layout& layout) {
  std::vector<uint64_t> starts{0};
  for (uint32_t d = 1; d < layout.rank; ++d) {
    if (layout.strides[d] <= layout.strides[0]) continue;
    std::vector<uint64_t> next;
    for (const uint64_t start : starts)
      for (uint64_t i = 0; i < outer_count(layout, d); ++i)
        next.push_back(start + i * layout.strides[d]);
    starts = std::move(next);
  }
  std::sort(starts.begin(), starts.end());
  return starts;
}

RowSlab slab_of(const convoy_layout& layout, std::span<const uint64_t> dimensions,
                const std::vector<uint64_t>& starts, uint64_t first, uint64_t rows) {
  const uint64_t block = block_rows(layout);
  const uint64_t blocks = (std::min(first + rows, layout.padded[0]) - first) / block;
  RowSlab slab{first, layout, {dimensions.begin(), dimensions.end()}, {}};
  slab.dimensions[0] = std::min(rows, dimensions[0] - first);
  slab.layout.padded[0] = blocks * block;
  for (uint32_t d = 1; d < layout.rank; ++d)
    if (layout.strides[d] > layout.strides[0])
      slab.layout.strides[d] = layout.strides[d] / outer_count(layout, 0) * blocks;
  slab.layout.elements = layout.elements / outer_count(layout, 0) * blocks;
  const uint64_t size = slab.layout.elements / starts.size();
  for (const uint64_t start : starts)
    slab.pieces.push_back({start + first / block * layout.strides[0], size});
  return slab;
}

}  // namespace

uint64_t RowSlab::elements() const {
  return std::accumulate(dimensions.begin(), dimensions.end(), uint64_t{1}, std::multiplies<>());
}

std::vector<RowSlab> row_slabs(const convoy_layout& layout, std::span<const uint64_t> dimensions,
                               uint64_t elements) {
  if (outer_count(layout, 0) == 1 || layout.elements <= elements)
    return {{0, layout, {dimensions.begin(), dimensions.end()}, {{0, layout.elements}}}};
  const uint64_t block = block_rows(layout);
  const uint64_t block_elements = layout.elements / outer_count(layout, 0);
  const uint64_t rows = std::max<uint64_t>(1, elements / block_elements) * block;
  const std::vector<uint64_t> starts = piece_starts(layout);
  std::vector<RowSlab> slabs;
  for (uint64_t first = 0; first < dimensions[0]; first += rows)
    slabs.push_back(slab_of(layout, dimensions, starts, first, rows));
  return slabs;
}

}  // namespace convoy::graph
