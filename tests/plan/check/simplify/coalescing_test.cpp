#include "core/plan/check/simplify/coalescing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string_view>

#include "core/plan/check/check.hpp"
#include "core/plan/check/simplify/copy_propagation.hpp"
#include "core/plan/lower/lower.hpp"
#include "tests/plan/check/reduced_results.hpp"
#include "tests/plan/random_plans.hpp"
#include "tests/plan/sample_plans.hpp"

namespace convoy::testing::coalescing_test {
namespace {

constexpr std::uint64_t kSteps = 4;
constexpr std::uint32_t kReplicas = 4;
constexpr std::size_t kComputes = 2 * kReplicas;

std::size_t count_in(const plan::Plan& plan, plan::OperationKind kind) {
  return static_cast<std::size_t>(std::ranges::count(plan.body, kind, &plan::Operation::kind));
}

TEST(Coalescing, LoweredPlansComputeTheSame) {
  std::size_t shorter = 0;
  for (const bool peer_access : {true, false})
    for_each_lowered_sample(peer_access, [&](std::string_view name, const plan::Plan& plan) {
      const auto unstaged = plan::check::propagate_copies(plan);
      const auto reduced =
          plan::check::coalesce_operations(unstaged == nullptr ? plan : unstaged->plan);
      if (reduced == nullptr) return;
      ++shorter;
      EXPECT_EQ(first_difference(plan, reduced->plan, kSteps), "none") << name;
      EXPECT_EQ(plan::check::check_plan(reduced->plan).verdict_text(),
                plan::check::check_plan(plan).verdict_text())
          << name;
    });
  EXPECT_GT(shorter, 50u);
}

TEST(Coalescing, RandomPlansComputeTheSame) {
  const plan::ArenaMap arena = small_arena(32);
  std::size_t shorter = 0;
  for (std::uint32_t seed = 0; seed < 5000; ++seed) {
    const plan::Cluster cluster = plan::make_single_host(2 + seed % 4, seed % 3 != 0, "cpu");
    const plan::Plan plan =
        plan::lower(write_plan(cluster, arena, random_plan(seed, true)), kSmallPieces);
    const auto reduced = plan::check::coalesce_operations(plan);
    if (reduced == nullptr) continue;
    ++shorter;
    ASSERT_EQ(first_difference(plan, reduced->plan, kSteps), "none") << "seed " << seed;
  }
  EXPECT_GT(shorter, 50u);
}

// As its author wrote it, although devices have no collectives of their own.
TEST(Coalescing, ReduceScatterAndAllGatherAreOneOperationEach) {
  const plan::ArenaMap arena = large_arena(64'000, 4, 1);
  for (const bool peer_access : {true, false}) {
    const plan::Cluster cluster = plan::make_single_host(8, peer_access, "cpu");
    const plan::Plan plan = plan::lower(write_plan(cluster, arena, write_scattered), {});
    const auto unstaged = plan::check::propagate_copies(plan);
    const auto reduced =
        plan::check::coalesce_operations(unstaged == nullptr ? plan : unstaged->plan);
    ASSERT_NE(reduced, nullptr);
    EXPECT_EQ(reduced->operations.size(), size_of(reduced->plan));
    EXPECT_EQ(count_in(reduced->plan, plan::OperationKind::kReduceScatter), 1u);
    EXPECT_EQ(count_in(reduced->plan, plan::OperationKind::kAllGather), 1u);
    EXPECT_EQ(count_in(reduced->plan, plan::OperationKind::kCopy), 0u);
  }
}

// So many operations a plan of four replicas has when they are joined.
std::size_t left_of(const WritePlan& write) {
  static const plan::ArenaMap kArena = small_arena(0);
  static const plan::Cluster kCluster = plan::make_single_host(kReplicas, true, "cpu");
  const plan::Plan plan = write_plan(kCluster, kArena, write);
  const auto reduced = plan::check::coalesce_operations(plan);
  if (reduced == nullptr) return size_of(plan);
  EXPECT_EQ(first_difference(plan, reduced->plan, kSteps), "none");
  return size_of(reduced->plan);
}

Span of(Planner& p, std::uint32_t replica, std::uint64_t first, std::uint64_t count) {
  return part(p.gradient(ReplicaId(replica)), first, count);
}

TEST(Coalescing, SlicesThatReadWhatEarlierOnesWroteStayApart) {
  const auto scaled = [](std::uint64_t to) {
    return left_of([to](Planner& p) {
      p.compute();
      for (std::uint64_t i = 0; i < 12; ++i) p.copy(of(p, 0, 4 * i + to, 4), of(p, 0, 4 * i, 4));
    });
  };
  EXPECT_EQ(scaled(64), kComputes + 1);
  EXPECT_EQ(scaled(4), kComputes + 12);
}

// Each begins where the next one would be looked at again.
TEST(Coalescing, ALongRunThatStaysApartIsLookedAtOnce) {
  constexpr std::uint64_t kCopies = 100'000;
  const plan::ArenaMap arena = large_arena(kCopies + 1, 1, 1);
  const plan::Cluster cluster = plan::make_single_host(1, true, "cpu");
  const plan::Plan plan = write_plan(cluster, arena, [](Planner& p) {
    p.compute();
    for (std::uint64_t i = 0; i < kCopies; ++i) p.copy(of(p, 0, i + 1, 1), of(p, 0, i, 1));
  });
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(plan::check::coalesce_operations(plan), nullptr);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST(Coalescing, SumsIntoWhatOthersReadStayApart) {
  const auto summed = [](std::uint64_t shift) {
    return left_of([shift](Planner& p) {
      p.compute();
      for (std::uint32_t i = 0; i < kReplicas; ++i) {
        const std::uint64_t first = 8 * std::uint64_t{i};
        p.sum(of(p, i, first + shift, 8),
              {of(p, 0, first, 8), of(p, 1, first, 8), of(p, 2, first, 8)});
      }
    });
  };
  EXPECT_EQ(summed(0), kComputes + 1);
  EXPECT_EQ(summed(8), kComputes + 4);
}

TEST(Coalescing, CopiesOfWhatWasCopiedOverStayApart) {
  const auto gathered = [](std::uint64_t shift) {
    return left_of([shift](Planner& p) {
      p.compute();
      for (std::uint32_t to = 0; to < kReplicas; ++to)
        for (std::uint32_t from = 0; from < kReplicas; ++from)
          if (shift > 0 || from != to)
            p.copy(of(p, to, 8 * std::uint64_t{from} + shift, 8),
                   of(p, from, 8 * std::uint64_t{from}, 8));
    });
  };
  EXPECT_EQ(gathered(0), kComputes + 1);
  EXPECT_EQ(gathered(64), kComputes + 1);
  EXPECT_EQ(gathered(8), kComputes + 16);
}

}  // namespace
}  // namespace convoy::testing::coalescing_test
