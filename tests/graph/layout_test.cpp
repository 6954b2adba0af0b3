#include "core/graph/layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace convoy::graph {
namespace {

using Dimensions = std::vector<uint64_t>;

// O and I in blocks of 8 each, as OIhw8i8o: inside a block, o runs fastest.
convoy_layout blocked_both(uint64_t o, uint64_t i, uint64_t h, uint64_t w) {
  convoy_layout layout{};
  layout.rank = 4;
  layout.inner_blocks = 2;
  layout.inner_dimension[0] = 1;
  layout.inner_dimension[1] = 0;
  layout.inner_size[0] = layout.inner_size[1] = 8;
  const uint64_t padded[] = {(o + 7) / 8 * 8, (i + 7) / 8 * 8, h, w};
  std::copy_n(padded, 4, layout.padded);
  layout.strides[3] = 64;
  layout.strides[2] = 64 * w;
  layout.strides[1] = 64 * w * h;
  layout.strides[0] = 64 * w * h * (padded[1] / 8);
  layout.elements = padded[0] * padded[1] * h * w;
  return layout;
}

// O in blocks of 8, the rest as written: Ohwi8o.
convoy_layout blocked_output(uint64_t o, uint64_t i, uint64_t h, uint64_t w) {
  convoy_layout layout{};
  layout.rank = 4;
  layout.inner_blocks = 1;
  layout.inner_dimension[0] = 0;
  layout.inner_size[0] = 8;
  const uint64_t padded[] = {(o + 7) / 8 * 8, i, h, w};
  std::copy_n(padded, 4, layout.padded);
  layout.strides[1] = 8;
  layout.strides[3] = 8 * i;
  layout.strides[2] = 8 * i * w;
  layout.strides[0] = 8 * i * w * h;
  layout.elements = padded[0] * i * h * w;
  return layout;
}

std::vector<float> numbered(uint64_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 1.0f);
  return values;
}

uint64_t product(const Dimensions& dimensions) {
  return std::accumulate(dimensions.begin(), dimensions.end(), uint64_t{1}, std::multiplies<>());
}

// Where pack() puts the element of this index.
uint64_t stored_at(const convoy_layout& layout, const Dimensions& dimensions,
                   const Dimensions& index) {
  uint64_t row_major = 0;
  for (std::size_t d = 0; d < index.size(); ++d) row_major = row_major * dimensions[d] + index[d];
  std::vector<float> plain(product(dimensions), 1.0f);
  plain[row_major] = 2.0f;
  std::vector<float> storage(layout.elements);
  pack(layout, dimensions, plain.data(), storage.data());
  return static_cast<uint64_t>(std::ranges::find(storage, 2.0f) - storage.begin());
}

TEST(Layout, PlainIsRowMajor) {
  const Dimensions dimensions = {2, 3, 5, 7};
  const convoy_layout layout = plain_layout(dimensions);
  EXPECT_EQ(layout.elements, 210u);
  EXPECT_TRUE(is_plain(layout, dimensions));
  EXPECT_EQ(layout_problem(layout, dimensions), "");
  EXPECT_EQ(stored_at(layout, dimensions, {1, 2, 3, 4}), 1u * 105 + 2 * 35 + 3 * 7 + 4);
}

TEST(Layout, PaddedRowsAreNotPlain) {
  const Dimensions padded = {8, 4};
  EXPECT_FALSE(is_plain(plain_layout(padded), Dimensions{6, 4}));
}

TEST(Layout, BlockedOffsetsFollowTheDefinition) {
  const convoy_layout both = blocked_both(16, 16, 3, 3);
  // o = 8 + 2, i = 8 + 5: second blocks, then 5 rows of 8 and 2.
  EXPECT_EQ(stored_at(both, {16, 16, 3, 3}, {10, 13, 1, 2}),
            both.strides[0] + both.strides[1] + both.strides[2] + 2 * both.strides[3] + 5 * 8 + 2);
  const convoy_layout output = blocked_output(16, 3, 11, 11);
  EXPECT_EQ(stored_at(output, {16, 3, 11, 11}, {9, 2, 4, 6}),
            uint64_t{8} * 3 * 121 + 4 * 8 * 3 * 11 + 6 * 8 * 3 + 2 * 8 + 1);
}

