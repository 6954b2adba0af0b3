#include "core/base/numbers/sort_by_words.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace convoy {
namespace {

struct NumberedItem {
  SortWords words{};
  std::size_t number = 0;  // before sorting

  bool operator==(const NumberedItem&) const = default;
};

// As many different words as `kinds`, in no order, spread over the bits of the masks.
std::vector<NumberedItem> mixed_numbered_items(std::size_t count, std::uint64_t kinds,
                                               const SortWords& masks) {
  std::vector<NumberedItem> items;
  std::uint64_t state = 1;
  const auto next = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % kinds * 0x9e3779b97f4a7c15u;
  };
  for (std::size_t i = 0; i < count; ++i)
    items.push_back({{next() & masks[0], next() & masks[1]}, i});
  return items;
}

void expect_sorted_stably(std::vector<NumberedItem> items) {
  std::vector<NumberedItem> expected = items;
  std::ranges::stable_sort(expected, {}, &NumberedItem::words);
  sort_by_words(items, [](const NumberedItem& it) { return it.words; });
  EXPECT_TRUE(items == expected);
}

TEST(SortByWords, KeepsTheOrderOfEqualItems) {
  for (const std::size_t count : {0u, 1u, 2u, 100u, 2047u, 2048u, 5000u})
    for (const std::uint64_t kinds : {1u, 3u, 100000u})
      expect_sorted_stably(
          mixed_numbered_items(count, kinds, {~std::uint64_t{0}, ~std::uint64_t{0}}));
}

TEST(SortByWords, ComparesEveryBit) {
  constexpr std::uint64_t kHighest = std::uint64_t{1} << 63;
  for (const SortWords& masks : {SortWords{kHighest, 0}, SortWords{0, kHighest}, SortWords{1, 1},
                                 SortWords{0xfff0000000000fffu, 0x8000000000000001u}})
    expect_sorted_stably(mixed_numbered_items(4000, 100000, masks));
}

}  // namespace
}  // namespace convoy
