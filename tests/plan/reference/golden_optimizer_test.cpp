#include <gtest/gtest.h>

#include "core/plan/lower/lower.hpp"
#include "tests/plan/sample_plans.hpp"
#include "tests/support/interpreter.hpp"
#include "tests/train/golden_optimizers.hpp"

namespace convoy::testing {
namespace {

constexpr double kTolerance = 2e-6;  // the interpreter rounds to f32 as devices do

// The three variables of the golden file as one segment, in two buckets that end inside one.
plan::ArenaMap golden_arena(std::uint64_t elements) {
  plan::ArenaMap arena;
  arena.elements = elements;
  arena.variables = {{"all", {0, elements}, elements, 0}};
  arena.segments = {{0, 1, {0, elements}}};
  arena.buckets = {{0, 5}, {5, elements - 5}};
  return arena;
}

InterpreterOptions options_of(const GoldenOptimizers& golden, std::size_t index) {
  InterpreterOptions options;
  options.initial.assign(golden.initial().begin(), golden.initial().end());
  options.optimizer = golden.optimizer(index);
  for (const convoy_decay_range& range : golden.decayed())
    options.decayed.push_back({range.first, range.count});
  options.learning_rate = [&golden](std::uint64_t step) { return golden.learning_rate(step); };
  options.gradient = [&golden](const GradientRequest& request, std::span<float> gradient) {
    const std::vector<double> values = golden.gradient(request.step, request.replica);
    for (std::size_t i = 0; i < gradient.size(); ++i)
      gradient[i] = static_cast<float>(values[request.range.first + i]);
  };
  return options;
}

std::uint32_t parameters_of_replica_0(const plan::Plan& plan) {
  for (std::uint32_t i = 0; i < plan.buffers.size(); ++i)
    if (plan.buffers[i].kind == CONVOY_BUFFER_MASTER) return i;
  for (std::uint32_t i = 0; i < plan.buffers.size(); ++i)
    if (plan.buffers[i].kind == CONVOY_BUFFER_PARAMETERS && plan.buffers[i].owner == 0) return i;
  return CONVOY_NONE;
}

void expect_golden(const GoldenOptimizers& golden, const plan::Plan& plan) {
  for (std::size_t index = 0; index < golden.cases(); ++index) {
    Interpreter interpreter(plan, options_of(golden, index));
    for (std::size_t step = 0; step < golden.steps(); ++step) {
      interpreter.run(1);
      golden.expect_parameters(index, step, interpreter.values(parameters_of_replica_0(plan)),
                               kTolerance);
    }
  }
}

TEST(GoldenOptimizer, PlansFollowTensorFlowsFormulas) {
  const GoldenOptimizers golden;
  const plan::ArenaMap arena = golden_arena(golden.initial().size());
  const plan::Cluster cluster = plan::make_single_host(golden.replicas(), true, "cpu");
  const plan::Plan server = write_plan(cluster, arena, write_parameter_server);
  const plan::Plan replicated = write_plan(cluster, arena, write_replicated(Algorithm::kRing));
  expect_golden(golden, server);
  expect_golden(golden, plan::lower(replicated));
}

}  // namespace
}  // namespace convoy::testing
