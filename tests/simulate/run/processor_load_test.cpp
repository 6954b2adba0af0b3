// Steps of hosts whose processors compute and carry what goes between them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/plan/lower/lower.hpp"
#include "core/simulate/simulate.hpp"
#include "tests/plan/sample_plans.hpp"
#include "tests/simulate/hand_machine.hpp"

namespace convoy::testing {
namespace {

constexpr double kComputeSeconds = 3e-3;   // forward and backward, in seconds
constexpr double kSecondsPerByte = 10e-9;  // slower than the network
// The hand machine's links from and to the network.
constexpr std::uint32_t kSends[] = {6, 11};
constexpr std::uint32_t kReceives[] = {7, 12};

// Two hosts of one device that are one machine with so many cores; 0: nobody knows its cores. Each
// device computes on one of them.
simulate::SimulationResult run_on(double cores) {
  HandMachine hand = hand_machine(2, 1, true);
  simulate::SimulatedProcessor processor;
  processor.cores = cores;
  for (std::uint32_t host = 0; host < 2; ++host)
    processor.hosts.push_back({.host = host,
                               .computing_cores = 1,
                               .sends = kSends[host],
                               .receives = kReceives[host],
                               .seconds_per_byte = kSecondsPerByte});
  if (cores > 0) hand.machine.processors = {processor};
  simulate::SimulationOptions options;
  options.software = free_software();
  const plan::Plan plan =
      plan::lower(write_plan(hand.cluster, equal_arena(1, 1 << 18), [](Planner& p) {
        p.compute();
        p.all_reduce(p.all_gradients(p.arena()), {.algorithm = Algorithm::kRing});
      }));
  return simulate::simulate(
      plan, hand.machine, {equal_layers(1, kComputeSeconds / 3, 2 * kComputeSeconds / 3)}, options);
}

double bytes_between_hosts(const simulate::SimulationResult& result) {
  double bytes = 0;
  for (const simulate::LinkLoad& load : result.links)
    for (std::uint32_t host = 0; host < 2; ++host)
      if (load.link == kSends[host] || load.link == kReceives[host]) bytes += load.bytes;
  return bytes;
}

TEST(ProcessorLoad, IsNoneOfCoresThatAreNotKnown) {
  EXPECT_THAT(run_on(0).bottleneck, ::testing::HasSubstr("network"));
}

TEST(ProcessorLoad, OfManyCoresChangesNothing) {
  const simulate::SimulationResult with = run_on(64);
  EXPECT_EQ(with.step_seconds, run_on(0).step_seconds);
  EXPECT_EQ(with.bottleneck, run_on(0).bottleneck);
}

TEST(ProcessorLoad, OfBusyCoresIsTheStep) {
  const simulate::SimulationResult free = run_on(0);
  const double carried = bytes_between_hosts(free) * kSecondsPerByte;
  for (const double cores : {1, 2}) {
    const simulate::SimulationResult result = run_on(cores);
    // Two devices compute for as long; on one core, each has half of it.
    const double step = kComputeSeconds + carried / cores;
    ASSERT_GT(step, 1.2 * free.step_seconds);
    EXPECT_NEAR(result.step_seconds, step, 0.05 * step) << cores;
    EXPECT_EQ(result.bottleneck,
              cores == 1 ? "processor cores: computing and messages between hosts keep all 1 busy"
                         : "processor cores: computing and messages between hosts keep all 2 busy");
    const simulate::CriticalPath& path = result.critical;
    EXPECT_NEAR(path.compute + path.copy + path.collective + path.sum + path.update + path.wait,
                result.step_seconds, 1e-9);
    EXPECT_NEAR(result.exposed_seconds, result.step_seconds - result.compute_seconds, 1e-12);
  }
}

}  // namespace
}  // namespace convoy::testing
