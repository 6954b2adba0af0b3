#include "core/simulate/simulate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/plan/lower/lower.hpp"
#include "tests/plan/sample_plans.hpp"
#include "tests/simulate/hand_machine.hpp"

namespace convoy::testing {
namespace {

using simulate::SimulatedOperation;
using simulate::SimulationOptions;
using simulate::SimulationResult;

constexpr std::uint64_t kElements = 250'000;  // per segment: 1 MB
constexpr double kMegabyte = 1e6;

SimulationOptions free_options() {
  SimulationOptions options;
  options.software = free_software();
  options.keep_operations = true;
  return options;
}

struct Simulated {
  plan::Plan plan;
  SimulationResult result;

  // Durations of all operations of a kind, in seconds.
  std::vector<double> durations(plan::OperationKind kind) const {
    std::vector<double> found;
    for (const SimulatedOperation& it : result.operations)
      if (plan.body[it.operation].kind == kind) found.push_back(it.end - it.start);
    return found;
  }
};

Simulated run(const HandMachine& hand, const plan::ArenaMap& arena, const WritePlan& write,
              const simulate::LayerTimes& layers, const SimulationOptions& options) {
  plan::Plan lowered = plan::lower(write_plan(hand.cluster, arena, write));
  SimulationResult result = simulate::simulate(lowered, hand.machine, {layers}, options);
  return {std::move(lowered), std::move(result)};
}

void expect_all(const std::vector<double>& values, double expected) {
  ASSERT_FALSE(values.empty());
  for (const double value : values) EXPECT_NEAR(value, expected, 2e-9);
}

void fetch_and_compute(Planner& p) {
  for (const auto r : p.replicas())
    p.copy(p.parameters(r)[p.arena()], p.master(p.host_place(ReplicaId(0)))[p.arena()]);
  p.compute();
}

TEST(SimulateTest, OneCopyTakesItsBytesOverItsSlowestLink) {
  const HandMachine hand = hand_machine(1, 1, false, {.device = 8e9, .root = 5e9});
  SimulationOptions options = free_options();
  options.software.copy_seconds = 1e-5;
  const plan::ArenaMap arena = equal_arena(1, kElements);
  const Simulated it = run(hand, arena, fetch_and_compute, equal_layers(1, 1e-3, 2e-3), options);
  expect_all(it.durations(plan::OperationKind::kCopy), 1e-5 + kMegabyte / 5e9);
  // Parameters must not change under the pass that reads them: nothing overlaps here.
  EXPECT_NEAR(it.result.step_seconds, 1e-5 + kMegabyte / 5e9 + 3e-3, 1e-8);
  EXPECT_NEAR(it.result.compute_seconds, 3e-3, 1e-8);
}

// A kernel of the strategy's own, on one device.
WritePlan one_call(const CallOptions& options) {
  return [options](Planner& p) {
    p.compute();
    const PlaceId here = p.replica_place(ReplicaId(0));
    const Buffer made = p.scratch(here, p.arena_elements());
    p.call("kernel", here, {p.gradient(ReplicaId(0))}, {made}, options);
    p.apply(p.parameters(ReplicaId(0)), made);
  };
}

TEST(SimulateTest, AKernelTakesTheBytesAndOperationsThatItDeclares) {
  HandMachine hand = hand_machine(1, 1, false, {});
  simulate::SimulatedDevice& device = hand.machine.devices.front();
  device.memory_bytes_per_second = 1e9;
  device.memory_efficiency = 1;
  device.flops_per_second = 1e12;
  device.flops_efficiency = 1;
  const plan::ArenaMap arena = equal_arena(1, kElements);
  const auto seconds = [&](const CallOptions& options) {
    return run(hand, arena, one_call(options), equal_layers(1, 1e-3, 2e-3), free_options())
        .durations(plan::OperationKind::kCall);
  };
  // At least through its spans: what it reads and what it writes.
  expect_all(seconds({}), 2 * kMegabyte / 1e9);
  expect_all(seconds({.bytes = 1'000'000}), 2 * kMegabyte / 1e9);
  expect_all(seconds({.bytes = 4'000'000'000}), 4.0);
  expect_all(seconds({.flops = 1'000'000'000'000}), 1.0);
  expect_all(seconds({.bytes = 4'000'000'000, .flops = 1'000'000'000'000}), 4.0);
}

TEST(SimulateTest, TwoCopiesShareALinkAndNothingElse) {
  const plan::ArenaMap arena = equal_arena(1, kElements);
  const auto copies = [&](double root) {
    const HandMachine hand = hand_machine(1, 2, false, {.device = 10e9, .root = root});
    return run(hand, arena, fetch_and_compute, equal_layers(1, 1e-3, 2e-3), free_options())
        .durations(plan::OperationKind::kCopy);
  };
  expect_all(copies(10e9), 2 * kMegabyte / 10e9);
  expect_all(copies(20e9), kMegabyte / 10e9);
}

// 200 million multiplications and additions, whatever their bytes.
TEST(SimulateTest, ProductsOfMatricesTakeTheTimeOfTheirArithmetic) {
  HandMachine hand = hand_machine(1, 1, false);
  hand.machine.devices[0].flops_per_second = 1e12;
  hand.machine.devices[0].flops_efficiency = 0.5;
  hand.machine.devices[0].memory_bytes_per_second = 1e15;
  const auto multiply = [](Planner& p) {
    const PlaceId place = p.replica_place(ReplicaId(0));
    const Buffer a = p.scratch(place, 1'000'000), to = p.scratch(place, 10'000);
    p.fill(a, 1);
    p.matmul(to, a, a, 100, 100, 10'000, {.transposes_b = true});
    p.compute();
  };
  const Simulated it =
      run(hand, equal_arena(1, kElements), multiply, equal_layers(1, 1e-3, 2e-3), free_options());
  expect_all(it.durations(plan::OperationKind::kMatmul), 2e8 / 0.5e12);
}

TEST(SimulateTest, RingMovesTwiceTheOthersShareOverEveryLink) {
  const plan::ArenaMap arena = equal_arena(1, kElements);
  for (const std::uint32_t devices : {2u, 4u, 8u}) {
    const HandMachine hand = hand_machine(1, devices, true);
    const Simulated it = run(hand, arena, write_replicated(Algorithm::kDevice),
                             equal_layers(1, 1e-3, 2e-3), free_options());
    const double n = devices;
    expect_all(it.durations(plan::OperationKind::kAllReduce), 2 * (n - 1) / n * kMegabyte / 10e9);
    for (const simulate::LinkLoad& load : it.result.links)
      EXPECT_NEAR(load.bytes, 2 * (n - 1) / n * kMegabyte, 1)
          << hand.machine.links[load.link].name << " of " << devices << " devices";
  }
}

TEST(SimulateTest, RingOverHostsIsAsFastAsTheNetwork) {
  const HandMachine hand = hand_machine(4, 2, true, {.network = 1e9});
  const Simulated it = run(hand, equal_arena(1, kElements), write_replicated(Algorithm::kDevice),
                           equal_layers(1, 1e-3, 2e-3), free_options());
  expect_all(it.durations(plan::OperationKind::kAllReduce), 2 * 7.0 / 8 * kMegabyte / 1e9);
}

// Two segments of 1 ms forward and 2 ms backward: the last one's gradients travel behind the first
// one's backward pass.
TEST(SimulateTest, TransfersHideBehindComputeOfOtherLayers) {
  const HandMachine hand = hand_machine(1, 4, true, {.device = 1e9, .root = 1e9});
  const Simulated it = run(hand, equal_arena(2, kElements), write_replicated(Algorithm::kDevice),
                           equal_layers(2, 1e-3, 2e-3), free_options());
  const double transfer = 1.5 * kMegabyte / 1e9;  // 1.5 ms, shorter than the pass
  const double update = 3 * kMegabyte / 1e12;     // parameters in and out, gradient
  EXPECT_NEAR(it.result.step_seconds, 6e-3 + transfer + update, 1e-8);
  EXPECT_NEAR(it.result.critical.compute, 6e-3, 1e-8);
  EXPECT_NEAR(it.result.critical.collective, transfer, 1e-8);
  EXPECT_NE(it.result.bottleneck.find("collectives"), std::string::npos) << it.result.bottleneck;
}

// Gradients pass links, but most of the step goes into the update, which is in no link's hands.
TEST(SimulateTest, BottlenecksAreWhereTheirTimeIsSpent) {
  HandMachine hand = hand_machine(1, 1, false);
  hand.machine.devices[0].memory_bytes_per_second = 1e9;
  const auto write = [](Planner& p) {
    const Buffer there = p.scratch(p.host_place(ReplicaId(0)), p.arena_elements());
    const Buffer back = p.scratch(p.replica_place(ReplicaId(0)), p.arena_elements());
    p.compute();
    p.copy(there, p.gradient(ReplicaId(0)));
    p.copy(back, there);
    p.apply(p.parameters(ReplicaId(0)), back);
  };
  const Simulated it =
      run(hand, equal_arena(1, kElements), write, equal_layers(1, 1e-3, 2e-3), free_options());
  EXPECT_GT(it.result.critical.copy, 0);
  EXPECT_GT(it.result.critical.update, it.result.critical.copy);
  EXPECT_EQ(it.result.bottleneck, "updates (48 % of the step) at cuda:0");
}

// A faster link would change little where the time passes before bytes move.
TEST(SimulateTest, BottlenecksSayWhetherLatencyOrBytesTakeTheTime) {
  const HandMachine hand = hand_machine(1, 2, false);
  const auto bottleneck = [&](double latency) {
    SimulationOptions options = free_options();
    options.software.copy_seconds = latency;
    return run(hand, equal_arena(1, kElements), fetch_and_compute, equal_layers(1, 1e-6, 2e-6),
               options)
        .result.bottleneck;
  };
  EXPECT_THAT(bottleneck(1e-6), ::testing::StartsWith("copies ("));
  EXPECT_THAT(bottleneck(1e-6), ::testing::Not(::testing::HasSubstr("latency")));
  EXPECT_THAT(bottleneck(1e-2), ::testing::HasSubstr("% of the step, mostly latency) on "));
}

TEST(SimulateTest, CollectivesMakeLittleProgressUnderComputeAndSlowItDown) {
  HandMachine hand = hand_machine(1, 4, true, {.device = 1e9, .root = 1e9});
  hand.machine.devices[0].collective_progress = 0.5;
  hand.machine.devices[0].collective_tax = 0.25;
  const Simulated it = run(hand, equal_arena(2, kElements), write_replicated(Algorithm::kDevice),
                           equal_layers(2, 1e-3, 2e-3), free_options());
  std::vector<double> passes = it.durations(plan::OperationKind::kBackward);
  // The pass that runs while the first collective does takes a quarter longer ...
  EXPECT_NEAR(*std::max_element(passes.begin(), passes.end()), 2.5e-3, 1e-8);
  // ... in which time the collective gets half of its 2.5 MB done, and the rest afterwards.
  std::vector<double> rings = it.durations(plan::OperationKind::kAllReduce);
  EXPECT_NEAR(*std::max_element(rings.begin(), rings.end()), 2.5e-3 + 0.25e-3, 1e-8);
}

// Updates wait for all gradients, as clipping by their norm makes them, and what they change goes
// to the others in the order in which layers are needed.
void gather_behind_all_gradients(Planner& p) {
  p.compute();
  for (const auto r : p.replicas()) p.scale(p.gradient(r), p.gradient(r), 0.5);
  const auto buckets = p.buckets();
  for (std::size_t b = buckets.size(); b-- > 0;) {
    const auto pieces = split(buckets[b], p.replica_count());
    std::vector<Span> updated;
    for (std::uint32_t r = 0; r < pieces.size(); ++r) {
      updated.push_back(p.parameters(ReplicaId(r))[pieces[r]]);
      p.apply(updated.back(), p.gradient(ReplicaId(r))[pieces[r]]);
    }
    p.all_gather(p.all_parameters(buckets[b]), updated);
  }
}

// Half a megabyte each for three layers, one in ten bytes under a forward pass of 1 ms: the first
// takes 0.5 ms before it, the two others 0.4 ms each behind one. The last iteration, without a pass
// behind it, ends after 1.5 ms instead of 3.3 ms: 5.5 ms after the one before.
TEST(SimulateTest, NoStepIsShorterThanItsCompute) {
  HandMachine hand = hand_machine(1, 2, true, {.device = 1e9, .root = 1e9});
  hand.machine.devices[0].collective_progress = 0.1;
  const Simulated it = run(hand, equal_arena(3, kElements), gather_behind_all_gradients,
                           equal_layers(3, 1e-3, 1e-3), free_options());
  const SimulationResult& result = it.result;
  EXPECT_NEAR(result.compute_seconds, 6e-3, 1e-8);
  EXPECT_NEAR(result.step_seconds, 6e-3 + 1.3e-3, 0.05e-3);
  EXPECT_NEAR(result.exposed_seconds, result.step_seconds - result.compute_seconds, 1e-8);
  const simulate::CriticalPath& chain = result.critical;
  EXPECT_NEAR(chain.compute + chain.copy + chain.collective + chain.sum + chain.update + chain.wait,
              result.step_seconds, 1e-8);
}

// Bucket b is summed on device b. An update of one bucket in front of the sum of the next would let
// one device after the other receive: every device receives three buckets of 0.25 ms, 0.75 ms, and
// then sends its sum to three others at once.
TEST(SimulateTest, BucketsOfOneLayerAreSummedOnAllDevicesAtOnce) {
  const HandMachine hand = hand_machine(1, 4, true, {.device = 1e9, .root = 1e9});
  plan::ArenaMap arena = equal_arena(1, kElements);
  arena.buckets = plan::make_buckets(kElements, kElements / 4);
  const auto sums_in_turn = [](Planner& p) {
    p.compute();
    const auto buckets = p.buckets();
    for (std::uint32_t b = 0; b < buckets.size(); ++b) {
      const Buffer total = p.scratch(p.replica_place(ReplicaId(b)), buckets[b].count);
      p.sum(total, p.all_gradients(buckets[b]));
      for (const auto r : p.replicas()) {
        p.copy(p.gradient(r)[buckets[b]], total);
        p.apply(p.parameters(r)[buckets[b]], p.gradient(r)[buckets[b]]);
      }
    }
  };
  const Simulated it = run(hand, arena, sums_in_turn, equal_layers(1, 1e-3, 1e-3), free_options());
  EXPECT_GE(it.result.exposed_seconds, 2 * 0.75e-3);
  EXPECT_LE(it.result.exposed_seconds, 3.5 * 0.75e-3);  // one after the other: 8 * 0.75 ms
}

// 0.7 ms for each layer: 0.7 + 0.6 + 0.6 ms beside the compute. Between the ends of the last two
// iterations are 0.1 ms more than the compute alone.
TEST(SimulateTest, AStepLongerThanItsComputeIsNotCutShortByTheLastOne) {
  HandMachine hand = hand_machine(1, 2, true, {.device = 1e9, .root = 1e9});
  hand.machine.devices[0].collective_progress = 0.1;
  const Simulated it = run(hand, equal_arena(3, 350'000), gather_behind_all_gradients,
                           equal_layers(3, 1e-3, 1e-3), free_options());
  EXPECT_NEAR(it.result.compute_seconds, 6e-3, 1e-8);
  EXPECT_NEAR(it.result.step_seconds, 6e-3 + 1.9e-3, 0.05e-3);
}

// The record is of one step: the gathers of this one go on for 3.3 ms behind its last backward
// pass, beside the forward passes of the next one, and those of the one before did so, too.
TEST(SimulateTest, OperationsAreThoseOfAStepBetweenOthers) {
  HandMachine hand = hand_machine(1, 2, true, {.device = 1e9, .root = 1e9});
  hand.machine.devices[0].collective_progress = 0.1;
  const Simulated it = run(hand, equal_arena(3, kElements), gather_behind_all_gradients,
                           equal_layers(3, 1e-3, 1e-3), free_options());
  double computed = 0;
  double gathered = 0;
  for (const SimulatedOperation& operation : it.result.operations) {
    const bool computes = plan::is_compute(it.plan.body[operation.operation].kind);
    double& end = computes ? computed : gathered;
    end = std::max(end, operation.end);
  }
  EXPECT_NEAR(gathered, it.result.step_seconds, 1e-8);
  EXPECT_NEAR(computed, it.result.step_seconds - 3.3e-3, 0.05e-3);
}

// The step after the measured one only has to go on beside it: with a barrier it does not begin.
TEST(SimulateTest, NothingRunsBehindTheMeasuredStep) {
  const HandMachine hand = hand_machine(1, 2, true);
  SimulationOptions options = free_options();
  const auto operations_run = [&] {
    const Simulated it = run(hand, equal_arena(2, kElements), write_replicated(Algorithm::kDevice),
                             equal_layers(2, 1e-3, 2e-3), options);
    return static_cast<double>(it.result.operations_run) / static_cast<double>(it.plan.body.size());
  };
  EXPECT_LT(operations_run(), options.iterations);
  options.software.step_barrier = true;
  EXPECT_EQ(operations_run(), options.iterations - 1);
}

TEST(SimulateTest, CollectivesWaitForTheEndOfAKernel) {
  HandMachine hand = hand_machine(1, 2, true, {.device = 1e9, .root = 1e9});
  hand.machine.devices[0].waits_for_kernel = true;
  const Simulated it = run(hand, equal_arena(2, kElements), write_replicated(Algorithm::kDevice),
                           equal_layers(2, 1e-3, 2e-3), free_options());
  std::vector<double> rings = it.durations(plan::OperationKind::kAllReduce);
  EXPECT_NEAR(*std::max_element(rings.begin(), rings.end()), 1e-3 + 2e-3, 1e-8);
}

TEST(SimulateTest, BusyNeighboursOnABoardSlowEachOtherDown) {
  HandMachine hand = hand_machine(1, 2, true);
  hand.machine.devices[0].board_rates = {1.0, 0.8};
  const auto step = [&] {
    return run(hand, equal_arena(1, kElements), write_independent, equal_layers(1, 1e-3, 3e-3),
               free_options())
        .result.compute_seconds;
  };
  EXPECT_NEAR(step(), 4e-3, 1e-8);
  for (auto& place : hand.machine.places)
    if (place.device != CONVOY_NONE) place.board = 0;
  EXPECT_NEAR(step(), 4e-3 / 0.8, 1e-8);
}

TEST(SimulateTest, StragglersGrowWithTheNumberOfDevices) {
  SimulationOptions options = free_options();
  options.software.straggler_sigma = 0.01;
  const auto compute = [&](std::uint32_t devices) {
    return run(hand_machine(1, devices, true), equal_arena(1, kElements), write_independent,
               equal_layers(1, 1e-3, 3e-3), options)
        .result.compute_seconds;
  };
  EXPECT_NEAR(compute(1), 4e-3, 1e-8);
  EXPECT_NEAR(compute(8), 4e-3 * (1 + 0.01 * std::sqrt(2 * std::log(8.0))), 1e-8);
}

TEST(SimulateTest, HostSumsAreLimitedByItsMemory) {
  HandMachine hand = hand_machine(1, 4, false, {.host_memory = 10e9});
  const Simulated it = run(hand, equal_arena(1, kElements), write_parameter_server,
                           equal_layers(1, 1e-3, 2e-3), free_options());
  // Four gradients in, the total out.
  expect_all(it.durations(plan::OperationKind::kSum), 5 * kMegabyte / 10e9);
}

// Per element: top_k reads it five times, quantise twice, scatter writes whole sectors.
TEST(SimulateTest, CompressionGoesThroughItsMemoryAsOftenAsItNeeds) {
  constexpr double kLaunch = 1e-6;
  HandMachine hand = hand_machine(1, 1, true);
  simulate::SimulatedDevice& device = hand.machine.devices[0];
  device.memory_bytes_per_second = 1e11;
  device.memory_efficiency = 1;
  device.kernel_seconds = kLaunch;
  const Coding coding{Code::k8Bits, 250};
  const auto write = [&](Planner& p) {
    const Span gradient = p.gradient(ReplicaId(0));
    const Buffer values = p.scratch(PlaceId(0), kElements / 100);
    const Buffer indices = p.scratch(PlaceId(0), kElements / 100, Dtype::kI32);
    const Buffer codes = p.scratch(PlaceId(0), kElements, Dtype::kU8);
    const Buffer scales = p.scratch(PlaceId(0), kElements / 250);
    p.compute();
    p.top_k(values, indices, gradient, gradient);
    p.scatter(gradient, values, indices);
    p.scatter(gradient, values, indices, {.onto = gradient});
    p.quantise(codes, scales, gradient, coding);
    p.dequantise(gradient, codes, scales, coding);
  };
  const Simulated it =
      run(hand, equal_arena(1, kElements), write, equal_layers(1, 1e-3, 2e-3), free_options());
  const auto seconds = [](double megabytes) { return megabytes * kMegabyte / 1e11; };
  expect_all(it.durations(plan::OperationKind::kTopK), 10 * kLaunch + seconds(5 + 0.02 + 1));
  const std::vector<double> scatters = it.durations(plan::OperationKind::kScatter);
  ASSERT_EQ(scatters.size(), 2u);
  EXPECT_NEAR(std::max(scatters[0], scatters[1]), 2 * kLaunch + seconds(0.02 + 1.08), 2e-9);
  EXPECT_NEAR(std::min(scatters[0], scatters[1]), 2 * kLaunch + seconds(0.02 + 0.16), 2e-9);
  expect_all(it.durations(plan::OperationKind::kQuantise), 2 * kLaunch + seconds(2 + 0.254));
  expect_all(it.durations(plan::OperationKind::kDequantise), kLaunch + seconds(0.254 + 1));
}

TEST(SimulateTest, SlowInputSetsThePace) {
  HandMachine hand = hand_machine(1, 2, true);
  hand.machine.hosts[0].input_cores = 4;
  hand.machine.hosts[0].decoded_images_per_core = 100;
  SimulationOptions options = free_options();
  options.input = {32, 1000};
  const auto step = [&] {
    return run(hand, equal_arena(1, kElements), write_independent, equal_layers(1, 1e-3, 2e-3),
               options)
        .result.step_seconds;
  };
  EXPECT_NEAR(step(), 64.0 / 400, 1e-6);
  hand.machine.hosts[0].decoded_images_per_core = 1e6;
  EXPECT_LT(step(), 3.1e-3);
}

// Every transfer of the plan passes the links of its path, and nothing else does.
TEST(SimulateTest, LinksCarryTheBytesOfThePlan) {
  const plan::ArenaMap arena = equal_arena(3, kElements);
  for (const bool peers : {false, true})
    for (const SamplePlan& sample : sample_plans()) {
      HandMachine hand = hand_machine(1, 4, peers);
      hand.cluster.device_collectives = false;  // all are copies and sums
      const Simulated it =
          run(hand, arena, sample.write, equal_layers(3, 1e-3, 2e-3), free_options());
      std::map<std::uint32_t, double> expected;
      for (const plan::Operation& operation : it.plan.body) {
        if (operation.kind != plan::OperationKind::kCopy) continue;
        const std::uint32_t from = it.plan.buffers[operation.reads[0].buffer].place;
        const std::uint32_t to = it.plan.buffers[operation.writes[0].buffer].place;
        if (from == to) continue;
        const plan::PlanSpan& span = operation.reads[0];
        const auto bytes = static_cast<double>(span.count * plan::dtype_bytes(span.dtype));
        for (const std::uint32_t link : hand.machine.paths(from, to).links)
          expected[link] += bytes / it.plan.computes;
      }
      double carried = 0;
      for (const simulate::LinkLoad& load : it.result.links) {
        if (hand.machine.links[load.link].name.find("memory") != std::string::npos) continue;
        EXPECT_GE(load.bytes, expected[load.link] * (1 - 1e-12)) << sample.name;
        EXPECT_LE(load.utilization, 1 + 1e-6) << sample.name;
        carried += load.bytes;
      }
      double wanted = 0;
      for (const auto& [link, bytes] : expected) wanted += bytes;
      if (!peers) {
        EXPECT_NEAR(carried, wanted, 1) << sample.name;
      }
    }
}

TEST(SimulateTest, SameArgumentsGiveTheSameBits) {
  const HandMachine hand = hand_machine(2, 4, false);
  const plan::ArenaMap arena = equal_arena(6, kElements);
  const HandMachine one_host = hand_machine(1, 8, true);
  SimulationOptions options = free_options();
  options.software.fetch_order = simulate::FetchOrder::kRandom;
  for (const SamplePlan& sample : sample_plans()) {
    const auto times = [&](std::uint64_t seed) {
      options.seed = seed;
      const Simulated it = run(one_host, arena, sample.write, equal_layers(6, 1e-3, 2e-3), options);
      std::vector<double> all = {it.result.step_seconds};
      for (const SimulatedOperation& operation : it.result.operations) {
        all.push_back(operation.start);
        all.push_back(operation.end);
      }
      return all;
    };
    EXPECT_EQ(times(1), times(1)) << sample.name;
  }
}

TEST(SimulateTest, OrderOfFetchesMattersWhereTheyTakeLong) {
  const HandMachine hand = hand_machine(1, 2, false, {.device = 1e9, .root = 1e9});
  const plan::ArenaMap arena = equal_arena(8, kElements);
  const auto step = [&](simulate::FetchOrder order) {
    SimulationOptions options = free_options();
    options.software.fetch_order = order;
    options.software.step_barrier = true;
    return run(hand, arena, write_parameter_server, equal_layers(8, 2e-3, 4e-3), options)
        .result.step_seconds;
  };
  const double planned = step(simulate::FetchOrder::kPlanned);
  EXPECT_LT(planned, step(simulate::FetchOrder::kRandom));
  EXPECT_LT(step(simulate::FetchOrder::kRandom), step(simulate::FetchOrder::kReverse));
  EXPECT_NEAR(planned, step(simulate::FetchOrder::kForward), 1e-9);
}

}  // namespace
}  // namespace convoy::testing
