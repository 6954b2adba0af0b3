#include "core/plan/check/symbolic/values.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace convoy::testing {
namespace {

TEST(ValueTable, LongSumsAreTakenApartOnce) {
  constexpr std::uint32_t kMany = 1000;
  plan::check::Budget budget;
  plan::check::ValueTable table(budget);
  std::vector<plan::check::WeightedValue> parts;
  for (std::uint32_t r = 0; r < kMany; ++r) {
    plan::check::Atom gradient{.kind = plan::check::AtomKind::kGradient};
    gradient.replica = r;
    parts.push_back({table.leaf(table.intern(std::move(gradient), {r})), {}, 0});
  }
  const plan::check::ValueId sum = table.combine(parts);
  const auto work = [&] {
    const std::uint64_t before = budget.spent();
    EXPECT_EQ(table.expand(sum, plan::check::Casts::kKept).size(), kMany);
    return budget.spent() - before;
  };
  const std::uint64_t first = work();
  EXPECT_LT(10 * work(), first);
}

}  // namespace
}  // namespace convoy::testing
