#include "core/base/numbers/ordered_values.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/base/numbers/statistics.hpp"

namespace convoy {
namespace {

// Every rank of values that come in this order.
void expect_in_order(std::vector<double> values) {
  OrderedValues ordered;
  for (const double value : values) ordered.insert(value);
  std::ranges::sort(values);
  ASSERT_EQ(ordered.size(), values.size());
  for (std::size_t rank = 0; rank < values.size(); ++rank)
    ASSERT_EQ(ordered.at(rank), values[rank]) << rank << " of " << values.size();
}

TEST(OrderedValues, AreInOrderHoweverTheyCome) {
  std::mt19937_64 random(1);
  for (const std::size_t count : {1u, 2u, 3u, 512u, 513u, 514u, 5000u}) {
    std::vector<double> drawn;
    for (std::size_t i = 0; i < count; ++i) drawn.push_back(static_cast<double>(random() % 900));
    expect_in_order(drawn);
    std::ranges::sort(drawn);
    expect_in_order(drawn);
    std::ranges::reverse(drawn);
    expect_in_order(drawn);
    expect_in_order(std::vector<double>(count, 7));
  }
}

TEST(OrderedValues, HaveTheQuantilesOfTheSameValues) {
  std::mt19937_64 random(2);
  std::vector<double> values;
  OrderedValues ordered;
  EXPECT_TRUE(ordered.empty());
  for (int i = 0; i < 700; ++i) {
    values.push_back(static_cast<double>(random() % 300));
    ordered.insert(values.back());
    ASSERT_EQ(median(ordered), median(values));
    for (const double fraction : {0.0, 0.2, 0.5, 0.99, 1.0})
      ASSERT_EQ(quantile(ordered, fraction), quantile(values, fraction)) << i << ", " << fraction;
  }
}

}  // namespace
}  // namespace convoy
