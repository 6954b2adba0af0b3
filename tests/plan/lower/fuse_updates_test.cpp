#include "core/plan/lower/fuse_updates.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "core/plan/check/check.hpp"
#include "core/plan/lower/lower.hpp"
#include "tests/plan/random_plans.hpp"
#include "tests/plan/sample_gradients.hpp"
#include "tests/plan/sample_plans.hpp"
#include "tests/plan/small_pieces.hpp"
#include "tests/support/interpreter.hpp"

namespace convoy::testing::fuse_updates_test {
namespace {

constexpr std::uint64_t kSteps = 4;

plan::Plan fused_or_same(const plan::Plan& plan) {
  return plan::fuse_updates(plan, *plan.cluster, false).value_or(plan);
}

std::map<plan::OperationKind, std::size_t> count_kinds(const plan::Plan& plan) {
  std::map<plan::OperationKind, std::size_t> counts;
  for (const plan::Operation& operation : plan.body) ++counts[operation.kind];
  return counts;
}

// What training is about: gradients may differ, they are not read again.
std::string first_difference(const plan::Plan& plan, const Interpreter& a, const Interpreter& b) {
  for (std::uint32_t i = 0; i < plan.buffers.size(); ++i) {
    const std::uint32_t kind = plan.buffers[i].kind;
    if (kind == CONVOY_BUFFER_SCRATCH || kind == CONVOY_BUFFER_GRADIENT) continue;
    if (std::memcmp(a.bytes(i).data(), b.bytes(i).data(), a.bytes(i).size()) != 0)
      return plan.buffer_name(i);
  }
  return "none";
}

// Sums of these are rounded: only the same order of additions gives the same bits.
void rough_gradient(const GradientRequest& request, std::span<float> gradient) {
  exact_gradient(request, gradient);
  for (float& value : gradient) value *= 0.1f + 0.3f * static_cast<float>(request.replica);
}

std::string plain_and_fused(const plan::Plan& plan) {
  const plan::Plan fused = plan::lower(fused_or_same(plan), kSmallPieces);
  Interpreter a(plan, sample_options(*plan.arena, rough_gradient));
  Interpreter b(fused, sample_options(*plan.arena, rough_gradient));
  a.run(kSteps);
  b.run(kSteps);
  return first_difference(plan, a, b);
}

TEST(FuseUpdates, KeepsTheBitsOfWhatWasSummedFromLeftToRight) {
  for (const std::uint32_t replicas : {1u, 2u, 3u, 5u, 8u})
    for (const plan::ArenaMap& arena : {small_arena(0), small_arena(16), ragged_arena()}) {
      const plan::Cluster cluster = plan::make_single_host(replicas, true, "cpu");
      for (const SamplePlan& sample : sample_plans()) {
        if (sample.name == "replicated_ring" || sample.name == "replicated_tree" ||
            sample.name == "ring")
          continue;
        EXPECT_EQ(plain_and_fused(write_plan(cluster, arena, sample.write)), "none")
            << sample.name << ", " << replicas << " replicas, " << arena.buckets.size()
            << " buckets";
      }
    }
}

TEST(FuseUpdates, KeepsTheBitsOfRandomPlans) {
  const plan::ArenaMap arena = small_arena(32);
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const plan::Cluster cluster = plan::make_single_host(1 + seed % 4, true, "cpu");
    const plan::Plan plan = write_plan(cluster, arena, random_plan(seed, true));
    const plan::Plan fused = fused_or_same(plan);
    const bool differs = plan::plan_hash(plan::lower(fused)) != plan::plan_hash(plan::lower(plan));
    EXPECT_EQ(differs, plan::fuse_updates(plan, *plan.cluster, false).has_value())
        << "seed " << seed;
    EXPECT_EQ(differs, count_kinds(plan) != count_kinds(fused)) << "seed " << seed;
    Interpreter a(plan, sample_options(arena, exact_gradient));
    Interpreter b(fused, sample_options(arena, exact_gradient));
    a.run(kSteps);
    b.run(kSteps);
    ASSERT_EQ(first_difference(plan, a, b), "none") << "seed " << seed;
  }
}

TEST(FuseUpdates, MakesOneUpdateOfEveryBucketWhereMemoryIsShared) {
  const plan::ArenaMap arena = small_arena(16);
  const plan::Cluster cluster = plan::make_single_host(3, true, "cpu");
  for (const auto& [name, write] :
       std::map<std::string, WritePlan>{{"server", write_parameter_server},
                                        {"sharded", write_sharded_server},
                                        {"all_reduce", write_replicated(Algorithm::kDevice)},
                                        {"copies", write_copy_reduce}}) {
    const plan::Plan fused = fused_or_same(write_plan(cluster, arena, write));
    auto counts = count_kinds(fused);
    EXPECT_EQ(counts[plan::OperationKind::kSum] + counts[plan::OperationKind::kAllReduce], 0u)
        << name;
    EXPECT_EQ(counts[plan::OperationKind::kApply], arena.buckets.size()) << name;
    for (const plan::Operation& operation : fused.body) {
      if (operation.kind != plan::OperationKind::kApply) continue;
      EXPECT_EQ(operation.reads.size(), 3u) << name;
    }
  }
}

TEST(FuseUpdates, LeavesDevicesAloneThatDoNotShareMemory) {
  const plan::ArenaMap arena = small_arena(16);
  const plan::Cluster cluster = plan::make_single_host(3, false, "gpu");
  for (const SamplePlan& sample : sample_plans()) {
    const plan::Plan plan = write_plan(cluster, arena, sample.write);
    EXPECT_FALSE(plan::fuse_updates(plan, *plan.cluster, false)) << sample.name;
  }
}

TEST(FuseUpdates, KeepsASumThatSomethingElseReads) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  const auto written = [&](bool before, bool after) {
    return write_plan(cluster, arena, [=](Planner& p) {
      p.compute();
      const Buffer kept = p.persistent(p.host_place(ReplicaId(0)), p.arena_elements());
      const Buffer total = p.scratch(p.host_place(ReplicaId(0)), p.arena_elements());
      p.sum(total, p.all_gradients(p.arena()));
      if (before) p.scale(kept, total, 0.5);
      for (const auto r : p.replicas()) p.apply(p.parameters(r), total);
      if (after) p.add(kept, kept, total);
    });
  };
  EXPECT_EQ(count_kinds(fused_or_same(written(false, false)))[plan::OperationKind::kSum], 0u);
  EXPECT_EQ(count_kinds(fused_or_same(written(true, false)))[plan::OperationKind::kSum], 1u);
  EXPECT_EQ(count_kinds(fused_or_same(written(false, true)))[plan::OperationKind::kSum], 1u);
}

