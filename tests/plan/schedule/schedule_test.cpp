#include "core/plan/schedule/schedule.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "core/plan/host_cluster.hpp"
#include "core/plan/lower/lower.hpp"
#include "tests/plan/random_plans.hpp"
#include "tests/plan/sample_gradients.hpp"
#include "tests/plan/sample_plans.hpp"
#include "tests/plan/schedule/lane_simulator.hpp"
#include "tests/plan/small_pieces.hpp"

namespace convoy::testing {
namespace {

constexpr std::uint64_t kIterations = 4;

// Every order that the lanes and waits allow must give the bits of program order.
void expect_program_order_meaning(const plan::Plan& lowered, int orders, std::uint32_t seed,
                                  const std::string& what) {
  const plan::Schedule schedule = plan::make_schedule(lowered);
  Interpreter reference(lowered, sample_options(*lowered.arena, exact_gradient));
  run_in_program_order(lowered, kIterations, reference);
  std::mt19937 random(seed);
  for (int i = 0; i < orders; ++i) {
    Interpreter shuffled(lowered, sample_options(*lowered.arena, exact_gradient));
    const auto stuck = run_in_random_order(lowered, schedule, kIterations, random, shuffled);
    ASSERT_EQ(stuck.value_or(""), "") << what;
    ASSERT_EQ(different_memory(lowered, reference, shuffled).value_or("none"), "none")
        << what << ", order " << i;
  }
}

TEST(ReducedWaits, KeepTheMeaningOfEverySampleInAnyOrder) {
  for (const std::uint32_t replicas : {1u, 2u, 3u, 5u})
    for (const bool peer_access : {true, false})
      for (const plan::ArenaMap& arena : {small_arena(32), ragged_arena()}) {
        const plan::Cluster cluster = plan::make_single_host(replicas, peer_access, "cpu");
        for (const SamplePlan& sample : sample_plans()) {
          if (sample.name == "asynchronous") continue;
          const plan::Plan plan =
              plan::lower(write_plan(cluster, arena, sample.write), kSmallPieces);
          expect_program_order_meaning(
              plan, 3, replicas,
              fmt::format("{}, {} replicas, peer access {}", sample.name, replicas, peer_access));
        }
      }
}

TEST(ReducedWaits, KeepTheMeaningOfRandomPlansInAnyOrder) {
  const plan::ArenaMap arena = small_arena(32);
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    const bool peer_access = seed % 2 == 0;
    const plan::Cluster cluster = plan::make_single_host(1 + seed % 3, peer_access, "cpu");
    const plan::Plan plan =
        plan::lower(write_plan(cluster, arena, random_plan(seed, true)), kSmallPieces);
    expect_program_order_meaning(plan, 3, seed, fmt::format("random plan {}", seed));
  }
}

TEST(ReducedWaits, KeepTheMeaningOfPlansWithPriorities) {
  const plan::ArenaMap arena = small_arena(32);
  std::size_t overtaking = 0;
  for (std::uint32_t seed = 0; seed < 150; ++seed) {
    const bool peer_access = seed % 2 == 0;
    const plan::Cluster cluster = plan::make_single_host(1 + seed % 3, peer_access, "cpu");
    const plan::Plan plan = plan::lower(
        with_random_priorities(write_plan(cluster, arena, random_plan(seed, true)), seed),
        kSmallPieces);
    for (const plan::Lane& lane : plan::make_schedule(plan).lanes) overtaking += lane.priority != 0;
    expect_program_order_meaning(plan, 3, seed, fmt::format("random plan {}", seed));
  }
  EXPECT_GT(overtaking, 150u);
}

// The simulator must be able to tell: without its waits a schedule goes wrong.
TEST(ReducedWaits, AreNecessary) {
  const plan::ArenaMap arena = small_arena(32);
  const plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  const plan::Plan plan =
      plan::lower(write_plan(cluster, arena, write_parameter_server), kSmallPieces);
  Interpreter reference(plan, sample_options(arena, exact_gradient));
  run_in_program_order(plan, kIterations, reference);
  std::mt19937 random(7);
  const plan::Schedule whole = plan::make_schedule(plan);
  std::size_t waits = 0;
  std::size_t needed = 0;
  for (std::size_t i = 0; i < whole.operations.size(); ++i)
    for (std::size_t w = 0; w < whole.operations[i].waits.size(); ++w) {
      ++waits;
      plan::Schedule without = whole;
      auto& list = without.operations[i].waits;
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(w));
      bool harmed = false;
      for (int tries = 0; tries < 20 && !harmed; ++tries) {
        Interpreter shuffled(plan, sample_options(arena, exact_gradient));
        run_in_random_order(plan, without, kIterations, random, shuffled);
        harmed = different_memory(plan, reference, shuffled).has_value();
      }
      needed += harmed ? 1 : 0;
    }
  std::cout << fmt::format("{} of {} waits were seen to be necessary\n", needed, waits);
  EXPECT_GT(needed * 2, waits);
}