TEST(Layout, DimensionMayBeSplitTwice) {
  // I in an outer block of 2 and an inner one of 2 around O's 2: i2 o2 i2.
  convoy_layout layout{};
  layout.rank = 2;
  layout.inner_blocks = 3;
  layout.inner_dimension[0] = layout.inner_dimension[2] = 1;
  layout.inner_dimension[1] = 0;
  layout.inner_size[0] = layout.inner_size[1] = layout.inner_size[2] = 2;
  layout.padded[0] = 2;
  layout.padded[1] = 4;
  layout.strides[0] = layout.strides[1] = 8;
  layout.elements = 8;
  const Dimensions dimensions = {2, 4};
  ASSERT_EQ(layout_problem(layout, dimensions), "");
  std::vector<float> storage(8);
  pack(layout, dimensions, numbered(8).data(), storage.data());
  EXPECT_THAT(storage, testing::ElementsAre(1, 2, 5, 6, 3, 4, 7, 8));
}

class LayoutRoundTrip : public testing::TestWithParam<std::pair<convoy_layout, Dimensions>> {};

TEST_P(LayoutRoundTrip, PacksEveryElementOnceAndZeroesThePadding) {
  const auto& [layout, dimensions] = GetParam();
  ASSERT_EQ(layout_problem(layout, dimensions), "");
  const std::vector<float> plain = numbered(product(dimensions));
  std::vector<float> storage(layout.elements, -1.0f);
  pack(layout, dimensions, plain.data(), storage.data());
  EXPECT_EQ(std::ranges::count(storage, 0.0f), layout.elements - plain.size());
  EXPECT_EQ(std::ranges::count(storage, -1.0f), 0);
  std::vector<float> back(plain.size());
  unpack(layout, dimensions, storage.data(), back.data());
  EXPECT_EQ(back, plain);
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, LayoutRoundTrip,
    testing::Values(std::pair{blocked_both(16, 24, 3, 3), Dimensions{16, 24, 3, 3}},
                    std::pair{blocked_both(10, 3, 2, 5), Dimensions{10, 3, 2, 5}},
                    std::pair{blocked_output(64, 3, 11, 11), Dimensions{64, 3, 11, 11}},
                    std::pair{blocked_output(13, 3, 7, 7), Dimensions{13, 3, 7, 7}},
                    std::pair{plain_layout(Dimensions{5, 9}), Dimensions{5, 9}},
                    std::pair{plain_layout(Dimensions{17}), Dimensions{17}}));

TEST(Layout, IsAMatrixByRowsWhereTheFewestRowsAndColumnsAre) {
  using Shape = std::pair<uint64_t, uint64_t>;
  EXPECT_EQ(stored_matrix(plain_layout(Dimensions{64, 32, 3, 3})), Shape(64, 288));
  EXPECT_EQ(stored_matrix(plain_layout(Dimensions{10, 84})), Shape(10, 84));
  EXPECT_EQ(stored_matrix(plain_layout(Dimensions{84})), Shape(0, 0));
  EXPECT_EQ(stored_matrix(plain_layout(Dimensions{1, 84, 1, 1})), Shape(0, 0));
  // 2 x 4 outer blocks, 3 x 3, then 8 x 8 inside: 72 rows of 64.
  EXPECT_EQ(stored_matrix(blocked_both(16, 32, 3, 3)), Shape(72, 64));
}

TEST(Layout, EqualityAndHashIgnoreUnusedFields) {
  const convoy_layout layout = blocked_both(16, 16, 3, 3);
  convoy_layout same = layout;
  same.inner_size[3] = 99;
  EXPECT_TRUE(same_layout(layout, same));
  EXPECT_EQ(hash_layout(layout), hash_layout(same));
  const convoy_layout other = blocked_output(16, 16, 3, 3);
  EXPECT_FALSE(same_layout(layout, other));
  EXPECT_NE(hash_layout(layout), hash_layout(other));
}

TEST(Layout, UnusableLayoutsAreNamed) {
  const Dimensions dimensions = {16, 16, 3, 3};
  convoy_layout gap = blocked_both(16, 16, 3, 3);
  gap.strides[0] += 64;
  EXPECT_THAT(layout_problem(gap, dimensions), testing::HasSubstr("stride"));
  convoy_layout count = blocked_both(16, 16, 3, 3);
  count.elements += 1;
  EXPECT_THAT(layout_problem(count, dimensions), testing::HasSubstr("elements"));
  EXPECT_THAT(layout_problem(blocked_both(8, 16, 3, 3), dimensions), testing::HasSubstr("padded"));
  EXPECT_THAT(layout_problem(plain_layout(Dimensions{16, 144}), dimensions),
              testing::HasSubstr("rank"));
}

}  // namespace
}  // namespace convoy::graph
