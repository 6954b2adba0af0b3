#include "core/plan/lower/lower.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/base/error.hpp"
#include "core/plan/lower/lowered_size.hpp"
#include "tests/plan/mixed_updates.hpp"
#include "tests/plan/random_plans.hpp"
#include "tests/plan/sample_gradients.hpp"
#include "tests/plan/sample_plans.hpp"
#include "tests/plan/small_pieces.hpp"
#include "tests/support/interpreter.hpp"

namespace convoy::testing::lower_test {
namespace {

constexpr std::uint64_t kSteps = 4;

// Buffers that both plans have, scratch aside.
std::string first_difference(const plan::Plan& plan, const Interpreter& a, const Interpreter& b) {
  for (std::uint32_t i = 0; i < plan.buffers.size(); ++i) {
    if (plan.buffers[i].kind == CONVOY_BUFFER_SCRATCH) continue;
    if (std::memcmp(a.bytes(i).data(), b.bytes(i).data(), a.bytes(i).size()) != 0)
      return plan.buffer_name(i);
  }
  return "none";
}

std::string logical_and_lowered(const plan::Plan& plan) {
  const plan::Plan lowered = plan::lower(plan, kSmallPieces);
  Interpreter a(plan, sample_options(*plan.arena, exact_gradient));
  Interpreter b(lowered, sample_options(*plan.arena, exact_gradient));
  a.run(kSteps);
  b.run(kSteps);
  return first_difference(plan, a, b);
}

TEST(Lower, KeepsTheBitsOfEverySampleForEveryNumberOfReplicas) {
  for (const std::uint32_t replicas : {1u, 2u, 3u, 4u, 5u, 8u})
    for (const bool peer_access : {true, false})
      for (const plan::ArenaMap& arena : {small_arena(0), small_arena(16), ragged_arena()}) {
        const plan::Cluster cluster = plan::make_single_host(replicas, peer_access, "cpu");
        for (const SamplePlan& sample : sample_plans()) {
          // Thirds are not exact, so their sum depends on the order.
          if (sample.name == "prescaled" && !std::has_single_bit(replicas)) continue;
          ASSERT_EQ(logical_and_lowered(write_plan(cluster, arena, sample.write)), "none")
              << sample.name << ", " << replicas << " replicas, peer access " << peer_access << ", "
              << arena.buckets.size() << " buckets";
        }
      }
}

// Why it cannot be lowered where devices do not see each other's memory.
std::string why_not_lowered(const WritePlan& write) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(2, false, "cpu");
  const plan::Plan plan = write_plan(cluster, arena, write);
  try {
    plan::lower(plan);
  } catch (const Error& error) {
    return error.what();
  }
  return "lowered";
}

TEST(Lower, MemoryOutOfReachIsNamed) {
  const auto quantise = [](bool reads_other, bool keeps_other) {
    return [=](Planner& p) {
      const convoy::Coding coding{convoy::Code::k8Bits, 16};
      std::vector<Buffer> rests;
      for (const auto r : p.replicas()) {
        rests.push_back(p.persistent(p.replica_place(r), p.arena_elements()));
        p.name(rests.back(), "rest");
      }
      const PlaceId here = p.replica_place(ReplicaId(0));
      const std::uint64_t bytes = coding.code_bytes(p.arena_elements());
      p.compute();
      p.quantise(p.scratch(here, bytes, Dtype::kU8),
                 p.scratch(here, coding.scales(p.arena_elements())),
                 p.gradient(ReplicaId(reads_other ? 1 : 0)), coding, rests[keeps_other ? 1 : 0]);
    };
  };
  EXPECT_EQ(why_not_lowered(quantise(false, false)), "lowered");
  EXPECT_EQ(why_not_lowered(quantise(true, false)),
            "operation 4 (quantise) at cpu:0 reads gradient(1)[0..137), which this place cannot "
            "address; copy it to memory of the place first");
  EXPECT_EQ(why_not_lowered(quantise(false, true)),
            "operation 4 (quantise) at cpu:0 writes rest (cpu:1)[0..137), which this place "
            "cannot address; let it write memory of the place, and copy from there");
}

// Without peer access collectives become rings, which sum in another order.
TEST(Lower, KeepsTheBitsOfRandomPlans) {
  const plan::ArenaMap arena = small_arena(32);
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    const bool peer_access = seed % 2 == 0;
    const plan::Cluster cluster = plan::make_single_host(1 + seed % 4, peer_access, "cpu");
    ASSERT_EQ(logical_and_lowered(write_plan(cluster, arena, random_plan(seed, peer_access))),
              "none")
        << "seed " << seed;
  }
}

