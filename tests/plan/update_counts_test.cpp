#include "core/plan/update_counts.hpp"

#include <gtest/gtest.h>

#include "tests/plan/sample_plans.hpp"

namespace convoy::testing::update_counts_test {
namespace {

// Two updates of one replica's parameters: of all elements and of a part.
plan::Plan write_whole_and_part(const plan::Cluster& cluster, const plan::ArenaMap& arena) {
  return write_plan(cluster, arena, [](Planner& p) {
    const ReplicaId r(0);
    p.compute();
    p.apply(p.parameters(r), p.gradient(r));
    p.apply(p.parameters(r)[{16, 32}], p.gradient(r)[{16, 32}]);
  });
}

std::vector<const plan::Operation*> updates_of(const plan::Plan& plan) {
  std::vector<const plan::Operation*> updates;
  for (const plan::Operation& operation : plan.body)
    if (operation.kind == plan::OperationKind::kApply) updates.push_back(&operation);
  return updates;
}

TEST(UpdateCounts, AreOfElementsThatUpdatesChangeTogether) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(1, true, "cpu");
  const plan::Plan plan = write_whole_and_part(cluster, arena);
  const auto updates = updates_of(plan);
  ASSERT_EQ(updates.size(), 2u);
  plan::UpdateCounts counts(plan);
  EXPECT_EQ(counts.most(), 0u);
  EXPECT_EQ(counts.count(*updates[0]), 0u);
  EXPECT_EQ(counts.count(*updates[1]), 1u);
  EXPECT_EQ(counts.count(*updates[1]), 2u);
  EXPECT_EQ(counts.most(), 3u);
  const auto cells = counts.cells_of(updates[0]->writes.front());
  ASSERT_EQ(cells.size(), 3u);
  EXPECT_EQ(cells[0].updates, 1u);
  EXPECT_EQ(cells[1].updates, 3u);
  EXPECT_EQ(cells[1].range.first, 16u);
  EXPECT_EQ(cells[1].range.count, 32u);
  EXPECT_EQ(cells[2].updates, 1u);
}

TEST(UpdateCounts, SayWhetherAnElementHasSeveralUpdates) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(1, true, "cpu");
  EXPECT_FALSE(plan::UpdateCounts(write_whole_and_part(cluster, arena)).are_of_one_update());
  const plan::Plan halves = write_plan(cluster, arena, [](Planner& p) {
    const ReplicaId r(0);
    const std::uint64_t half = p.arena_elements() / 2;
    p.compute();
    for (const Range part : {Range{half, p.arena_elements() - half}, Range{0, half}})
      p.apply(p.parameters(r)[part], p.gradient(r)[part]);
  });
  EXPECT_TRUE(plan::UpdateCounts(halves).are_of_one_update());
}

TEST(UpdateCounts, GoOnFromAnyNumber) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(1, true, "cpu");
  const plan::Plan plan = write_whole_and_part(cluster, arena);
  plan::UpdateCounts counts(plan);
  counts.fill(40);
  EXPECT_EQ(counts.count(*updates_of(plan).front()), 40u);
  EXPECT_EQ(counts.most(), 41u);
}

TEST(UpdateCounts, OfAStageAreThoseOfItsPrologueAndOfEveryPeriod) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(1, true, "cpu");
  const plan::Plan plan = write_plan(cluster, arena, [](Planner& p) {
    const ReplicaId r(0);
    p.prologue([&] { p.apply(p.parameters(r), p.gradient(r)); });
    p.compute();
    p.compute();
    p.apply(p.parameters(r)[{16, 32}], p.gradient(r)[{16, 32}]);
    p.from_step(10, [&] {
      p.compute();
      p.apply(p.parameters(r), p.gradient(r));
    });
  });
  plan::UpdateCounts counts(plan);
  counts.count_stage(plan, 0);
  const auto cells = counts.cells_of(updates_of(plan).front()->writes.front());
  ASSERT_EQ(cells.size(), 1u);
  EXPECT_EQ(cells[0].updates, 6u) << "10 steps are five periods";
  EXPECT_EQ(counts.cells_of(plan.later.front().body.back().writes.front()).front().updates, 1u);
}

// Only updates of the buffer count, and only those that a plan has.
TEST(UpdateCounts, AreNoneOfBuffersWithoutUpdates) {
  const plan::ArenaMap arena = small_arena(32);
  const plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  const plan::Plan plan = write_plan(cluster, arena, write_parameter_server);
  plan::UpdateCounts counts(plan);
  for (std::uint32_t i = 0; i < plan.buffers.size(); ++i)
    EXPECT_EQ(counts.cells(i).empty(), plan.buffers[i].kind != CONVOY_BUFFER_MASTER)
        << plan.buffer_name(i);
}

}  // namespace
}  // namespace convoy::testing::update_counts_test
