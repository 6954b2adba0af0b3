#include "core/plan/schedule/priorities.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/plan/host_cluster.hpp"
#include "core/plan/lower/lower.hpp"
#include "core/plan/schedule/schedule.hpp"
#include "tests/plan/sample_models.hpp"

namespace convoy::testing::priorities_test {
namespace {

// Two halves of the arena go from the first replica to the host and back; the second half, which is
// written last, is urgent.
void write_halves(Planner& p) {
  const ReplicaId r(0);
  p.compute();
  for (const Range range : split(p.arena(), 2))
    p.with_priority(range.first == 0 ? 0 : 3, [&] {
      const Buffer sent = p.scratch(p.host_place(r), range.count);
      p.copy(sent, p.gradient(r)[range]);
      p.apply(p.parameters(r)[range], p.gradient(r)[range], {.contributions = 1});
    });
}

std::vector<const plan::Operation*> copies_of(const plan::Plan& lowered) {
  std::vector<const plan::Operation*> copies;
  for (const plan::Operation& it : lowered.body)
    if (it.kind == plan::OperationKind::kCopy) copies.push_back(&it);
  return copies;
}

TEST(Priorities, OfAPlanWithoutAnyAreNotKept) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  const plan::Plan plan = plan::lower(write_plan(cluster, arena, [](Planner& p) {
    p.compute();
    for (const auto r : p.replicas()) p.apply(p.parameters(r), p.gradient(r), {.contributions = 1});
  }));
  EXPECT_TRUE(plan::find_priorities(plan, plan::find_dependencies(plan)).of.empty());
  for (const plan::Lane& lane : plan::make_schedule(plan).lanes) EXPECT_EQ(lane.priority, 0u);
}

TEST(Priorities, PassFromWhatWaitsToWhatItWaitsForButNotThroughCompute) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(1, true, "cpu");
  const plan::Plan plan = plan::lower(write_plan(cluster, arena, [](Planner& p) {
    const ReplicaId r(0);
    const Buffer a = p.scratch(p.replica_place(r), p.arena_elements());
    const Buffer b = p.scratch(p.replica_place(r), p.arena_elements());
    p.fill(p.parameters(r), 1);
    p.compute();
    p.scale(a, p.gradient(r), 2);
    p.with_priority(2, [&] { p.scale(b, a, 2); });
    p.scale(a, a, 2);
  }));
  const plan::Priorities priorities = plan::find_priorities(plan, plan::find_dependencies(plan));
  std::vector<std::uint32_t> of_scales;
  for (std::size_t i = 0; i < plan.body.size(); ++i) {
    if (plan.body[i].kind == plan::OperationKind::kScale) of_scales.push_back(priorities[i]);
    if (plan.body[i].kind == plan::OperationKind::kFill || plan::is_compute(plan.body[i].kind)) {
      EXPECT_EQ(priorities[i], 0u) << i;
    }
  }
  EXPECT_EQ(of_scales, (std::vector<std::uint32_t>{2, 2, 0}));
}

TEST(Priorities, GiveUrgentOperationsLanesOfTheirOwn) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(1, true, "cpu");
  const plan::Plan plan = plan::lower(write_plan(cluster, arena, write_halves));
  const plan::Schedule schedule = plan::make_schedule(plan);
  const auto copies = copies_of(plan);
  ASSERT_EQ(copies.size(), 2u);
  const plan::ScheduledOperation& late = schedule.operations[copies[0] - plan.body.data()];
  const plan::ScheduledOperation& urgent = schedule.operations[copies[1] - plan.body.data()];
  EXPECT_NE(late.lane, urgent.lane);
  EXPECT_EQ(schedule.lanes[urgent.lane].priority, 3u);
  EXPECT_LT(urgent.urgency, late.urgency);
  for (std::size_t i = 0; i < plan.body.size(); ++i) {
    if (plan::is_compute(plan.body[i].kind)) {
      EXPECT_GT(schedule.operations[i].urgency, late.urgency);
    }
  }
}

// Devices without lanes per priority keep one order, in which the urgent one is first among equals.
TEST(Priorities, OnlyOrderTheOneLaneOfOtherDevices) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(1, false, "cuda");
  const plan::Plan plan = plan::lower(write_plan(cluster, arena, [](Planner& p) {
    const ReplicaId r(0);
    p.compute();
    const auto whole = p.arena();
    const Buffer a = p.scratch(p.replica_place(r), whole.count);
    const Buffer b = p.scratch(p.replica_place(r), whole.count);
    p.scale(a, p.gradient(r), 2);
    p.with_priority(1, [&] { p.scale(b, p.gradient(r), 3); });
  }));
  const plan::Schedule schedule = plan::make_schedule(plan);
  std::vector<double> order;
  for (const plan::Lane& lane : schedule.lanes) {
    EXPECT_EQ(lane.priority, 0u);
    for (const std::uint32_t i : lane.operations)
      if (plan.body[i].kind == plan::OperationKind::kScale) order.push_back(plan.body[i].scalar);
  }
  EXPECT_EQ(order, (std::vector<double>{3, 2}));
}

// What is staged for one priority is not staged in memory that another one holds.
TEST(Priorities, ReachTheNetworkWithoutWaitingForEachOthersStaging) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_hosts({2, 1, false, "cuda", {}});
  const plan::Plan plan = plan::lower(write_plan(cluster, arena, [](Planner& p) {
    p.compute();
    for (const Range range : split(p.arena(), 2))
      p.with_priority(range.first == 0 ? 0 : 3, [&] {
        p.copy(p.scratch(p.host_place(ReplicaId(1)), range.count), p.gradient(ReplicaId(0))[range]);
      });
  }));
  const plan::Schedule schedule = plan::make_schedule(plan);
  std::vector<std::uint32_t> sent;
  for (const plan::Lane& lane : schedule.lanes)
    if (lane.lane == plan::kNetworkLane) sent.push_back(lane.priority);
  std::ranges::sort(sent);
  EXPECT_EQ(sent, (std::vector<std::uint32_t>{0, 3}));
}

}  // namespace
}  // namespace convoy::testing::priorities_test