TEST(Lower, EveryOperationAddressesItsSpansFromItsPlace) {
  for (const bool peer_access : {true, false}) {
    const plan::ArenaMap arena = ragged_arena();
    const plan::Cluster cluster = plan::make_single_host(3, peer_access, "cpu");
    for (const SamplePlan& sample : sample_plans()) {
      const plan::Plan plan = plan::lower(write_plan(cluster, arena, sample.write), kSmallPieces);
      for (const auto* section : {&plan.prologue, &plan.body})
        for (const plan::Operation& operation : *section) {
          EXPECT_FALSE(plan::is_collective(operation.kind));
          for (const auto* spans : {&operation.reads, &operation.writes})
            for (const plan::PlanSpan& span : *spans)
              EXPECT_TRUE(cluster.access[operation.place][plan.buffers[span.buffer].place])
                  << sample.name << ", operation " << operation.id;
        }
    }
  }
}

TEST(Lower, SumsOverRemoteSpansHideOnlyBoundedStagingMemory) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(4, false, "gpu");
  const plan::Plan logical = write_plan(cluster, arena, write_parameter_server);
  const plan::Plan plan = plan::lower(logical, kSmallPieces);
  std::uint64_t staging = 0;
  for (std::size_t i = logical.buffers.size(); i < plan.buffers.size(); ++i)
    staging += plan.buffers[i].count;
  // Two halves of one piece for each of the four operands.
  EXPECT_LE(staging, 2 * 4 * kSmallPieces.staging_elements);
  EXPECT_GT(staging, 0u);
}

TEST(Lower, CutsComputeIntoTheSegmentsOfTheModel) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(1, true, "cpu");
  const plan::Plan plan = plan::lower(write_plan(cluster, arena, [](Planner& p) { p.compute(); }));
  ASSERT_EQ(plan.body.size(), 2 * arena.segments.size());
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(plan.body[i].segment, i);
    EXPECT_EQ(plan.body[i].reads.front().first, arena.segments[i].range.first);
    EXPECT_EQ(plan.body[5 - i].segment, i);
    EXPECT_EQ(plan.body[5 - i].writes.front().count, arena.segments[i].range.count);
  }
}

TEST(Lower, RefusesAKernelOnMemoryThatItsPlaceCannotAddress) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(2, false, "gpu");
  const plan::Plan plan = write_plan(cluster, arena, [](Planner& p) {
    p.compute();
    p.call("compress", p.replica_place(ReplicaId(0)), {p.gradient(ReplicaId(1))},
           {p.gradient(ReplicaId(0))});
  });
  try {
    plan::lower(plan);
    FAIL() << "it was lowered";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("copy it to memory of the place first"),
              std::string::npos)
        << error.what();
  }
}

std::size_t updates_of(const plan::Plan& plan) {
  return static_cast<std::size_t>(
      std::ranges::count(plan.body, plan::OperationKind::kApply, &plan::Operation::kind));
}

TEST(Lower, CutsUpdatesWhoseElementsHaveHadDifferentNumbersOfUpdates) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(1, true, "cpu");
  const plan::Plan plan = write_plan(cluster, arena, [](Planner& p) {
    const ReplicaId r(0);
    const Range part{16, 32};
    p.compute();
    p.apply(p.parameters(r), p.gradient(r));
    p.apply(p.parameters(r)[part], p.gradient(r)[part]);
  });
  const plan::Plan lowered = plan::lower(plan);
  EXPECT_EQ(updates_of(lowered), 4u) << "the first one before, within and behind the part";
  EXPECT_EQ(first_mixed_update(lowered), "none");
  const plan::ArenaMap parts = small_arena(32);
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    const plan::Cluster several = plan::make_single_host(1 + seed % 4, true, "cpu");
    const plan::Plan random = write_plan(several, parts, random_plan(seed, false));
    EXPECT_EQ(first_mixed_update(plan::lower(random, kSmallPieces)), "none") << "seed " << seed;
  }
}