TEST(Schedule, LanesHoldEveryOperationOnceInOrderOfSubmission) {
  const plan::ArenaMap arena = ragged_arena();
  const plan::Cluster cluster = plan::make_single_host(3, false, "cpu");
  for (const SamplePlan& sample : sample_plans()) {
    const plan::Plan plan = plan::lower(write_plan(cluster, arena, sample.write), kSmallPieces);
    const plan::Schedule schedule = plan::make_schedule(plan);
    std::vector<std::uint32_t> rank(plan.body.size(), 0);
    for (std::uint32_t i = 0; i < schedule.submission.size(); ++i) rank[schedule.submission[i]] = i;
    std::size_t total = 0;
    for (std::uint32_t l = 0; l < schedule.lanes.size(); ++l) {
      const plan::Lane& lane = schedule.lanes[l];
      total += lane.operations.size();
      for (std::uint32_t i = 0; i < lane.operations.size(); ++i) {
        const plan::Operation& operation = plan.body[lane.operations[i]];
        EXPECT_EQ(operation.place, lane.place);
        EXPECT_EQ(operation.lane, lane.lane);
        EXPECT_EQ(schedule.operations[operation.id - plan.prologue.size()].position, i);
        EXPECT_EQ(schedule.operations[operation.id - plan.prologue.size()].lane, l);
        if (i > 0) {
          EXPECT_LT(rank[lane.operations[i - 1]], rank[lane.operations[i]]);
        }
      }
    }
    EXPECT_EQ(total, plan.body.size()) << sample.name;
    EXPECT_EQ(schedule.phase_end.back(), plan.body.size()) << sample.name;
  }
}

TEST(Schedule, SubmissionRespectsEveryDependencyAndPhase) {
  const plan::ArenaMap arena = ragged_arena();
  const plan::Cluster cluster = plan::make_single_host(3, true, "cpu");
  for (const SamplePlan& sample : sample_plans()) {
    const plan::Plan plan = plan::lower(write_plan(cluster, arena, sample.write), kSmallPieces);
    const auto dependencies = plan::find_dependencies(plan);
    const plan::Schedule schedule = plan::make_schedule(plan);
    std::vector<std::uint32_t> rank(plan.body.size(), 0);
    for (std::uint32_t i = 0; i < schedule.submission.size(); ++i) rank[schedule.submission[i]] = i;
    for (std::uint32_t i = 0; i < plan.body.size(); ++i) {
      for (const plan::Dependency& dependency : dependencies[i])
        if (dependency.distance == 0) {
          ASSERT_LT(rank[dependency.before], rank[i]) << sample.name << ", operation " << i;
        }
      const std::uint32_t phase = plan.body[i].phase;
      ASSERT_LT(rank[i], schedule.phase_end[phase]) << sample.name << ", operation " << i;
      if (phase > 0) {
        ASSERT_GE(rank[i], schedule.phase_end[phase - 1]) << sample.name;
      }
    }
  }
}

TEST(Schedule, FetchesComeInTheOrderInWhichForwardNeedsThem) {
  const plan::ArenaMap arena = small_arena(16);
  const plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  const plan::Plan plan = plan::lower(write_plan(cluster, arena, write_parameter_server));
  const plan::Schedule schedule = plan::make_schedule(plan);
  for (const plan::Lane& lane : schedule.lanes) {
    if (lane.lane != CONVOY_LANE_COPY_IN) continue;
    // Forward starts at the end of the arena.
    for (std::size_t i = 1; i < lane.operations.size(); ++i) {
      const auto segment_of = [&](std::size_t at) {
        const plan::PlanSpan& span = plan.body[lane.operations[at]].writes.front();
        const std::uint64_t last = span.first + span.count - 1;
        return last >= 105 ? 0 : last >= 72 ? 1 : 2;
      };
      EXPECT_LE(segment_of(i - 1), segment_of(i)) << "place " << lane.place << ", position " << i;
    }
  }
}

// Whose parts become ready one after the other: the first one alone would use the network in one
// direction at a time.
TEST(Schedule, ARingBetweenHostsGoesOnStepByStep) {
  for (const std::uint32_t hosts : {2u, 3u}) {
    const plan::Cluster cluster = plan::make_hosts({hosts, 1, true, "cpu", {}});
    const plan::ArenaMap arena = small_arena(0);
    const plan::Plan plan =
        plan::lower(write_plan(cluster, arena, write_replicated(Algorithm::kRing)));
    for (const plan::Lane& lane : plan::make_schedule(plan).lanes)
      if (lane.lane == plan::kNetworkLane) {
        EXPECT_EQ(lane.operations.size(), 2 * (hosts - 1) * arena.buckets.size());
        EXPECT_TRUE(std::ranges::is_sorted(lane.operations)) << lane.sender;
      }
  }
}

}  // namespace
}  // namespace convoy::testing
