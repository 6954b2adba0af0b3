#include "core/graph/row_slab.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "core/graph/layout.hpp"

namespace convoy::graph {
namespace {

struct SlabCase {
  const char* name;
  std::vector<uint64_t> dimensions;
  std::vector<uint64_t> outer_order;                  // dimensions by falling stride
  std::vector<std::pair<uint32_t, uint32_t>> blocks;  // dimension, size; outermost first
};

convoy_layout layout_of(const SlabCase& it) {
  convoy_layout layout{};
  layout.rank = static_cast<uint32_t>(it.dimensions.size());
  layout.elements = 1;
  std::vector<uint64_t> block(layout.rank, 1);
  for (const auto& [dimension, size] : it.blocks) {
    layout.inner_dimension[layout.inner_blocks] = dimension;
    layout.inner_size[layout.inner_blocks++] = size;
    block[dimension] *= size;
    layout.elements *= size;
  }
  for (auto d = it.outer_order.rbegin(); d != it.outer_order.rend(); ++d) {
    const uint64_t outer = (it.dimensions[*d] + block[*d] - 1) / block[*d];
    layout.padded[*d] = outer * block[*d];
    layout.strides[*d] = layout.elements;
    layout.elements *= outer;
  }
  return layout;
}

class RowSlabs : public ::testing::TestWithParam<SlabCase> {};

// Unpacks a variable slab by slab, as from a storage that is read in pieces.
std::vector<float> unpack_in_slabs(const convoy_layout& layout,
                                   const std::vector<uint64_t>& dimensions,
                                   const std::vector<float>& storage, uint64_t elements) {
  std::vector<float> result;
  for (const RowSlab& slab : row_slabs(layout, dimensions, elements)) {
    std::vector<float> together;
    for (const convoy_range& piece : slab.pieces)
      for (uint64_t i = 0; i < piece.count; ++i) together.push_back(storage.at(piece.first + i));
    EXPECT_EQ(together.size(), slab.layout.elements);
    EXPECT_EQ(layout_problem(slab.layout, slab.dimensions), "");
    std::vector<float> rows(slab.elements());
    unpack(slab.layout, slab.dimensions, together.data(), rows.data());
    result.insert(result.end(), rows.begin(), rows.end());
  }
  return result;
}

TEST_P(RowSlabs, ReadInOrderWhatTheStorageHolds) {
  const SlabCase& it = GetParam();
  const convoy_layout layout = layout_of(it);
  ASSERT_EQ(layout_problem(layout, it.dimensions), "");
  std::vector<float> plain(std::accumulate(it.dimensions.begin(), it.dimensions.end(), uint64_t{1},
                                           std::multiplies<>()));
  std::iota(plain.begin(), plain.end(), 1.0f);
  std::vector<float> storage(layout.elements);
  pack(layout, it.dimensions, plain.data(), storage.data());
  for (const uint64_t elements : {uint64_t{1}, layout.elements / 3, layout.elements})
    EXPECT_EQ(unpack_in_slabs(layout, it.dimensions, storage, elements), plain) << elements;
  EXPECT_EQ(row_slabs(layout, it.dimensions, layout.elements).size(), 1u);
}

TEST_P(RowSlabs, AreNoLargerThanAskedForExceptForOneBlockOfRows) {
  const convoy_layout layout = layout_of(GetParam());
  const uint64_t wanted = layout.elements / 2;
  const std::vector<RowSlab> slabs = row_slabs(layout, GetParam().dimensions, wanted);
  const std::vector<RowSlab> least = row_slabs(layout, GetParam().dimensions, 1);
  for (const RowSlab& slab : slabs)
    EXPECT_LE(slab.layout.elements, std::max(wanted, least.front().layout.elements));
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, RowSlabs,
    ::testing::Values(SlabCase{"Plain", {12, 5, 3, 3}, {0, 1, 2, 3}, {}},
                      SlabCase{"Transposed", {12, 7}, {1, 0}, {}},
                      SlabCase{"RowsBetween", {12, 5, 3, 3}, {2, 0, 1, 3}, {}},
                      SlabCase{"RowsInnermost", {12, 5, 3, 3}, {2, 3, 1, 0}, {}},
                      SlabCase{"BlockedRows", {37, 6, 3, 3}, {0, 1, 2, 3}, {{0, 8}}},
                      SlabCase{"BlockedRowsInside", {37, 6}, {1, 0}, {{0, 8}}},
                      SlabCase{"BlockedBoth", {37, 11, 3, 3}, {0, 1, 2, 3}, {{1, 8}, {0, 8}}},
                      SlabCase{"OneBlockOfRows", {5, 11}, {1, 0}, {{1, 4}, {0, 8}}},
                      SlabCase{"Bias", {37}, {0}, {}}),
    [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace convoy::graph
