#include "core/plan/check/parts/one_of_each.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/plan/check/check.hpp"
#include "core/plan/lower/lower.hpp"
#include "core/plan/stages.hpp"
#include "tests/plan/sample_models.hpp"
#include "tests/plan/sample_plans.hpp"

namespace convoy::testing::one_of_each_test {
namespace {

// 64 buckets of many sizes.
ArenaMap many_buckets() {
  ArenaMap arena = large_arena(100'000, 8, 1);
  arena.buckets.clear();
  std::uint64_t first = 0;
  for (std::uint64_t i = 0; i < 64; ++i) {
    const std::uint64_t count = i == 63 ? arena.elements - first : 700 + 13 * i;
    arena.buckets.push_back({first, count});
    first += count;
  }
  return arena;
}

std::size_t size_of(const Plan& plan) {
  return plan.prologue.size() + plan.body.size();
}

TEST(OneOfEach, BucketsThatFareAlikeAreKeptOnce) {
  const ArenaMap arena = many_buckets();
  const Cluster cluster = make_single_host(4, false, "cpu");
  for (const WritePlan& write : {WritePlan(write_parameter_server), WritePlan(write_compressed),
                                 WritePlan(write_deferred), WritePlan(write_scattered)}) {
    const Plan plan = write_plan(cluster, arena, write);
    for (const Plan& it : {plan, lower(plan, {})}) {
      const auto excerpt = check::one_of_each(it);
      ASSERT_NE(excerpt, nullptr);
      EXPECT_LT(size_of(excerpt->plan) * 8, size_of(it));
      EXPECT_EQ(excerpt->operations.size(), size_of(excerpt->plan));
      EXPECT_EQ(check_plan(excerpt->plan).verdict_text(), check_plan(it).verdict_text());
    }
  }
}

// Pieces that another replica owns are alike but for the roles of two replicas.
TEST(OneOfEach, PiecesOfDifferentOwnersAreAlike) {
  const ArenaMap arena = large_arena(64'000, 4, 1);
  const Cluster cluster = make_single_host(64, false, "cpu");
  const Plan plan = write_plan(cluster, arena, write_scattered);
  const auto excerpt = check::one_of_each(lower(plan, {}));
  ASSERT_NE(excerpt, nullptr);
  EXPECT_LE(excerpt->arena->elements, 3000u);
  EXPECT_EQ(check_plan(excerpt->plan).verdict, Verdict::kSynchronous);
}

// What one bucket lacks is not hidden by those that are right.
TEST(OneOfEach, ABucketThatDiffersIsKept) {
  const ArenaMap arena = many_buckets();
  const Cluster cluster = make_single_host(3, true, "cpu");
  const Plan plan = write_plan(cluster, arena, write_sharded_server);
  for (const std::size_t nth : {0u, 17u, 62u}) {
    std::size_t sums = 0;
    Plan wrong = plan;
    for (Operation& it : wrong.body)
      if (it.kind == OperationKind::kSum && sums++ == nth) it.reads[1] = it.reads[0];
    const CheckReport report = check_plan(wrong);
    EXPECT_EQ(report.verdict, Verdict::kWrong) << nth;
    ASSERT_FALSE(report.findings.empty());
    EXPECT_EQ(report.findings.front().range.first, arena.buckets[nth].first);
  }
}

// The same twice, but in one bucket the update comes before the sum it should apply.
TEST(OneOfEach, AnotherOrderIsAnotherFate) {
  const ArenaMap arena = many_buckets();
  const Cluster cluster = make_single_host(2, true, "cpu");
  Plan plan = write_plan(cluster, arena, write_parameter_server);
  EXPECT_EQ(check_plan(plan).verdict, Verdict::kSynchronous);
  const auto last = std::find_if(plan.body.rbegin(), plan.body.rend(), [](const Operation& it) {
    return it.kind == OperationKind::kApply;
  });
  ASSERT_NE(last, plan.body.rend());
  const auto apply = last.base() - 1;
  std::iter_swap(apply, apply - 1);
  std::swap(apply->id, (apply - 1)->id);
  EXPECT_EQ(check_plan(plan).verdict, Verdict::kWrong);
}

}  // namespace
}  // namespace convoy::testing::one_of_each_test
