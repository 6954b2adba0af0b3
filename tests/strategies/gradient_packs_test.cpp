// How replicated cuts the gradients: seen in the ranges that replica 0 applies.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plan/sample_models.hpp"
#include "tests/strategies/strategy_under_test.hpp"
#include "tests/strategies/variants.hpp"

namespace convoy::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

using Pieces = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // first, count

Pieces applied(const plan::ArenaMap& arena, const plugin::OptionValues& options) {
  const plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  const plan::Plan plan = StrategyUnderTest("replicated", options).plan(cluster, arena);
  Pieces pieces;
  for (const plan::Operation& operation : plan.body) {
    if (operation.kind != plan::OperationKind::kApply) continue;
    const plan::PlanSpan& span = operation.writes.front();
    if (plan.buffers[span.buffer].owner == 0) pieces.push_back({span.first, span.count});
  }
  return pieces;
}

TEST(GradientPacks, AreTheHostsBucketsByDefault) {
  EXPECT_THAT(applied(ragged_arena(), {}),
              ElementsAre(Pair(0, 3), Pair(3, 50), Pair(53, 1), Pair(54, 60), Pair(114, 23)));
}

TEST(GradientPacks, RepackingCutsEverythingIntoEqualPieces) {
  EXPECT_THAT(applied(small_arena(16), {{"gradient_repacking", "3"}}),
              ElementsAre(Pair(0, 46), Pair(46, 46), Pair(92, 45)));
  EXPECT_THAT(applied(small_arena(16), {{"gradient_repacking", "1"}}), ElementsAre(Pair(0, 137)));
  EXPECT_EQ(applied(small_arena(16), {{"gradient_repacking", "1000"}}).size(), 137u);
}

TEST(GradientPacks, SmallNeighboursAreJoinedAndPaddingStaysWithThem) {
  // 5, 60, 33, 7 and 24 elements, the first and the fourth padded to 8.
  EXPECT_THAT(applied(small_arena(16), {{"agg_small_grads_max_bytes", "100"}}),
              ElementsAre(Pair(0, 8), Pair(8, 64), Pair(72, 33), Pair(105, 32)));
  EXPECT_THAT(applied(small_arena(16), {{"agg_small_grads_max_bytes", "132"}}),
              ElementsAre(Pair(0, 8), Pair(8, 64), Pair(72, 65)));
  EXPECT_THAT(applied(small_arena(16), {{"agg_small_grads_max_bytes", "131"}}),
              ElementsAre(Pair(0, 8), Pair(8, 64), Pair(72, 33), Pair(105, 32)));
  EXPECT_THAT(applied(small_arena(16), {{"agg_small_grads_max_bytes", "1"}}),
              ElementsAre(Pair(0, 8), Pair(8, 64), Pair(72, 33), Pair(105, 8), Pair(113, 24)));
}

TEST(GradientPacks, HoldAtMostAGroup) {
  // 40 neighbours of 4 elements each: the historical program made packs of 12 under a limit of 10.
  const plan::ArenaMap arena = large_arena(160, 40, 3);
  EXPECT_THAT(applied(arena, {{"agg_small_grads_max_bytes", "16"}}),
              ElementsAre(Pair(0, 40), Pair(40, 40), Pair(80, 40), Pair(120, 40)));
  EXPECT_THAT(
      applied(arena, {{"agg_small_grads_max_bytes", "16"}, {"agg_small_grads_max_group", "27"}}),
      ElementsAre(Pair(0, 108), Pair(108, 52)));
  EXPECT_EQ(
      applied(arena, {{"agg_small_grads_max_bytes", "16"}, {"agg_small_grads_max_group", "1"}})
          .size(),
      40u);
}

// Per compute: elements by how often they are applied, over all buffers of an owner kind.
void expect_applied_once(const plan::Plan& plan, std::uint64_t copies) {
  std::vector<std::vector<std::uint64_t>> times(
      plan.computes, std::vector<std::uint64_t>(plan.arena->elements, 0));
  for (const plan::Operation& operation : plan.body) {
    if (operation.kind != plan::OperationKind::kApply) continue;
    const plan::PlanSpan& span = operation.writes.front();
    for (std::uint64_t e = span.first; e < span.first + span.count; ++e)
      ++times[operation.phase][e];
  }
  for (std::uint32_t phase = 0; phase < plan.computes; ++phase)
    for (std::uint64_t e = 0; e < plan.arena->elements; ++e)
      ASSERT_EQ(times[phase][e], copies) << "element " << e << ", compute " << phase;
}

TEST(EveryStrategy, AppliesEveryElementOnceAStep) {
  const plan::ArenaMap arena = ragged_arena();
  for (const Variant& variant : all_variants()) {
    const std::uint32_t devices = std::max(3u, variant.fewest_devices);
    SCOPED_TRACE(variant.name());
    const plan::Cluster cluster = plan::make_single_host(devices, true, variant.device);
    const plan::Plan plan =
        StrategyUnderTest(variant.strategy, variant.options).plan(cluster, arena);
    expect_applied_once(plan, variant.strategy == "parameter_server" ? 1 : devices);
  }
}

}  // namespace
}  // namespace convoy::testing
