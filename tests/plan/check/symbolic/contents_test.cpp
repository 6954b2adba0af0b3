#include "core/plan/check/symbolic/contents.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace convoy::plan::check {
namespace {

constexpr std::uint64_t kElements = 40;

// Pieces of random lengths, neighbours being different.
Content random_content(std::mt19937& random, std::uint64_t count,
                       const std::vector<ValueId>& values) {
  Content content;
  for (std::uint64_t at = 0; at < count;) {
    const std::uint64_t length = std::min<std::uint64_t>(count - at, 1 + random() % 7);
    append(content, length, values[random() % values.size()]);
    at += length;
  }
  return content;
}

void expect_holds(const BufferContent& buffer, const std::vector<ValueId>& elements,
                  ValueTable& table) {
  for (std::uint64_t i = 0; i < kElements; ++i) ASSERT_EQ(buffer.at(i), elements[i]) << i;
  const auto& intervals = buffer.intervals();
  ASSERT_EQ(intervals.front().first, 0u);
  for (std::size_t i = 1; i < intervals.size(); ++i) {
    ASSERT_LT(intervals[i - 1].first, intervals[i].first);
    ASSERT_NE(intervals[i - 1].value, intervals[i].value);
  }
  for (const Piece& piece : buffer.read(0, kElements, 0, table))
    for (std::uint64_t i = 0; i < piece.count; ++i)
      ASSERT_EQ(piece.value, elements[piece.first + i]);
}

// A buffer of intervals holds what one of elements would hold.
TEST(BufferContent, HoldsWhatWasWrittenLast) {
  Budget budget;
  ValueTable table(budget);
  const std::vector<ValueId> values = {table.zero(), table.constant(from_scalar(1)),
                                       table.constant(from_scalar(2))};
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    BufferContent buffer(kElements, values[0]);
    std::vector<ValueId> elements(kElements, values[0]);
    for (int step = 0; step < 30; ++step) {
      const std::uint64_t first = random() % kElements;
      const std::uint64_t count = 1 + random() % (kElements - first);
      const Content content = random_content(random, count, values);
      buffer.write(first, content, first, table);
      for (const Piece& piece : content)
        for (std::uint64_t i = 0; i < piece.count; ++i)
          elements[first + piece.first + i] = piece.value;
      expect_holds(buffer, elements, table);
    }
  }
}

// What is read from one place and written to another moves with its elements.
TEST(BufferContent, MovesValuesWithTheirElements) {
  Budget budget;
  ValueTable table(budget);
  const ValueId leaf = table.leaf(table.intern({}, {1}));
  BufferContent from(kElements, leaf);
  BufferContent to(kElements, table.zero());
  to.write(7, from.read(3, 5, 3, table), 3, table);
  EXPECT_EQ(to.at(6), table.zero());
  EXPECT_EQ(to.at(7), table.shifted(leaf, -4));
  EXPECT_EQ(to.at(11), table.shifted(leaf, -4));
  EXPECT_EQ(to.at(12), table.zero());
}

}  // namespace
}  // namespace convoy::plan::check
