#include "core/runtime/executor.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "tests/devices/fake/fake_device.hpp"
#include "tests/plan/sample_gradients.hpp"
#include "tests/plan/sample_plans.hpp"
#include "tests/runtime/plan_runner.hpp"
#include "tests/runtime/random_plan.hpp"
#include "tests/runtime/random_trial.hpp"
#include "tests/support/reference_update.hpp"

namespace convoy::testing {
namespace {

using runtime::StepResult;

FakeOptions random_devices(std::uint64_t seed) {
  FakeOptions options;
  options.seed = seed;
  options.delay_microseconds = seed % 4 == 0 ? 100 : 0;
  options.shared_memory = seed % 3 == 0;
  return options;
}

TEST(Executor, DoesWhatTheInterpreterDoesWithRandomPlansOnFakeDevices) {
  const plan::ArenaMap arena = small_arena(32);
  for (std::uint64_t seed = 0; seed < kRandomPlans; ++seed) {
    const FakeOptions devices = random_devices(seed);
    const auto replicas = static_cast<std::uint32_t>(1 + seed % 5 % 4);
    const plan::Cluster cluster = plan::make_single_host(replicas, devices.shared_memory, "fake");
    const plan::Plan plan = write_plan(cluster, arena, write_random(seed));
    const auto plugin = fake_plugin(devices);
    PlanRunner runner(plan, *plugin, random_options(arena, seed), small_pieces());
    Interpreter interpreter(plan, random_options(arena, seed));
    const std::int64_t steps = 5 + static_cast<std::int64_t>(seed % 4);
    runner.run(steps);
    interpreter.run(static_cast<std::uint64_t>(steps));
    ASSERT_TRUE(is_finite(plan, interpreter)) << "plan " << seed;
    ASSERT_EQ(runner.difference(interpreter), "")
        << "plan " << seed << ", " << replicas << " replicas";
  }
}

// Reads of the asynchronous sample race with updates on purpose: there is no one right result.
bool has_one_result(const SamplePlan& sample) {
  return sample.name != "asynchronous";
}

TEST(Executor, DoesWhatTheInterpreterDoesWithEveryStrategyWhereverItStops) {
  std::uint64_t seed = 0;
  for (const plan::ArenaMap& arena : {small_arena(32), ragged_arena()})
    for (const SamplePlan& sample : sample_plans())
      for (const std::uint32_t replicas : {1u, 2u, 3u, 4u}) {
        if (!has_one_result(sample)) continue;
        const FakeOptions devices = random_devices(++seed);
        const plan::Cluster cluster =
            plan::make_single_host(replicas, devices.shared_memory, "fake");
        const plan::Plan plan = write_plan(cluster, arena, sample.write);
        const auto plugin = fake_plugin(devices);
        PlanRunner runner(plan, *plugin, sample_options(arena, exact_gradient), small_pieces());
        // Thirds are not exact, so that only the lowered plan says in which order they add up.
        const bool exact = sample.name != "prescaled" || replicas != 3;
        Interpreter interpreter(exact ? plan : runner.lowered(),
                                sample_options(arena, exact_gradient));
        for (const std::int64_t steps : {3, 1, 2, 1}) {
          runner.run(steps);
          interpreter.run(static_cast<std::uint64_t>(steps));
          ASSERT_EQ(runner.difference(interpreter), "")
              << sample.name << " with " << replicas << " replicas after " << interpreter.steps()
              << " steps";
        }
      }
}

#if !defined(__SANITIZE_THREAD__)
TEST(Executor, AsynchronousPlansStayFinite) {
  const plan::ArenaMap arena = small_arena(32);
  const plan::Cluster cluster = plan::make_single_host(3, false, "fake");
  const plan::Plan plan = write_plan(cluster, arena, write_asynchronous);
  const auto plugin = fake_plugin({.delay_microseconds = 50});
  PlanRunner runner(plan, *plugin, sample_options(arena, exact_gradient));
  runner.run(20);
  for (const float value : runner.memory().read_parameters()) ASSERT_TRUE(std::isfinite(value));
}
#endif

// Does not depend on the parameters.
void steady_gradient(const GradientRequest& request, std::span<float> gradient) {
  for (std::size_t i = 0; i < gradient.size(); ++i)
    gradient[i] = 0.125f * static_cast<float>(request.replica + 1 + (request.range.first + i) % 3);
}

InterpreterOptions adam_options(const plan::ArenaMap& arena) {
  InterpreterOptions options = sample_options(arena, steady_gradient);
  options.optimizer.kind = CONVOY_OPTIMIZER_ADAM;
  options.optimizer.state_slots = 2;
  options.optimizer.beta1 = 0.9;
  options.optimizer.beta2 = 0.999;
  options.optimizer.epsilon = 1e-3;
  options.optimizer.weight_decay = 0;
  return options;
}

// A master that gets the gradients of all replicas one after the other, in every step.
std::vector<double> adam_of_all_updates(const InterpreterOptions& options, std::uint32_t replicas,
                                        std::uint64_t steps) {
  const plan::ElementRange all{0, options.initial.size()};
  std::vector<double> parameters(options.initial.begin(), options.initial.end());
  std::vector<std::array<double, 2>> moments(all.count, {0.0, 0.0});
  std::vector<float> gradient(all.count);
  std::uint64_t updates = 0;
  for (std::uint64_t step = 0; step < steps; ++step)
    for (std::uint32_t replica = 0; replica < replicas; ++replica, ++updates) {
      options.gradient({replica, step, 0, all, {}, {}}, gradient);
      for (std::uint64_t e = 0; e < all.count; ++e)
        apply_reference(options.optimizer, options.learning_rate(step), updates, 1, false,
                        parameters[e], moments[e], gradient[e]);
    }
  return parameters;
}

TEST(Executor, CorrectsAdamsMomentsByTheUpdatesThatTheyHaveHad) {
  constexpr std::int64_t kSteps = 4;
  const plan::ArenaMap arena = small_arena(32);
  for (const std::uint32_t replicas : {1u, 2u, 3u}) {
    const plan::Cluster cluster = plan::make_single_host(replicas, false, "fake");
    const plan::Plan plan = write_plan(cluster, arena, write_sequential);
    const InterpreterOptions options = adam_options(arena);
    const auto plugin = fake_plugin({.delay_microseconds = 20});
    PlanRunner runner(plan, *plugin, options, small_pieces());
    runner.run(kSteps);
    const std::vector<float> actual = runner.memory().read_parameters();
    const std::vector<double> expected = adam_of_all_updates(options, replicas, kSteps);
    for (std::size_t e = 0; e < expected.size(); ++e)
      ASSERT_NEAR(actual[e], expected[e], 1e-6) << replicas << " replicas, element " << e;
  }
}

TEST(Executor, GivesEveryStepItsOwnLossesAndHits) {
  const plan::ArenaMap arena = small_arena(32);
  const plan::Cluster cluster = plan::make_single_host(3, false, "fake");
  for (const auto& write : {write_parameter_server, write_accumulating}) {
    const plan::Plan plan = write_plan(cluster, arena, write);
    const auto plugin = fake_plugin({.delay_microseconds = 100});
    PlanRunner runner(plan, *plugin, sample_options(arena, exact_gradient));
    const std::vector<StepResult> results = runner.run(9);
    double previous_end = 0;
    for (std::uint64_t step = 0; step < results.size(); ++step) {
      const StepResult& result = results[step];
      EXPECT_EQ(result.step, static_cast<std::int64_t>(step));
      EXPECT_GT(result.end, previous_end);
      previous_end = result.end;
      for (std::uint32_t r = 0; r < 3; ++r) {
        EXPECT_EQ(result.losses[r], fake_loss(r, step, 0));
        EXPECT_EQ(result.hits[r][0], step + 1);
        EXPECT_EQ(result.hits[r][1], 2 * (step + 1));
      }
    }
  }
}

TEST(Executor, SumsSquaresOfDecayedParametersBeforeTheUpdateOnce) {
  const plan::ArenaMap arena = small_arena(32);
  const InterpreterOptions options = sample_options(arena, exact_gradient);
  const plan::ElementRange decayed = options.decayed.front();
  for (const SamplePlan& sample : sample_plans()) {
    if (!sample.synchronous && sample.name != "sequential") continue;
    const plan::Cluster cluster = plan::make_single_host(3, false, "fake");
    const plan::Plan plan = write_plan(cluster, arena, sample.write);
    const auto plugin = fake_plugin();
    PlanRunner runner(plan, *plugin, options);
    for (int step = 0; step < 3; ++step) {
      const std::vector<float> before =
          step == 0 ? options.initial : runner.memory().read_parameters();
      double expected = 0;
      for (std::uint64_t e = decayed.first; e < decayed.first + decayed.count; ++e)
        expected += static_cast<double>(before[e]) * before[e];
      const StepResult result = runner.run(1).front();
      ASSERT_TRUE(result.square_sum.has_value()) << sample.name;
      EXPECT_NEAR(*result.square_sum, expected, 1e-9) << sample.name << " step " << step;
    }
  }
}

TEST(Executor, HasNoSquareSumWhereAStepUpdatesNothing) {
  const plan::ArenaMap arena = small_arena(32);
  const plan::Cluster cluster = plan::make_single_host(2, false, "fake");
  const plan::Plan plan = write_plan(cluster, arena, write_accumulating);
  const auto plugin = fake_plugin();
  PlanRunner runner(plan, *plugin, sample_options(arena, exact_gradient));
  const std::vector<StepResult> results = runner.run(2);
  EXPECT_FALSE(results[0].square_sum.has_value());
  EXPECT_TRUE(results[1].square_sum.has_value());
}

TEST(Executor, TimesEveryOperationOfTheLastStep) {
  const plan::ArenaMap arena = small_arena(32);
  const plan::Cluster cluster = plan::make_single_host(2, false, "fake");
  const plan::Plan plan = write_plan(cluster, arena, write_parameter_server);
  const auto plugin = fake_plugin({.delay_microseconds = 100});
  PlanRunner runner(plan, *plugin, sample_options(arena, exact_gradient));
  EXPECT_TRUE(runner.executor().last_times().empty());
  const double end = runner.run(4).back().end;
  const std::vector<runtime::OperationTime> times = runner.executor().last_times();
  EXPECT_EQ(times.size(), runner.lowered().body.size());
  for (const runtime::OperationTime& time : times) {
    EXPECT_GT(time.timing.start, 0);
    EXPECT_LE(time.timing.start, time.timing.end);
    EXPECT_LE(time.timing.end, end);
  }
}

TEST(Executor, RefusesAKernelThatTheStrategyDoesNotHave) {
  const plan::ArenaMap arena = small_arena(32);
  const plan::Cluster cluster = plan::make_single_host(1, false, "fake");
  const plan::Plan plan = write_plan(cluster, arena, [](Planner& p) {
    p.compute();
    p.call("shrink", PlaceId(0), {p.gradient(ReplicaId(0))}, {p.gradient(ReplicaId(0))});
  });
  const auto plugin = fake_plugin();
  try {
    PlanRunner runner(plan, *plugin, sample_options(arena, exact_gradient));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("'shrink'"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace convoy::testing
