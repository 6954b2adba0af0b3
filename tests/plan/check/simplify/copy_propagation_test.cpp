#include "core/plan/check/simplify/copy_propagation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string_view>

#include "core/plan/check/check.hpp"
#include "core/plan/lower/lower.hpp"
#include "tests/plan/check/reduced_results.hpp"
#include "tests/plan/random_plans.hpp"
#include "tests/plan/sample_plans.hpp"

namespace convoy::testing::copy_propagation_test {
namespace {

constexpr std::uint64_t kSteps = 4;

std::size_t copies_in(const plan::Plan& plan) {
  return static_cast<std::size_t>(
      std::ranges::count(plan.body, plan::OperationKind::kCopy, &plan::Operation::kind));
}

TEST(CopyPropagation, LoweredPlansWithoutPeerAccessComputeTheSame) {
  std::size_t shorter = 0;
  for_each_lowered_sample(false, [&](std::string_view name, const plan::Plan& plan) {
    const auto reduced = plan::check::propagate_copies(plan);
    if (reduced == nullptr) return;
    ++shorter;
    EXPECT_EQ(first_difference(plan, reduced->plan, kSteps), "none") << name;
    EXPECT_EQ(plan::check::check_plan(reduced->plan).verdict_text(),
              plan::check::check_plan(plan).verdict_text())
        << name;
  });
  EXPECT_GT(shorter, 50u);
}

TEST(CopyPropagation, RandomPlansComputeTheSame) {
  const plan::ArenaMap arena = small_arena(32);
  std::size_t shorter = 0;
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    const plan::Cluster cluster = plan::make_single_host(2 + seed % 4, false, "cpu");
    const plan::Plan plan =
        plan::lower(write_plan(cluster, arena, random_plan(seed, true)), kSmallPieces);
    const auto reduced = plan::check::propagate_copies(plan);
    if (reduced == nullptr) continue;
    ++shorter;
    ASSERT_EQ(first_difference(plan, reduced->plan, kSteps), "none") << "seed " << seed;
  }
  EXPECT_GT(shorter, 50u);
}

// Pieces of several sizes: the shorter ones do not overwrite all of the others in the host's
// memory.
TEST(CopyPropagation, AllGatherOverTheHostHasOneCopyOfEveryPiece) {
  const plan::ArenaMap arena = large_arena(64'016, 4, 1);
  const plan::Cluster cluster = plan::make_single_host(4, false, "cpu");
  const plan::Plan plan = plan::lower(write_plan(cluster, arena, write_scattered), {});
  const auto reduced = plan::check::propagate_copies(plan);
  ASSERT_NE(reduced, nullptr);
  EXPECT_EQ(reduced->operations.size(), size_of(reduced->plan));
  EXPECT_EQ(copies_in(plan), 4u * 3u * (2u + 3u));
  EXPECT_EQ(copies_in(reduced->plan), 4u * 3u);
}

// A copy of replica 0's parameters into scratch memory, and from there into replica 1's.
plan::Plan staged(const std::function<void(Planner&, Span)>& between) {
  static const plan::ArenaMap kArena = small_arena(0);
  static const plan::Cluster kCluster = plan::make_single_host(2, true, "cpu");
  return write_plan(kCluster, kArena, [&](Planner& p) {
    p.compute();
    const Buffer slot = p.scratch(p.host_place(ReplicaId(0)), p.arena_elements());
    p.copy(slot, p.parameters(ReplicaId(0)));
    between(p, slot);
    p.copy(p.parameters(ReplicaId(1)), slot);
  });
}

std::size_t copies_left(const plan::Plan& plan) {
  const auto reduced = plan::check::propagate_copies(plan);
  return copies_in(reduced == nullptr ? plan : reduced->plan);
}

std::size_t scratch_in(const plan::Plan& plan) {
  return plan.buffers.size() - lasting_buffers(plan).size();
}

// Enough copies that can go to make a shorter plan worth it.
void stage_elsewhere(Planner& p) {
  for (int i = 0; i < 6; ++i) {
    const Buffer other = p.scratch(p.host_place(ReplicaId(0)), p.arena_elements());
    p.copy(other, p.gradient(ReplicaId(0)));
    p.copy(p.gradient(ReplicaId(1)), other);
  }
}

TEST(CopyPropagation, ACopyStaysWhereItsSourceChangesOrPartOfItIsOverwritten) {
  const auto after = [](const std::function<void(Planner&, Span)>& change) {
    return copies_left(staged([&](Planner& p, Span slot) {
      stage_elsewhere(p);
      change(p, slot);
    }));
  };
  EXPECT_EQ(after([](Planner&, Span) {}), 7u);
  EXPECT_EQ(after([](Planner& p, Span) { p.fill(p.parameters(ReplicaId(0)), 1); }), 8u);
  EXPECT_EQ(after([](Planner& p, Span slot) { p.fill(part(slot, 0, 8), 1); }), 8u);
  EXPECT_EQ(after([](Planner& p, Span slot) { p.scale(slot, slot, 2); }), 7u);
}

// Behind a shorter copy that was written over it.
TEST(CopyPropagation, ACopyStaysIfTheRestOfItIsRead) {
  const auto after = [](Range read) {
    return copies_left(staged([&](Planner& p, Span slot) {
      stage_elsewhere(p);
      p.copy(part(slot, 0, 8), part(p.gradient(ReplicaId(0)), 0, 8));
      p.copy(part(p.gradient(ReplicaId(1)), read.first, read.count),
             part(slot, read.first, read.count));
      p.copy(slot, p.gradient(ReplicaId(1)));
    }));
  };
  EXPECT_EQ(after({0, 8}), 8u);  // six of elsewhere, what reads the shorter one, and the last
  EXPECT_EQ(after({8, 8}), 9u);  // the first copy, but not the shorter one
  EXPECT_EQ(after({0, 16}), 10u);
}

// Plans for many devices have millions of such buffers.
TEST(CopyPropagation, ScratchMemoryThatNothingUsesIsLeftOut) {
  const plan::Plan plan = staged([](Planner& p, Span) { stage_elsewhere(p); });
  const auto reduced = plan::check::propagate_copies(plan);
  ASSERT_NE(reduced, nullptr);
  EXPECT_EQ(scratch_in(plan), 7u);
  EXPECT_EQ(scratch_in(reduced->plan), 0u);
}

}  // namespace
}  // namespace convoy::testing::copy_propagation_test
