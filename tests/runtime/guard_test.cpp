#include "core/plan/lower/guard.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "tests/devices/fake/fake_device.hpp"
#include "tests/plan/sample_gradients.hpp"
#include "tests/plan/sample_plans.hpp"
#include "tests/runtime/plugins.hpp"
#include "tests/runtime/random_trial.hpp"
#include "tests/runtime/small_models.hpp"
#include "tests/runtime/training.hpp"

namespace convoy::testing::guard_test {
namespace {

using runtime::Session;

constexpr std::uint32_t kGlobalBatch = 8;
constexpr double kRate = 0.05;

std::vector<StrategyVariant> variants() {
  return {{"replicated"},
          {"replicated", {{"all_reduce_spec", "collective"}}},
          {"parameter_server", {{"local_parameter_device", "cpu"}}},
          {"parameter_server", {{"local_parameter_device", "gpu"}}}};
}

runtime::SessionOptions options_for(std::uint32_t devices, const plan::GuardOptions& guard) {
  runtime::SessionOptions options = momentum_options(devices, kGlobalBatch);
  options.guard = guard;
  return options;
}

std::vector<TrainingStep> steps_of(Session& session, std::int64_t steps) {
  return train(session, *hash_images(session.cluster().replicas(), kGlobalBatch), kRate, steps);
}

// Exact, and large enough to overflow under the largest scales.
void large_gradient(const GradientRequest& request, std::span<float> gradient) {
  exact_gradient(request, gradient);
  for (float& value : gradient) value *= 16;
}

TEST(GuardOnFakeDevices, DoesWhatTheInterpreterDoes) {
  plan::GuardOptions options;
  options.clip_norm = 0.75;
  options.automatic_loss_scale = true;
  options.loss_scale.scale = std::ldexp(1.0, 120);
  options.increase_every = 1;
  options.gradient_norms = true;
  std::uint64_t seed = 0;
  for (const plan::ArenaMap& arena : {small_arena(32), ragged_arena()})
    for (const SamplePlan& sample : sample_plans())
      for (const std::uint32_t replicas : {1u, 2u, 3u}) {
        if (!sample.synchronous && sample.name != "independent") continue;
        const bool shared = ++seed % 3 == 0;
        const plan::Cluster cluster = plan::make_single_host(replicas, shared, "fake");
        const plan::Plan logical = write_plan(cluster, arena, sample.write);
        const plan::Plan plan = plan::guard(logical, plan::check::check_plan(logical), options);
        const auto plugin = fake_plugin({.seed = seed,
                                         .delay_microseconds = seed % 4 == 0 ? 50u : 0u,
                                         .shared_memory = shared});
        PlanRunner runner(plan, *plugin, sample_options(arena, large_gradient), small_pieces());
        Interpreter interpreter(runner.lowered(), sample_options(arena, large_gradient));
        const std::vector<runtime::StepResult> results = runner.run(20);
        interpreter.run(20);
        ASSERT_EQ(runner.difference(interpreter), "") << sample.name << ", " << replicas;
        // The scale doubles every other step until the gradients overflow.
        EXPECT_EQ(results[0].loss_scale, std::ldexp(1.0, 120));
        EXPECT_EQ(results[4].loss_scale, std::ldexp(1.0, 122));
        EXPECT_TRUE(std::ranges::any_of(results, [](const runtime::StepResult& result) {
          const auto& sums = result.gradient_square_sums;
          return std::ranges::any_of(sums, [](double sum) { return !std::isfinite(sum); });
        })) << "nothing overflowed";
      }
}

// The gradient that a lone replica's update has just used.
std::vector<float> gradient_of(Session& session) {
  const auto& buffers = session.plan()->step.logical().buffers;
  const auto it =
      std::ranges::find(buffers, std::uint32_t{CONVOY_BUFFER_GRADIENT}, &plan::PlanBuffer::kind);
  return session.memory().read_buffer(static_cast<std::uint32_t>(it - buffers.begin()));
}

TEST(GuardOnCpu, ReportedNormsAreThoseOfTheAggregatedGradient) {
  plugin::PluginHost host;
  const auto cpu = cpu_plugin(host);
  plan::GuardOptions guard;
  guard.gradient_norms = true;
  const auto alone = strategy_plugin(host, "replicated");
  Session reference(small_network(), *alone, open_devices(*cpu, 1), options_for(1, guard));
  const std::vector<TrainingStep> expected = steps_of(reference, 3);
  const std::vector<float> gradient = gradient_of(reference);
  double square_sum = 0;
  for (const float value : gradient) square_sum += static_cast<double>(value) * value;
  ASSERT_EQ(expected.back().gradient_norms.size(), reference.graph().variables().size());
  EXPECT_NEAR(*expected.back().gradient_norm, std::sqrt(square_sum), 1e-12 * square_sum);
  double of_variables = 0;
  for (const double norm : expected.back().gradient_norms) of_variables += norm * norm;
  EXPECT_NEAR(of_variables, square_sum, 1e-12 * square_sum);
  for (const StrategyVariant& variant : variants())
    for (const std::uint32_t devices : {1u, 2u, 4u}) {
      const auto strategy = strategy_plugin(host, variant);
      Session session(small_network(), *strategy, open_devices(*cpu, devices),
                      options_for(devices, guard));
      const std::vector<TrainingStep> actual = steps_of(session, 3);
      for (std::size_t step = 0; step < actual.size(); ++step)
        for (std::size_t v = 0; v < actual[step].gradient_norms.size(); ++v)
          EXPECT_NEAR(actual[step].gradient_norms[v], expected[step].gradient_norms[v],
                      1e-4 * expected[step].gradient_norms[v])
              << to_text(variant, devices) << ", step " << step << ", "
              << session.graph().variables()[v].name;
    }
}

TEST(GuardOnCpu, ClippedLossesDependNeitherOnTheDevicesNorOnTheStrategy) {
  plugin::PluginHost host;
  const auto cpu = cpu_plugin(host);
  plan::GuardOptions guard;
  guard.clip_norm = 0.5;
  guard.gradient_norms = true;
  const auto alone = strategy_plugin(host, "replicated");
  Session reference(small_network(), *alone, open_devices(*cpu, 1), options_for(1, guard));
  const std::vector<TrainingStep> expected = steps_of(reference, 5);
  ASSERT_GT(*expected.front().gradient_norm, guard.clip_norm);
  Session free(small_network(), *alone, open_devices(*cpu, 1), options_for(1, {}));
  EXPECT_GT(std::fabs(steps_of(free, 2).back().base_loss - expected[1].base_loss), 1e-4);
  for (const StrategyVariant& variant : variants())
    for (const std::uint32_t devices : {2u, 4u}) {
      const auto strategy = strategy_plugin(host, variant);
      Session session(small_network(), *strategy, open_devices(*cpu, devices),
                      options_for(devices, guard));
      const std::vector<TrainingStep> actual = steps_of(session, 5);
      for (std::size_t step = 0; step < actual.size(); ++step)
        EXPECT_NEAR(actual[step].total_loss, expected[step].total_loss,
                    1e-5 * expected[step].total_loss)
            << to_text(variant, devices) << ", step " << step;
    }
}

TEST(GuardOnCpu, AStaticScaleThatIsAPowerOfTwoChangesNothing) {
  plugin::PluginHost host;
  const auto cpu = cpu_plugin(host);
  plan::GuardOptions scaled;
  scaled.loss_scale.scale = 128;
  const auto strategy = strategy_plugin(host, "replicated");
  Session with(small_network(), *strategy, open_devices(*cpu, 2), options_for(2, scaled));
  Session without(small_network(), *strategy, open_devices(*cpu, 2), options_for(2, {}));
  const std::vector<TrainingStep> steps = steps_of(with, 4);
  EXPECT_EQ(steps.front().loss_scale, 128);
  steps_of(without, 4);
  EXPECT_EQ(with.memory().read_parameters(), without.memory().read_parameters());
}

// Their gradients are far above 2, so that a scale of 2^127 makes them infinite.
NumberSource bright_images(std::uint32_t devices) {
  return {{devices, kGlobalBatch / devices, 3 * 8 * 8, 7},
          [](std::int64_t image) { return 16.0f + static_cast<float>(image % 3); }};
}

TEST(GuardOnCpu, AScaleThatOverflowsIsHalvedUntilItFits) {
  plugin::PluginHost host;
  const auto cpu = cpu_plugin(host);
  plan::GuardOptions guard;
  guard.automatic_loss_scale = true;
  guard.loss_scale.scale = std::ldexp(1.0, 127);
  for (const StrategyVariant& variant : variants())
    for (const std::uint32_t devices : {1u, 2u}) {
      const auto strategy = strategy_plugin(host, variant);
      Session session(small_network(), *strategy, open_devices(*cpu, devices),
                      options_for(devices, guard));
      const std::vector<float> initial = session.memory().read_parameters();
      NumberSource images = bright_images(devices);
      train(session, images, kRate / 1000, 1);
      const std::string what = to_text(variant, devices);
      EXPECT_EQ(session.values().loss_scale(), (plan::LossScale{std::ldexp(1.0, 126), 0})) << what;
      EXPECT_EQ(session.memory().read_parameters(), initial) << what;
      train(session, images, kRate / 1000, 12);
      EXPECT_GT(session.values().loss_scale().clean_steps, 0) << what;
      EXPECT_NE(session.memory().read_parameters(), initial) << what;
    }
}

TEST(GuardOnCpu, TheLossScaleCanBeSavedAndPutBack) {
  plugin::PluginHost host;
  const auto cpu = cpu_plugin(host);
  plan::GuardOptions guard;
  guard.automatic_loss_scale = true;
  guard.loss_scale = {256, 3};
  guard.increase_every = 4;
  const auto strategy = strategy_plugin(host, "replicated");
  Session session(small_network(), *strategy, open_devices(*cpu, 2), options_for(2, guard));
  EXPECT_EQ(session.values().loss_scale(), (plan::LossScale{256, 3}));
  steps_of(session, 2);
  EXPECT_EQ(session.values().loss_scale(), (plan::LossScale{512, 0}));
  session.values().set_loss_scale({64, 4});
  EXPECT_EQ(steps_of(session, 1).front().loss_scale, 64);
  EXPECT_EQ(session.values().loss_scale(), (plan::LossScale{128, 0}));
  Session plain(small_network(), *strategy, open_devices(*cpu, 2), options_for(2, {}));
  EXPECT_EQ(plain.values().loss_scale(), plan::LossScale{});
}

TEST(GuardOnCpu, AutomaticScalingIsRefusedWhereGradientsWaitAStep) {
  plugin::PluginHost host;
  const auto cpu = cpu_plugin(host);
  plan::GuardOptions guard;
  guard.automatic_loss_scale = true;
  const auto strategy = strategy_plugin(host, "parameter_server", {{"staged_vars", "true"}});
  try {
    Session session(small_network(), *strategy, open_devices(*cpu, 2), options_for(2, guard));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    EXPECT_NE(std::string(error.what()).find("stale by 2"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace convoy::testing::guard_test
