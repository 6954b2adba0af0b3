// A plan depends on the cluster, the model and the options, and on nothing else.

#include <gtest/gtest.h>

#include "tests/plan/sample_models.hpp"
#include "tests/strategies/strategy_under_test.hpp"
#include "tests/strategies/variants.hpp"

namespace convoy::testing {
namespace {

TEST(Purity, EarlierPlansAndOtherInstancesChangeNothing) {
  const ArenaMap arena = small_arena(32);
  const ArenaMap other_arena = large_arena(200, 5, 3);
  for (const Variant& variant : all_variants()) {
    const Cluster cluster =
        make_single_host(std::max(3u, variant.fewest_devices), true, variant.device);
    const Cluster other_cluster =
        make_single_host(std::max(4u, variant.fewest_devices), false, variant.device);
    StrategyUnderTest strategy(variant.strategy, variant.options);
    const std::uint64_t first = plan_hash(strategy.plan(cluster, arena));
    const std::uint64_t other = plan_hash(strategy.plan(other_cluster, other_arena));
    EXPECT_EQ(plan_hash(strategy.plan(cluster, arena)), first) << variant.name();
    EXPECT_NE(other, first) << variant.name();
    StrategyUnderTest fresh(variant.strategy, variant.options);
    EXPECT_EQ(plan_hash(fresh.plan(cluster, arena)), first) << variant.name();
  }
}

}  // namespace
}  // namespace convoy::testing
