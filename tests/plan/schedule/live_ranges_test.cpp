#include "core/plan/schedule/live_ranges.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/plan/lower/lower.hpp"
#include "tests/plan/sample_plans.hpp"

namespace convoy::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Pair = std::pair<std::uint64_t, std::uint64_t>;  // first, count
using Pairs = std::vector<Pair>;

Pairs pairs(const std::vector<plan::ElementRange>& ranges) {
  Pairs result;
  for (const plan::ElementRange& range : ranges) result.emplace_back(range.first, range.count);
  return result;
}

// The names of the buffers that carry something over, in the order of the buffers.
std::vector<std::string> live_buffers(const WritePlan& write, std::uint32_t replicas,
                                      std::uint32_t phase = 0) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(replicas, true, "cpu");
  const plan::Plan plan = plan::lower(write_plan(cluster, arena, write));
  const auto live = plan::live_ranges(plan, phase);
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < live.size(); ++i)
    if (!live[i].empty()) names.push_back(plan.buffer_name(i));
  std::ranges::sort(names);
  return names;
}

TEST(LiveRanges, ReplicatedCarriesItsParametersOnly) {
  EXPECT_THAT(live_buffers(write_replicated(Algorithm::kDevice), 2),
              ElementsAre("parameters(0)", "parameters(1)"));
}

TEST(LiveRanges, AParameterServerCarriesItsMasterOnly) {
  EXPECT_THAT(live_buffers(write_parameter_server, 2), ElementsAre("master(host:0)"));
}

TEST(LiveRanges, StagedVariablesAndDeferredSumsAreCarried) {
  const auto staged = live_buffers(write_staged, 1);
  EXPECT_GT(staged.size(), 1u) << ::testing::PrintToString(staged);
  const auto deferred = live_buffers(write_deferred, 2);
  EXPECT_THAT(deferred, ::testing::Contains(::testing::StartsWith("persistent")));
}

TEST(LiveRanges, BetweenTheStepsOfAPeriodGradientsAreCarried) {
  const auto at_start = live_buffers(write_accumulating, 1);
  EXPECT_THAT(at_start, ElementsAre("master(host:0)"));
  const auto inside = live_buffers(write_accumulating, 1, 1);
  EXPECT_THAT(inside, ::testing::Contains("master(host:0)"));
  EXPECT_GT(inside.size(), 1u) << ::testing::PrintToString(inside);
}

TEST(LiveRanges, OnlyWhatIsReadFirstIsLive) {
  const plan::Cluster cluster = plan::make_single_host(1, true, "cpu");
  const plan::ArenaMap arena = small_arena(0);
  const plan::Plan plan = write_plan(cluster, arena, [](Planner& p) {
    const Buffer a = p.persistent(PlaceId(0), 10);
    const Buffer b = p.persistent(PlaceId(0), 10);
    p.compute();
    p.fill(a[Range{0, 4}], 1);
    p.copy(b, a);
    p.fill(a, 2);
  });
  std::vector<Pairs> carried;
  for (const auto& ranges : plan::live_ranges(plan, 0))
    if (!ranges.empty() && ranges.back().first + ranges.back().count == 10)
      carried.push_back(pairs(ranges));
  EXPECT_THAT(carried, ElementsAre(ElementsAre(Pair{4, 6})));
}

TEST(LiveRanges, UpdatedRangesAreThoseOfTheApplies) {
  const plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  const plan::ArenaMap arena = small_arena(0);
  const plan::Plan plan = plan::lower(write_plan(cluster, arena, write_parameter_server));
  const auto updated = plan::updated_ranges(plan);
  for (std::uint32_t i = 0; i < updated.size(); ++i) {
    if (plan.buffers[i].kind == CONVOY_BUFFER_MASTER)
      EXPECT_THAT(pairs(updated[i]), ElementsAre(Pair{0, arena.elements}));
    else
      EXPECT_THAT(pairs(updated[i]), IsEmpty()) << plan.buffer_name(i);
  }
}

}  // namespace
}  // namespace convoy::testing