// More than are looked through one by one.
TEST(FuseUpdates, TreatsHundredsOfDevicesAsItTreatsAFew) {
  const plan::ArenaMap arena = large_arena(2'000, 8, 4);
  const std::size_t buckets = arena.buckets.size();
  for (const std::uint32_t replicas : {3u, 130u}) {
    SCOPED_TRACE(replicas);
    const plan::Cluster cluster = plan::make_single_host(replicas, true, "cpu");
    plan::Plan plan = write_plan(cluster, arena, write_replicated(Algorithm::kDevice));
    std::map<plan::OperationKind, std::size_t> kinds = count_kinds(fused_or_same(plan));
    EXPECT_EQ(kinds[plan::OperationKind::kApply], buckets);
    EXPECT_EQ(kinds[plan::OperationKind::kAllReduce], 0u);
    // The last bucket's sum is read once more before the last update of it.
    const auto last = std::find_if(
        plan.body.rbegin(), plan.body.rend(),
        [](const plan::Operation& it) { return it.kind == plan::OperationKind::kApply; });
    plan::Operation reads = *last;
    reads.kind = plan::OperationKind::kScale;
    reads.reads = {last->reads.front()};
    reads.writes = {last->reads.front()};
    plan.body.insert(last.base() - 1, reads);
    kinds = count_kinds(fused_or_same(plan));
    EXPECT_EQ(kinds[plan::OperationKind::kApply], buckets - 1 + replicas);
    EXPECT_EQ(kinds[plan::OperationKind::kAllReduce], 1u);
  }
}

TEST(FuseUpdates, KeepsASumWhoseGradientsChangeBeforeTheUpdate) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  const plan::Plan plan = write_plan(cluster, arena, [](Planner& p) {
    p.compute();
    const Buffer total = p.scratch(p.host_place(ReplicaId(0)), p.arena_elements());
    p.sum(total, p.all_gradients(p.arena()));
    p.fill(p.gradient(ReplicaId(1)), 0);
    for (const auto r : p.replicas()) p.apply(p.parameters(r), total);
  });
  EXPECT_FALSE(plan::fuse_updates(plan, *plan.cluster, false));
}

TEST(FuseUpdates, KeepsWhatTheCheckerSays) {
  for (const std::uint32_t replicas : {2u, 3u})
    for (const SamplePlan& sample : sample_plans()) {
      const plan::ArenaMap arena = ragged_arena();
      const plan::Cluster cluster = plan::make_single_host(replicas, true, "cpu");
      const plan::Plan plan = write_plan(cluster, arena, sample.write);
      const plan::Plan fused = plan::lower(fused_or_same(plan), kSmallPieces);
      EXPECT_EQ(plan::check::check_plan(fused).verdict_text(),
                plan::check::check_plan(plan).verdict_text())
          << sample.name << ", " << replicas << " replicas";
    }
}

// A gradient that is left out of a fused update is seen as one that is left out of a sum.
TEST(FuseUpdates, LetsTheCheckerSeeAMissingGradient) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(3, true, "cpu");
  plan::Plan fused = fused_or_same(write_plan(cluster, arena, write_copy_reduce));
  plan::Operation& update = fused.body.back();
  ASSERT_EQ(update.kind, plan::OperationKind::kApply);
  ASSERT_EQ(update.writes.size(), 3u);
  std::copy(update.reads.begin() + 2, update.reads.end(), update.reads.begin() + 1);
  update.reads.pop_back();
  const plan::check::CheckReport report = plan::check::check_plan(fused);
  EXPECT_EQ(report.verdict, plan::check::Verdict::kWrong);
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings.front().kind, plan::check::FindingKind::kMissing);
  EXPECT_EQ(report.findings.front().replica, 1u);
}

}  // namespace
}  // namespace convoy::testing::fuse_updates_test
