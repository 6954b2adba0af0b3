#include "tests/support/interpreter.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/plan/reference/update.hpp"
#include "tests/plan/sample_gradients.hpp"
#include "tests/plan/sample_plans.hpp"

namespace convoy::testing::interpreter_test {
namespace {

constexpr std::uint64_t kSteps = 5;

// One apply per step with the mean of all replicas' gradients, without any plan.
std::vector<float> reference_trajectory(const plan::ArenaMap& arena, std::uint32_t replicas) {
  const InterpreterOptions options = sample_options(arena, smooth_gradient);
  std::vector<float> parameters = options.initial;
  std::vector<float> velocity(arena.elements, 0.0f);
  std::vector<float> unused(arena.elements, 0.0f);
  for (std::uint64_t step = 0; step < kSteps; ++step) {
    std::vector<float> total(arena.elements, 0.0f);
    for (std::uint32_t r = 0; r < replicas; ++r) {
      std::vector<float> gradient(arena.elements);
      smooth_gradient({r, step, 0, {0, arena.elements}, parameters, parameters}, gradient);
      for (std::size_t e = 0; e < gradient.size(); ++e) total[e] += gradient[e];
    }
    auto constants =
        plan::update_constants(options.optimizer, replicas, options.learning_rate(step), step);
    for (std::size_t e = 0; e < total.size(); ++e) {
      const plan::ElementRange& decayed = options.decayed.front();
      constants.weight_decay = e < decayed.first + decayed.count ? 0.01f : 0.0f;
      plan::update_element(constants, total[e], parameters[e], velocity[e], unused[e]);
    }
  }
  return parameters;
}

std::uint32_t find_buffer(const plan::Plan& plan, std::uint32_t kind, std::uint32_t owner) {
  for (std::uint32_t i = 0; i < plan.buffers.size(); ++i)
    if (plan.buffers[i].kind == kind && plan.buffers[i].owner == owner) return i;
  ADD_FAILURE() << "no buffer of kind " << kind << " and owner " << owner;
  return 0;
}

TEST(Interpreter, SynchronousStrategiesFollowTheReferenceTrajectory) {
  const plan::ArenaMap arena = small_arena(32);
  for (const std::uint32_t replicas : {1u, 2u, 3u, 5u}) {
    const plan::Cluster cluster = plan::make_single_host(replicas, true, "cpu");
    const std::vector<float> reference = reference_trajectory(arena, replicas);
    for (const SamplePlan& sample : sample_plans()) {
      if (!sample.synchronous) continue;
      const plan::Plan plan = write_plan(cluster, arena, sample.write);
      Interpreter interpreter(plan, sample_options(arena, smooth_gradient));
      interpreter.run(kSteps);
      EXPECT_EQ(interpreter.elements_changed_before_backward(), 0u) << sample.name;
      // The server copies its master out at the beginning of a step, so the last parameters are
      // only in the masters; bucket b of a sharded server in that of device b mod n.
      for (std::size_t b = 0; b < arena.buckets.size(); ++b) {
        std::uint32_t buffer = 0;
        if (sample.name == "parameter_server")
          buffer = find_buffer(plan, CONVOY_BUFFER_MASTER, replicas);
        else if (sample.name == "sharded_server")
          buffer =
              find_buffer(plan, CONVOY_BUFFER_MASTER, static_cast<std::uint32_t>(b % replicas));
        else
          buffer = find_buffer(plan, CONVOY_BUFFER_PARAMETERS, replicas - 1);
        const plan::ElementRange& range = arena.buckets[b];
        for (std::uint64_t e = range.first; e < range.first + range.count; ++e)
          ASSERT_NEAR(interpreter.values(buffer)[e], reference[e], 2e-5)
              << sample.name << " with " << replicas << " replicas, element " << e;
      }
    }
  }
}

TEST(Interpreter, GradientsAreUninitialisedBeforeTheirFirstBackward) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(1, true, "cpu");
  const plan::Plan plan = write_plan(cluster, arena, [](Planner& p) {
    p.apply(p.parameters(ReplicaId(0)), p.gradient(ReplicaId(0)));
    p.compute();
  });
  Interpreter interpreter(plan, sample_options(arena, smooth_gradient));
  interpreter.run(1);
  EXPECT_TRUE(std::isnan(interpreter.values(plan.body.front().writes.front().buffer)[0]));
}

TEST(Interpreter, ScratchDoesNotSurviveAPeriodButPersistentMemoryDoes) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(1, true, "cpu");
  const plan::Plan plan = write_plan(cluster, arena, [](Planner& p) {
    const Buffer kept = p.persistent(PlaceId(0), 4);
    const Buffer lost = p.scratch(PlaceId(0), 4);
    const Buffer from_scratch = p.persistent(PlaceId(0), 4);
    p.compute();
    p.add(kept, kept, p.gradient(ReplicaId(0))[{0, 4}]);
    p.copy(from_scratch, lost);
    p.fill(lost, 3);
  });
  Interpreter interpreter(plan, sample_options(arena, exact_gradient));
  interpreter.run(3);
  EXPECT_TRUE(std::isfinite(interpreter.values(0)[0]));
  EXPECT_TRUE(std::isnan(interpreter.values(2)[0]));
}

TEST(Interpreter, NoticesParametersThatChangeBetweenForwardAndBackward) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(1, true, "cpu");
  const plan::Plan plan = write_plan(cluster, arena, [](Planner& p) {
    auto forward = make_sized<convoy_operation>();
    forward.kind = CONVOY_OP_FORWARD;
    forward.place = CONVOY_NONE;
    convoy_operation backward = forward;
    backward.kind = CONVOY_OP_BACKWARD;
    p.emit(forward, {p.parameters(ReplicaId(0))}, {});
    p.fill(p.parameters(ReplicaId(0))[{10, 6}], 1.5);
    p.emit(backward, {p.parameters(ReplicaId(0))}, {p.gradient(ReplicaId(0))});
  });
  Interpreter interpreter(plan, sample_options(arena, smooth_gradient));
  interpreter.run(1);
  EXPECT_EQ(interpreter.elements_changed_before_backward(), 6u);
}

TEST(Interpreter, StoppingBetweenTheComputesOfAPeriodKeepsTheRest) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  const plan::Plan plan = write_plan(cluster, arena, write_accumulating);
  ASSERT_EQ(plan.computes, 2u);
  Interpreter whole(plan, sample_options(arena, exact_gradient));
  whole.run(4);
  Interpreter pieces(plan, sample_options(arena, exact_gradient));
  for (int i = 0; i < 4; ++i) pieces.run(1);
  const std::uint32_t master = find_buffer(plan, CONVOY_BUFFER_MASTER, 2);
  for (std::uint64_t e = 0; e < arena.elements; ++e)
    ASSERT_EQ(whole.values(master)[e], pieces.values(master)[e]) << e;
}

}  // namespace
}  // namespace convoy::testing::interpreter_test
