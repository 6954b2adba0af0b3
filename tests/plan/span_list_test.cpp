#include "core/plan/span_list.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "core/plan/operation.hpp"

namespace convoy::testing {
namespace {

plan::PlanSpan span_at(std::uint64_t first) {
  return {7, CONVOY_F32, first, 2};
}

// The first elements of all spans.
std::vector<std::uint64_t> firsts(const plan::SpanList& list) {
  std::vector<std::uint64_t> result;
  for (const plan::PlanSpan& span : list) result.push_back(span.first);
  return result;
}

plan::SpanList list_of(std::uint64_t count) {
  plan::SpanList list;
  for (std::uint64_t i = 0; i < count; ++i) list.push_back(span_at(i));
  return list;
}

std::vector<std::uint64_t> up_to(std::uint64_t count) {
  std::vector<std::uint64_t> result;
  for (std::uint64_t i = 0; i < count; ++i) result.push_back(i);
  return result;
}

TEST(SpanList, GrowsBeyondTheOneThatLiesInIt) {
  for (const std::uint64_t count : {0, 1, 2, 3, 9}) {
    const plan::SpanList list = list_of(count);
    EXPECT_EQ(list.size(), count);
    EXPECT_EQ(firsts(list), up_to(count));
    if (count > 0) {
      EXPECT_EQ(list.back().first, count - 1);
    }
  }
  EXPECT_EQ(firsts({span_at(4), span_at(3)}), (std::vector<std::uint64_t>{4, 3}));
}

TEST(SpanList, ACopyIsItsOwn) {
  for (const std::uint64_t count : {1, 5}) {
    const plan::SpanList list = list_of(count);
    plan::SpanList copy = list;
    copy.front().first = 100;
    EXPECT_EQ(firsts(list), up_to(count));
    copy = list;
    EXPECT_EQ(firsts(copy), up_to(count));
    const plan::SpanList& same = copy;
    copy = same;
    EXPECT_EQ(firsts(copy), up_to(count));
  }
}

TEST(SpanList, MovesBetweenListsOfAllSizes) {
  for (const std::uint64_t from : {0, 1, 5})
    for (const std::uint64_t to : {0, 1, 5}) {
      plan::SpanList source = list_of(from);
      plan::SpanList target = list_of(to);
      target = std::move(source);
      EXPECT_EQ(firsts(target), up_to(from)) << from << " to " << to;
      EXPECT_EQ(firsts(plan::SpanList(std::move(target))), up_to(from)) << from << " to " << to;
    }
}

TEST(SpanList, ShrinksAndIsUsedAgain) {
  plan::SpanList list = list_of(3);
  list.pop_back();
  EXPECT_EQ(firsts(list), up_to(2));
  list.clear();
  EXPECT_TRUE(list.empty());
  list.push_back(span_at(8));
  EXPECT_EQ(firsts(list), std::vector<std::uint64_t>{8});
}

}  // namespace
}  // namespace convoy::testing
