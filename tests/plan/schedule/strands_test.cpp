#include "core/plan/schedule/strands.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/plan/host_cluster.hpp"
#include "core/plan/lower/lower.hpp"
#include "core/plan/schedule/local_schedule.hpp"
#include "tests/plan/sample_plans.hpp"
#include "tests/plan/small_pieces.hpp"

namespace convoy::testing::strands_test {
namespace {

plan::Strands strands_of(const plan::Plan& lowered) {
  return plan::find_strands(lowered, plan::find_dependencies(lowered));
}

plan::Cluster two_hosts() {
  plan::Cluster cluster = plan::make_hosts({2, 2, true, "cpu", {}});
  cluster.device_collectives = false;
  return cluster;
}

TEST(Strands, AreOneWhereStepsAreTakenTogether) {
  const plan::ArenaMap arena = small_arena(32);
  const plan::Cluster cluster = two_hosts();
  for (const SamplePlan& sample : sample_plans()) {
    if (sample.name == "asynchronous") continue;
    const plan::Strands strands = strands_of(plan::lower(write_plan(cluster, arena, sample.write)));
    EXPECT_EQ(strands.count, 1u) << sample.name;
    EXPECT_TRUE(strands.of.empty()) << sample.name;
  }
}

TEST(Strands, AreOnePerReplicaThatNothingStrictJoinsToOthers) {
  const plan::ArenaMap arena = small_arena(32);
  const plan::Cluster cluster = two_hosts();
  for (const WritePlan& write : {WritePlan(write_asynchronous), write_lagging(3)}) {
    const plan::Plan lowered = plan::lower(write_plan(cluster, arena, write), kSmallPieces);
    const plan::Strands strands = strands_of(lowered);
    ASSERT_EQ(strands.count, 4u);
    for (std::size_t i = 0; i < lowered.body.size(); ++i) {
      const plan::Operation& it = lowered.body[i];
      if (!plan::is_compute(it.kind)) continue;
      EXPECT_EQ(strands[i], it.replica) << "operation " << i;
    }
  }
}

// All that strands have in common are waits of relaxed reads.
TEST(Strands, HaveLanesOfTheirOwn) {
  const plan::ArenaMap arena = small_arena(32);
  const plan::Cluster cluster = two_hosts();
  const plan::Plan lowered =
      plan::lower(write_plan(cluster, arena, write_lagging(3)), kSmallPieces);
  const plan::Schedule schedule = plan::make_schedule(lowered);
  std::size_t operations = 0;
  for (std::uint32_t strand = 0; strand < schedule.strands.count; ++strand)
    operations += plan::order_of(lowered, schedule, strand).submission.size();
  EXPECT_EQ(operations, lowered.body.size());
  for (const plan::Lane& lane : schedule.lanes)
    for (const std::uint32_t i : lane.operations) EXPECT_EQ(schedule.strands[i], lane.strand);
  for (const std::uint32_t i : schedule.submission)
    for (const plan::LaneWait& wait : schedule.operations[i].waits) {
      if (schedule.lanes[wait.lane].strand == schedule.strands[i]) continue;
      EXPECT_NE(lowered.body[i].flags & CONVOY_OP_RELAXED_READS, 0u) << "operation " << i;
    }
}

std::set<std::uint32_t> distances_between_strands(const plan::Plan& lowered) {
  const plan::Schedule schedule = plan::make_schedule(lowered);
  std::set<std::uint32_t> distances;
  for (const std::uint32_t i : schedule.submission)
    for (const plan::LaneWait& wait : schedule.operations[i].waits)
      if (schedule.lanes[wait.lane].strand != schedule.strands[i]) distances.insert(wait.distance);
  return distances;
}

TEST(Strands, WaitForEachOtherWithinTheBoundOfARelaxedRead) {
  const plan::ArenaMap arena = small_arena(32);
  for (const plan::Cluster& cluster : {plan::make_single_host(3, true, "cpu"), two_hosts()}) {
    for (const std::uint32_t lag : {1u, 2u, 8u, 1000u}) {
      const plan::Plan lowered = plan::lower(write_plan(cluster, arena, write_lagging(lag)));
      // The last update before a read is one of the iteration before.
      EXPECT_EQ(distances_between_strands(lowered), std::set{lag + 1}) << "lag " << lag;
      EXPECT_TRUE(plan::strands_wait(plan::make_schedule(lowered)));
    }
    const plan::Plan unbounded =
        plan::lower(write_plan(cluster, arena, write_lagging(CONVOY_UNBOUNDED)));
    EXPECT_TRUE(distances_between_strands(unbounded).empty());
    EXPECT_FALSE(plan::strands_wait(plan::make_schedule(unbounded)));
  }
}

// What others may update while it is sent is copied before, through little memory.
TEST(Strands, SendCopiesOfWhatTheyReadRelaxed) {
  const plan::ArenaMap arena = small_arena(200);
  const plan::Cluster cluster = two_hosts();
  const plan::Plan lowered =
      plan::lower(write_plan(cluster, arena, write_lagging(CONVOY_UNBOUNDED)), kSmallPieces);
  std::map<std::uint32_t, std::uint64_t> sent;  // per receiving place: elements of its outboxes
  std::set<std::uint32_t> outboxes;
  std::uint64_t masters = 0;  // elements of what is read
  for (const plan::Operation& it : lowered.body) {
    if (it.lane != plan::kNetworkLane) continue;
    EXPECT_EQ(it.flags & CONVOY_OP_RELAXED_READS, 0u);
    const plan::PlanBuffer& from = lowered.buffers[it.reads.front().buffer];
    EXPECT_NE(from.kind, std::uint32_t{CONVOY_BUFFER_MASTER});
    if (from.kind != CONVOY_BUFFER_SCRATCH || from.place != cluster.places.size() - 2) continue;
    masters += it.reads.front().count;
    if (outboxes.insert(it.reads.front().buffer).second)
      sent[lowered.buffers[it.writes.front().buffer].place] += from.count;
  }
  EXPECT_EQ(masters, 2 * arena.elements);
  ASSERT_EQ(sent.size(), 2u);
  for (const auto& [place, elements] : sent)
    EXPECT_LE(elements, 2 * kSmallPieces.staging_elements) << "for place " << place;
}

}  // namespace
}  // namespace convoy::testing::strands_test
