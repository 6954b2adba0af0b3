// A plan depends on the cluster, the model and the options, and on nothing else.

#include <gtest/gtest.h>

#include "tests/plan/sample_models.hpp"
#include "tests/strategies/strategy_under_test.hpp"
#include "tests/strategies/variants.hpp"

namespace convoy::testing {
namespace {

TEST(Purity, EarlierPlansAndOtherInstancesChangeNothing) {
  const plan::ArenaMap arena = small_arena(32);
  const plan::ArenaMap other_arena = large_arena(200, 5, 3);
  for (const Variant& variant : all_variants()) {
    const plan::Cluster cluster =
        plan::make_single_host(std::max(3u, variant.fewest_devices), true, variant.device);
    const plan::Cluster other_cluster =
        plan::make_single_host(std::max(4u, variant.fewest_devices), false, variant.device);
    StrategyUnderTest strategy(variant.strategy, variant.options);
    const std::uint64_t first = plan::plan_hash(strategy.plan(cluster, arena));
    const std::uint64_t other = plan::plan_hash(strategy.plan(other_cluster, other_arena));
    EXPECT_EQ(plan::plan_hash(strategy.plan(cluster, arena)), first) << variant.name();
    EXPECT_NE(other, first) << variant.name();
    StrategyUnderTest fresh(variant.strategy, variant.options);
    EXPECT_EQ(plan::plan_hash(fresh.plan(cluster, arena)), first) << variant.name();
  }
}

}  // namespace
}  // namespace convoy::testing
