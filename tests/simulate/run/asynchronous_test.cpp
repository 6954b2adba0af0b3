// Workers that do not wait for each other, in virtual time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/plan/lower/lower.hpp"
#include "core/simulate/run/critical_path.hpp"
#include "core/simulate/simulate.hpp"
#include "tests/plan/sample_plans.hpp"
#include "tests/simulate/hand_machine.hpp"

namespace convoy::testing {
namespace {

constexpr double kFast = 3e-3;  // forward and backward, in seconds
constexpr double kSlow = 30e-3;

// Two devices, the second of which takes ten times as long.
simulate::SimulationResult run_with(std::uint64_t max_lag) {
  HandMachine hand = hand_machine(1, 2, false);
  hand.machine.devices.push_back(hand.machine.devices.front());
  hand.machine.places[1].device = 1;
  simulate::SimulationOptions options;
  options.software = free_software();
  const plan::ArenaMap arena = equal_arena(1, 1000);
  const plan::Plan lowered = plan::lower(write_plan(hand.cluster, arena, write_lagging(max_lag)));
  return simulate::simulate(
      lowered, hand.machine,
      {equal_layers(1, kFast / 3, 2 * kFast / 3), equal_layers(1, kSlow / 3, 2 * kSlow / 3)},
      options);
}

// The chain of a step may lead to steps of other workers, of which few are recorded.
TEST(AsynchronousSimulation, WaitingForOthersIsTheBottleneckWhereItTakesLongest) {
  simulate::TaskGraph graph;
  simulate::CriticalChain chain;
  chain.whole = 1000;
  chain.activities[simulate::Activity::kUpdate].ticks = 10;
  chain.wait = 980;
  simulate::SimulationResult result;
  result.step_seconds = 1;
  result.exposed_seconds = 0.9;
  const plan::Plan plan;
  graph.strands = 2;
  EXPECT_EQ(name_bottleneck(chain, graph, plan, {}, result),
            "waiting for other workers (98 % of the step)");
}

TEST(AsynchronousSimulation, NobodyWaitsForASlowWorkerWithoutABound) {
  const simulate::SimulationResult result = run_with(CONVOY_UNBOUNDED);
  ASSERT_EQ(result.worker_step_seconds.size(), 2u);
  EXPECT_NEAR(result.worker_step_seconds[0], kFast, 0.05 * kFast);
  EXPECT_NEAR(result.worker_step_seconds[1], kSlow, 0.05 * kSlow);
  EXPECT_EQ(result.worker_places, (std::vector<std::uint32_t>{0, 1}));
  // Two steps in the time in which both together take two.
  EXPECT_NEAR(result.step_seconds, 2 / (1 / kFast + 1 / kSlow), 0.05 * kFast);
}

TEST(AsynchronousSimulation, ABoundHoldsAllToTheSpeedOfTheSlowest) {
  // At first the fast one is ahead by less: the longer, the larger the bound.
  for (const std::uint64_t lag : {1, 2, 8, 60, 90}) {
    const simulate::SimulationResult result = run_with(lag);
    ASSERT_EQ(result.worker_step_seconds.size(), 2u);
    EXPECT_NEAR(result.worker_step_seconds[0], kSlow, 0.1 * kSlow) << "lag " << lag;
    EXPECT_NEAR(result.worker_step_seconds[1], kSlow, 0.1 * kSlow) << "lag " << lag;
    EXPECT_TRUE(result.is_steady) << "lag " << lag;
  }
}

TEST(AsynchronousSimulation, SaysThatABoundHasNotBeenReached) {
  constexpr std::uint64_t kLags[] = {150, 0xffffffff, 0x100000000, CONVOY_UNBOUNDED - 1};
  for (const std::uint64_t lag : kLags) EXPECT_FALSE(run_with(lag).is_steady) << "lag " << lag;
  EXPECT_TRUE(run_with(CONVOY_UNBOUNDED).is_steady);
}

// Copies of eight share the link to the host, and a worker waits for copies that others began some
// steps ago. In the end, the slowest is alone: it copies 8 ms then, and computes 6 ms.
TEST(AsynchronousSimulation, TheLongestChainIsOfAStepBesideOthers) {
  HandMachine hand = hand_machine(1, 8, false, {.device = 10e9, .root = 10e9});
  hand.machine.devices.push_back(hand.machine.devices.front());
  hand.machine.places[7].device = 1;
  simulate::SimulationOptions options;
  options.software = free_software();
  const plan::ArenaMap arena = equal_arena(1, 10'000'000);
  const plan::Plan lowered = plan::lower(write_plan(hand.cluster, arena, write_lagging(3)));
  const simulate::SimulationResult result = simulate::simulate(
      lowered, hand.machine, {equal_layers(1, 1e-3, 2e-3), equal_layers(1, 2e-3, 4e-3)}, options);
  const simulate::CriticalPath& path = result.critical;
  const double communication = path.copy + path.collective + path.sum + path.update;
  EXPECT_GT(communication, 20e-3);
  EXPECT_LT(path.wait, 0.1 * (path.compute + communication));
  EXPECT_THAT(result.bottleneck, ::testing::StartsWith("copies ("));
}

// 80 workers of one kind, all of whose copies go over one link, in so many pieces.
simulate::SimulationResult run_alike(std::size_t pieces, std::size_t& operations) {
  constexpr std::uint64_t kElements = 3'000'000;
  const HandMachine hand = hand_machine(1, 80, false, {.device = 10e9, .root = 10e9});
  simulate::SimulationOptions options;
  options.software = free_software();
  const plan::ArenaMap arena = equal_arena(pieces, kElements / pieces);
  const double pass = 1e-3 / static_cast<double>(pieces);
  const plan::Plan lowered = plan::lower(write_plan(hand.cluster, arena, write_lagging(3)));
  operations = lowered.body.size();
  return simulate::simulate(lowered, hand.machine, {equal_layers(pieces, pass, pass)}, options);
}

TEST(AsynchronousSimulation, ManyOperationsOfAlikeWorkersAreRunLessOften) {
  std::size_t few = 0;
  std::size_t many = 0;
  const simulate::SimulationResult often = run_alike(10, few);
  const simulate::SimulationResult result = run_alike(800, many);
  EXPECT_GE(often.operations_run, 32 * few);
  EXPECT_LT(result.operations_run, 20 * many);
  EXPECT_NEAR(result.step_seconds, often.step_seconds, 0.03 * often.step_seconds);
  EXPECT_TRUE(result.is_steady);
  EXPECT_EQ(often.few_steps, 0u);
  EXPECT_GT(result.few_steps, 5u);
  EXPECT_LT(result.few_steps, 20u);
  // What they do apart from each other in so short a time is chance.
  EXPECT_EQ(result.worker_step_seconds.size(), 80u);
  EXPECT_THAT(result.worker_step_seconds, ::testing::Each(result.worker_step_seconds.front()));
}

TEST(AsynchronousSimulation, WorkersThatStepTogetherHaveNoStepsOfTheirOwn) {
  const HandMachine hand = hand_machine(1, 2, false);
  simulate::SimulationOptions options;
  options.software = free_software();
  const plan::ArenaMap arena = equal_arena(1, 1000);
  const plan::Plan lowered = plan::lower(write_plan(hand.cluster, arena, write_sequential));
  EXPECT_TRUE(simulate::simulate(lowered, hand.machine, {equal_layers(1, 1e-3, 2e-3)}, options)
                  .worker_step_seconds.empty());
}

}  // namespace
}  // namespace convoy::testing
