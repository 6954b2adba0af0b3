#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/plan/check/trajectories.hpp"
#include "tests/plan/lower/guarded_plans.hpp"
#include "tests/plan/sample_gradients.hpp"
#include "tests/plan/sample_plans.hpp"

namespace convoy::testing {
namespace {

// The loss scale after every step, and what one run looked like at its end.
struct ScaledRun {
  std::vector<plan::LossScale> scales;
  std::vector<std::vector<float>> parameters;  // after every step, of all buffers with state
  std::vector<std::vector<float>> velocity;
};

bool is_infinite_at(std::uint64_t step) {
  return step == 1 || step == 5 || step == 6;
}

// One element of one replica overflows in some steps.
void overflowing(const GradientRequest& request, std::span<float> gradient) {
  exact_gradient(request, gradient);
  const bool last = request.replica == 0 && request.range.first == 0;
  if (last && is_infinite_at(request.step))
    gradient[0] = request.step == 5 ? std::nanf("") : std::numeric_limits<float>::infinity();
}

ScaledRun run_scaled(const plan::Plan& plan, std::uint64_t steps) {
  ScaledRun run;
  Interpreter interpreter(plan, sample_options(*plan.arena, overflowing));
  const auto adapt =
      std::ranges::find(plan.body, plan::OperationKind::kAdaptLossScale, &plan::Operation::kind);
  for (std::uint64_t step = 0; step < steps; ++step) {
    interpreter.run(1);
    const auto scale = interpreter.values(adapt->writes.front().buffer);
    run.scales.push_back({scale[0], scale[1]});
    std::vector<float> parameters;
    std::vector<float> velocity;
    for (const plan::Operation& operation : plan.body) {
      if (operation.kind != plan::OperationKind::kApply) continue;
      const plan::PlanSpan& span = operation.writes.front();
      const auto w = interpreter.values(span.buffer).subspan(span.first, span.count);
      const auto v = interpreter.optimizer_state(span.buffer, 0);
      parameters.insert(parameters.end(), w.begin(), w.end());
      for (std::uint64_t i = 0; !v.empty() && i < span.count; ++i)
        velocity.push_back(v[span.first + i]);
    }
    run.parameters.push_back(parameters);
    run.velocity.push_back(velocity);
  }
  return run;
}

// Steps 1, 5 and 6 overflow; with N = 2 the third clean step in a row doubles the scale.
const std::vector<plan::LossScale> kExpectedScales = {{64, 1}, {32, 0}, {32, 1}, {32, 2}, {64, 0},
                                                      {32, 0}, {16, 0}, {16, 1}, {16, 2}, {32, 0}};

TEST(LossScale, AnOverflowHalvesTheScaleOnceHoweverManyReplicasThereAre) {
  for (const std::uint32_t replicas : {1u, 2u, 3u, 5u})
    for (const bool peer_access : {true, false}) {
      const plan::ArenaMap arena = small_arena(32);
      const plan::Cluster cluster = plan::make_single_host(replicas, peer_access, "cpu");
      for (const SamplePlan& sample : sample_plans()) {
        if (!sample.synchronous && sample.name != "independent") continue;
        const plan::Plan plan = plan::lower(
            guarded(write_plan(cluster, arena, sample.write), automatic(64, 2)), kSmallPieces);
        const ScaledRun run = run_scaled(plan, kExpectedScales.size());
        EXPECT_EQ(run.scales, kExpectedScales) << sample.name << ", " << replicas << " replicas";
      }
    }
}

TEST(LossScale, AStepThatOverflowsLeavesParametersAndOptimizerStateBitForBit) {
  for (const std::uint32_t replicas : {1u, 3u}) {
    const plan::ArenaMap arena = small_arena(32);
    const plan::Cluster cluster = plan::make_single_host(replicas, false, "cpu");
    for (const SamplePlan& sample : sample_plans()) {
      if (!sample.synchronous) continue;
      const plan::Plan plan = plan::lower(
          guarded(write_plan(cluster, arena, sample.write), automatic(64, 2)), kSmallPieces);
      const ScaledRun run = run_scaled(plan, 8);
      for (std::uint64_t step = 1; step < 8; ++step) {
        const bool same = run.parameters[step] == run.parameters[step - 1] &&
                          run.velocity[step] == run.velocity[step - 1];
        EXPECT_EQ(same, is_infinite_at(step)) << sample.name << ", step " << step;
        EXPECT_TRUE(std::ranges::all_of(run.parameters[step],
                                        [](float value) { return std::isfinite(value); }))
            << sample.name << ", step " << step;
      }
    }
  }
}

// Replica 0 alone overflows; the others, which share nothing with it, go on.
TEST(LossScale, IndependentReplicasSkipOnlyTheirOwnUpdates) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  const plan::Plan plan =
      plan::lower(guarded(write_plan(cluster, arena, write_independent), automatic(64, 2)));
  const ScaledRun run = run_scaled(plan, 2);
  const std::uint64_t own = arena.elements;
  const auto& before = run.parameters[0];
  const auto& after = run.parameters[1];
  EXPECT_TRUE(std::equal(before.begin(), before.begin() + std::ptrdiff_t(own), after.begin()));
  EXPECT_FALSE(std::equal(before.begin() + std::ptrdiff_t(own), before.end(),
                          after.begin() + std::ptrdiff_t(own)));
}

TEST(LossScale, TheScaleStaysAmongNormalNumbers) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(1, true, "cpu");
  const double largest = std::ldexp(1.0, 127);
  const plan::Plan plan =
      guarded(write_plan(cluster, arena, write_independent), automatic(largest, 1));
  InterpreterOptions options = sample_options(
      arena, [](const auto&, std::span<float> gradient) { std::ranges::fill(gradient, 0.0f); });
  Interpreter interpreter(plan, options);
  interpreter.run(6);
  const auto adapt =
      std::ranges::find(plan.body, plan::OperationKind::kAdaptLossScale, &plan::Operation::kind);
  EXPECT_EQ(interpreter.values(adapt->writes.front().buffer)[0], largest);
}

TEST(LossScale, RefusesToAdaptTheScaleOfGradientsThatOutliveTheirStep) {
  const plan::ArenaMap arena = small_arena(32);
  const plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  const auto text = [&](const WritePlan& write) {
    return refusal(write_plan(cluster, arena, write), automatic(64, 2));
  };
  for (const WritePlan& write : {WritePlan(write_staged), WritePlan(write_deferred)})
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, "stale by", text(write));
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "synchronous every 2 steps",
                      text(write_accumulating));
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "2 applies per step", text(write_sequential));
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "asynchronous", text(write_asynchronous));
}

}  // namespace
}  // namespace convoy::testing
