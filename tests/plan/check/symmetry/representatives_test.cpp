#include "core/plan/check/symmetry/representatives.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "core/plan/check/check.hpp"
#include "core/plan/lower/lower.hpp"
#include "core/plan/stages.hpp"
#include "tests/plan/sample_models.hpp"
#include "tests/plan/sample_plans.hpp"

namespace convoy::testing::representatives_test {
namespace {

// 64 buckets of many sizes.
plan::ArenaMap many_buckets() {
  plan::ArenaMap arena = large_arena(100'000, 8, 1);
  arena.buckets.clear();
  std::uint64_t first = 0;
  for (std::uint64_t i = 0; i < 64; ++i) {
    const std::uint64_t count = i == 63 ? arena.elements - first : 700 + 13 * i;
    arena.buckets.push_back({first, count});
    first += count;
  }
  return arena;
}

std::size_t size_of(const plan::Plan& plan) {
  return plan.prologue.size() + plan.body.size();
}

TEST(Representatives, EqualBucketsAreKeptOnce) {
  const plan::ArenaMap arena = many_buckets();
  const plan::Cluster cluster = plan::make_single_host(4, false, "cpu");
  for (const WritePlan& write : {WritePlan(write_parameter_server), WritePlan(write_compressed),
                                 WritePlan(write_deferred), WritePlan(write_scattered)}) {
    const plan::Plan plan = write_plan(cluster, arena, write);
    for (const plan::Plan& it : {plan, plan::lower(plan, {})}) {
      const auto reduced = plan::check::keep_representatives(it);
      ASSERT_NE(reduced, nullptr);
      EXPECT_LT(size_of(reduced->plan) * 8, size_of(it));
      EXPECT_EQ(reduced->operations.size(), size_of(reduced->plan));
      EXPECT_EQ(plan::check::check_plan(reduced->plan).verdict_text(),
                plan::check::check_plan(it).verdict_text());
    }
  }
}

// Pieces that another replica owns are alike but for the roles of two replicas.
TEST(Representatives, PiecesOfDifferentOwnersAreAlike) {
  const plan::ArenaMap arena = large_arena(64'000, 4, 1);
  const plan::Cluster cluster = plan::make_single_host(64, false, "cpu");
  const plan::Plan plan = write_plan(cluster, arena, write_scattered);
  const auto reduced = plan::check::keep_representatives(plan::lower(plan, {}));
  ASSERT_NE(reduced, nullptr);
  EXPECT_LE(reduced->arena->elements, 3000u);
  EXPECT_EQ(plan::check::check_plan(reduced->plan).verdict, plan::check::Verdict::kSynchronous);
}

// What one bucket lacks is not hidden by those that are right.
TEST(Representatives, ABucketThatDiffersIsKept) {
  const plan::ArenaMap arena = many_buckets();
  const plan::Cluster cluster = plan::make_single_host(3, true, "cpu");
  const plan::Plan plan = write_plan(cluster, arena, write_sharded_server);
  for (const std::size_t nth : {0u, 17u, 62u}) {
    std::size_t sums = 0;
    plan::Plan wrong = plan;
    for (plan::Operation& it : wrong.body)
      if (it.kind == plan::OperationKind::kSum && sums++ == nth) it.reads[1] = it.reads[0];
    const plan::check::CheckReport report = plan::check::check_plan(wrong);
    EXPECT_EQ(report.verdict, plan::check::Verdict::kWrong) << nth;
    ASSERT_FALSE(report.findings.empty());
    EXPECT_EQ(report.findings.front().range.first, arena.buckets[nth].first);
  }
}

// The same twice, but in one bucket the update comes before the sum it should apply.
TEST(Representatives, AnotherOrderMakesAnotherClass) {
  const plan::ArenaMap arena = many_buckets();
  const plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  plan::Plan plan = write_plan(cluster, arena, write_parameter_server);
  EXPECT_EQ(plan::check::check_plan(plan).verdict, plan::check::Verdict::kSynchronous);
  const auto last = std::find_if(
      plan.body.rbegin(), plan.body.rend(),
      [](const plan::Operation& it) { return it.kind == plan::OperationKind::kApply; });
  ASSERT_NE(last, plan.body.rend());
  const auto apply = last.base() - 1;
  std::iter_swap(apply, apply - 1);
  std::swap(apply->id, (apply - 1)->id);
  EXPECT_EQ(plan::check::check_plan(plan).verdict, plan::check::Verdict::kWrong);
}

constexpr std::uint64_t kRank = 2;
constexpr MatrixShape kTall[] = {{12, 8}, {20, 10}, {9, 4}, {40, 24}, {16, 10}, {33, 5}};
constexpr MatrixShape kWide[] = {{8, 12}, {10, 33}, {5, 9}};
constexpr MatrixShape kSquare[] = {{12, 12}, {20, 20}};

class Matrices : public ::testing::Test {
 protected:
  plan::Plan write() {
    return write_plan(cluster_, arena_, [](Planner& p) {
      p.compute();
      std::uint64_t first = 0;
      for (const std::span<const MatrixShape> shapes :
           {std::span<const MatrixShape>(kTall), std::span<const MatrixShape>(kWide),
            std::span<const MatrixShape>(kSquare)})
        for (const MatrixShape& shape : shapes) {
          write_low_rank(p, {first, shape.elements()}, shape, kRank);
          first += shape.elements();
        }
      const Range others{first, p.arena_elements() - first};
      p.all_reduce(p.all_gradients(others));
      for (const auto r : p.replicas()) p.apply(p.parameters(r)[others], p.gradient(r)[others]);
    });
  }

  plan::ArenaMap arena_ = large_arena(8'000, 4, 1);
  plan::Cluster cluster_ = plan::make_single_host(3, true, "cpu");
};

// Sizes do not matter, but which of them are equal, and which are larger than others.
TEST_F(Matrices, OfOtherSizesAreAlike) {
  const plan::Plan plan = write();
  for (const plan::Plan& it : {plan, plan::lower(plan, {})}) {
    const auto reduced = plan::check::keep_representatives(it);
    ASSERT_NE(reduced, nullptr);
    EXPECT_EQ(std::ranges::count(reduced->plan.body, plan::OperationKind::kOrthogonalise,
                                 &plan::Operation::kind),
              3 * cluster_.replicas());
    EXPECT_EQ(plan::check::check_plan(it).verdict_text(),
              "approximate (every gradient counts once in the end, nothing is lost)");
    EXPECT_EQ(plan::check::check_plan(reduced->plan).verdict_text(),
              plan::check::check_plan(it).verdict_text());
  }
}

TEST_F(Matrices, OneThatLosesItsRestIsFound) {
  for (const std::size_t nth : {0u, 10u, 32u}) {
    plan::Plan wrong = write();
    std::size_t rests = 0;
    for (plan::Operation& it : wrong.body)
      if (it.kind == plan::OperationKind::kAxpy && rests++ == nth) it.scalar = -0.5;
    EXPECT_EQ(plan::check::check_plan(wrong).verdict_text().find("nothing is lost"),
              std::string::npos)
        << nth;
  }
}

// Two local steps, then the mean by a ring: every slice of it begins with the same updates of the
// whole arena.
void write_local_steps(Planner& p) {
  for (int step = 0; step < 2; ++step) {
    p.compute();
    for (const auto r : p.replicas())
      p.apply(p.parameters(r)[p.arena()], p.gradient(r)[p.arena()], {.contributions = 1});
  }
  p.all_reduce(p.all_parameters(p.arena()), {.algorithm = Algorithm::kRing});
  for (const auto r : p.replicas())
    p.scale(p.parameters(r)[p.arena()], p.parameters(r)[p.arena()], 1.0 / p.replica_count());
}

constexpr std::uint32_t kReplicas = 48;
constexpr plan::ElementRange kSlice{48'000, 1'000};  // one of the ring's

class PrefixCache : public ::testing::Test {
 protected:
  PrefixCache() { lowered_ = plan::lower(write_plan(cluster_, arena_, write_local_steps), {}); }

  // The nth operation of the kind that writes anything of the slice, and nothing but arena memory.
  std::vector<plan::Operation>::iterator find(plan::OperationKind kind, std::size_t nth) {
    return std::find_if(lowered_.body.begin(), lowered_.body.end(), [&](const plan::Operation& it) {
      const plan::PlanSpan& span = it.writes.front();
      return it.kind == kind && lowered_.buffers[span.buffer].kind == CONVOY_BUFFER_PARAMETERS &&
             span.first < kSlice.first + kSlice.count && kSlice.first < span.first + span.count &&
             nth-- == 0;
    });
  }

  void expect_refused() {
    plan::number_operations(lowered_);
    const plan::check::CheckReport report = plan::check::check_plan(lowered_);
    EXPECT_TRUE(report.verdict == plan::check::Verdict::kWrong ||
                report.verdict == plan::check::Verdict::kUnproved)
        << report.verdict_text();
  }

  // Cuts an update of the whole arena into those before, on and behind the slice.
  std::vector<plan::Operation>::iterator cut(std::vector<plan::Operation>::iterator update) {
    const auto part = [&](std::uint64_t first, std::uint64_t end) {
      plan::Operation it = *update;
      for (plan::SpanList* spans : {&it.reads, &it.writes}) {
        spans->front().first = first;
        spans->front().count = end - first;
      }
      return it;
    };
    const std::uint64_t end = kSlice.first + kSlice.count;
    const std::vector<plan::Operation> parts{part(0, kSlice.first), part(kSlice.first, end),
                                             part(end, arena_.elements)};
    const auto at = lowered_.body.erase(update);
    return lowered_.body.insert(at, parts.begin(), parts.end()) + 1;
  }

  plan::ArenaMap arena_ = large_arena(96'000, 4, 1);
  plan::Cluster cluster_ = plan::make_single_host(kReplicas, true, "cpu");
  plan::Plan lowered_;
};

TEST_F(PrefixCache, SlicesOfARingAreKeptOnce) {
  const auto reduced = plan::check::keep_representatives(lowered_);
  ASSERT_NE(reduced, nullptr);
  EXPECT_LT(size_of(reduced->plan) * 4, size_of(lowered_));
  EXPECT_EQ(plan::check::check_plan(reduced->plan).verdict_text(),
            plan::check::check_plan(lowered_).verdict_text());
  EXPECT_EQ(plan::check::check_plan(lowered_).verdict, plan::check::Verdict::kApproximate);
}

TEST_F(PrefixCache, ACutUpdateChangesNothing) {
  const std::string before = plan::check::check_plan(lowered_).verdict_text();
  cut(find(plan::OperationKind::kApply, 1));
  plan::number_operations(lowered_);
  EXPECT_EQ(plan::check::check_plan(lowered_).verdict_text(), before);
}

TEST_F(PrefixCache, AnUpdateThatLeavesOutASliceIsFound) {
  for (const std::size_t nth : {0u, 40u, kReplicas + 40u}) {
    SCOPED_TRACE(nth);
    const plan::Plan right = lowered_;
    lowered_.body.erase(cut(find(plan::OperationKind::kApply, nth)));
    expect_refused();
    lowered_ = right;
  }
}

TEST_F(PrefixCache, AnUpdateOfASliceByAnotherShareIsFound) {
  cut(find(plan::OperationKind::kApply, 40))->contributions = 2;
  expect_refused();
}

TEST_F(PrefixCache, AnUpdateOfASliceByAnotherGradientIsFound) {
  const auto update = cut(find(plan::OperationKind::kApply, 40));
  update->reads.front().buffer = find(plan::OperationKind::kApply, 7)->reads.front().buffer;
  expect_refused();
}

// Then its gradient waits for the next mean.
TEST_F(PrefixCache, AnUpdateOfASliceAfterTheMeanIsFound) {
  const auto update = cut(find(plan::OperationKind::kApply, kReplicas + 40));
  const plan::Operation late = *update;
  lowered_.body.erase(update);
  lowered_.body.push_back(late);
  plan::number_operations(lowered_);
  EXPECT_EQ(plan::check::check_plan(lowered_).verdict_text(),
            "approximate (every gradient counts once in the end, nothing is lost, first after 4 "
            "steps)");
}

TEST_F(PrefixCache, ASumOfASliceThatDiffersIsFound) {
  for (const std::size_t nth : {0u, 1u, 30u}) {
    SCOPED_TRACE(nth);
    const plan::Plan right = lowered_;
    const auto sum = find(plan::OperationKind::kSum, nth);
    ASSERT_NE(sum, lowered_.body.end());
    sum->reads[1] = sum->reads[0];
    expect_refused();
    lowered_ = right;
  }
}

TEST_F(PrefixCache, SumsOfASliceInAnotherOrderAreFound) {
  const auto first = find(plan::OperationKind::kSum, 3);
  const auto second = find(plan::OperationKind::kSum, 4);
  ASSERT_NE(second, lowered_.body.end());
  std::iter_swap(first, second);
  expect_refused();
}

}  // namespace
}  // namespace convoy::testing::representatives_test