TEST(Lower, LeavesUpdatesWholeWhereAllElementsHaveHadAsMany) {
  const plan::ArenaMap arena = ragged_arena();
  const plan::Cluster cluster = plan::make_single_host(3, true, "cpu");
  for (const SamplePlan& sample : sample_plans()) {
    const plan::Plan plan = write_plan(cluster, arena, sample.write);
    EXPECT_EQ(updates_of(plan::lower(plan)), updates_of(plan)) << sample.name;
  }
}

// Otherwise a plan would be refused that has room.
TEST(Lower, PlansBecomeNoSmallerThanExpected) {
  for (const std::uint32_t replicas : {1u, 3u, 8u})
    for (const bool peer_access : {true, false}) {
      const plan::Cluster cluster = plan::make_single_host(replicas, peer_access, "cpu");
      const plan::ArenaMap arena = small_arena(16);
      for (const SamplePlan& sample : sample_plans()) {
        const plan::Plan plan = write_plan(cluster, arena, sample.write);
        const std::size_t least =
            plan::expected_size(plan::Lowering(plan, *plan.cluster, {}), plan.body).least;
        EXPECT_LE(least, plan::lower(plan).body.size())
            << sample.name << ", " << replicas << " replicas";
      }
    }
}

// Otherwise a gigabyte of operations is moved while it grows.
TEST(Lower, RingsFitIntoTheRoomThatIsMadeForThem) {
  for (const bool peer_access : {true, false}) {
    const plan::Cluster cluster = plan::make_single_host(8, peer_access, "cpu");
    const plan::ArenaMap arena = large_arena(64'000, 4, 1);
    const plan::Plan plan = write_plan(cluster, arena, [](Planner& p) {
      p.compute();
      p.all_reduce(p.all_gradients(p.arena()), {.algorithm = Algorithm::kRing});
    });
    EXPECT_GE(plan::expected_size(plan::Lowering(plan, cluster, {}), plan.body).about,
              plan::lower(plan).body.size());
  }
}

TEST(Lower, RefusesTooManyOperationsBeforeItMakesThem) {
  constexpr std::uint32_t kReplicas = 256;
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(kReplicas, true, "cpu");
  const plan::Plan plan = write_plan(cluster, arena, [](Planner& p) {
    p.compute();
    std::vector<Span> parts, all;
    for (const auto r : p.replicas()) {
      all.push_back(p.scratch(p.replica_place(r), kReplicas));
      parts.push_back(part(all.back(), r.index(), 1));
    }
    for (int i = 0; i < 125; ++i) p.all_gather(all, parts);
  });
  EXPECT_GT(plan::expected_size(plan::Lowering(plan, *plan.cluster, {}), plan.body).least,
            plan::kMaximumLoweredOperations);
  EXPECT_THROW(plan::lower(plan), Error);
}

TEST(Lower, RefusesTooManyRingsBeforeItMakesThem) {
  constexpr std::uint32_t kReplicas = 256;
  const plan::ArenaMap arena = large_arena(16 * kReplicas, 4, 1);
  const plan::Cluster cluster = plan::make_single_host(kReplicas, false, "cpu");
  const plan::Plan plan = write_plan(cluster, arena, [](Planner& p) {
    p.compute();
    for (int i = 0; i < 25; ++i) p.all_reduce(p.all_gradients({0, p.arena_elements()}));
  });
  EXPECT_GT(plan::expected_size(plan::Lowering(plan, *plan.cluster, {}), plan.body).least,
            plan::kMaximumLoweredOperations);
  EXPECT_THROW(plan::lower(plan), Error);
}

TEST(Lower, IsPure) {
  const plan::ArenaMap arena = ragged_arena();
  const plan::Cluster cluster = plan::make_single_host(3, false, "gpu");
  for (const SamplePlan& sample : sample_plans()) {
    const plan::Plan plan = write_plan(cluster, arena, sample.write);
    EXPECT_EQ(plan::plan_hash(plan::lower(plan)), plan::plan_hash(plan::lower(plan)))
        << sample.name;
    EXPECT_NE(plan::plan_hash(plan::lower(plan, kSmallPieces)), plan::plan_hash(plan))
        << sample.name;
  }
}

}  // namespace
}  // namespace convoy::testing::lower_test
