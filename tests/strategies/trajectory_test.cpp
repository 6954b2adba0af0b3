// Every variant of every strategy, on several numbers of devices, with and without shared memory,
// as written and as lowered, computes what it says: compared with training written down by hand.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/plan/lower/lower.hpp"
#include "core/plan/schedule/schedule.hpp"
#include "tests/plan/sample_gradients.hpp"
#include "tests/plan/sample_models.hpp"
#include "tests/sanitized.hpp"
#include "tests/strategies/delayed_training.hpp"
#include "tests/strategies/strategy_under_test.hpp"
#include "tests/strategies/variants.hpp"
#include "tests/support/interpreter.hpp"

namespace convoy::testing {
namespace {

constexpr std::uint64_t kSteps = 6;  // the last one shows the update of the one before
constexpr std::uint32_t kDeviceCounts[] = {1, 2, 3, 4, 5, 8};

// forward reads by (replica, step)
using Trajectory = std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<float>>;

InterpreterOptions training_options(const plan::ArenaMap& arena) {
  InterpreterOptions options = sample_options(arena, smooth_gradient);
  options.decayed = {{0, arena.elements}};
  return options;
}

std::vector<float> gradient_of_all(std::uint32_t replica, std::uint64_t step,
                                   std::span<const float> parameters) {
  std::vector<float> gradient(parameters.size());
  smooth_gradient({replica, step, 0, {0, parameters.size()}, parameters, parameters}, gradient);
  return gradient;
}

Trajectory reference(const Variant& variant, const plan::ArenaMap& arena, std::uint32_t replicas) {
  const InterpreterOptions options = training_options(arena);
  DelayedTraining training;
  training.parameters_lag = variant.parameters_lag;
  training.gradients_lag = variant.gradients_lag;
  training.momentum = options.optimizer.momentum;
  training.weight_decay = options.optimizer.weight_decay;
  training.learning_rate = options.learning_rate;
  training.gradient = gradient_of_all;
  std::vector<std::uint32_t> all;
  for (std::uint32_t r = 0; r < replicas; ++r) all.push_back(r);
  Trajectory result;
  for (const std::uint32_t r : all) {
    training.replicas = variant.exchange ? all : std::vector<std::uint32_t>{r};
    const auto versions = training.run(options.initial, kSteps);
    for (std::uint64_t step = 0; step < kSteps; ++step) result[{r, step}] = versions[step];
  }
  return result;
}

Trajectory interpreted(const plan::Plan& plan) {
  Trajectory result;
  InterpreterOptions options = training_options(*plan.arena);
  options.gradient = [&](const GradientRequest& request, std::span<float> gradient) {
    result[{request.replica, request.step}].assign(request.forward_read.begin(),
                                                   request.forward_read.end());
    smooth_gradient(request, gradient);
  };
  Interpreter interpreter(plan, options);
  interpreter.run(kSteps);
  EXPECT_EQ(interpreter.elements_changed_before_backward(), 0u);
  return result;
}

void expect_equal(const Trajectory& got, const Trajectory& wanted) {
  ASSERT_EQ(got.size(), wanted.size()) << "computes of all replicas";
  for (const auto& [key, values] : wanted) {
    const std::vector<float>& read = got.at(key);
    for (std::size_t e = 0; e < values.size(); ++e)
      ASSERT_LE(std::abs(read[e] - values[e]), 5e-5f)
          << "replica " << key.first << ", step " << key.second << ", element " << e << ": "
          << read[e] << " instead of " << values[e];
  }
}

// The lowered plan in the order in which the executor queues it.
plan::Plan in_queue_order(const plan::Plan& lowered) {
  plan::Plan result = lowered;
  const plan::Schedule schedule = plan::make_schedule(lowered);
  for (std::size_t i = 0; i < schedule.submission.size(); ++i)
    result.body[i] = lowered.body[schedule.submission[i]];
  return result;
}

void expect_trajectory(const plan::Plan& logical, const Trajectory& wanted) {
  expect_equal(interpreted(logical), wanted);
  // Staging buffers as large as this model needs them.
  const plan::Plan lowered = plan::lower(logical, {.staging_elements = 256});
  expect_equal(interpreted(lowered), wanted);
  // Cut as finely as large models are.
  const plan::Plan pieces = plan::lower(logical, {.staging_elements = 16, .slice_elements = 8});
  expect_equal(interpreted(in_queue_order(pieces)), wanted);
}

class EveryVariant : public ::testing::TestWithParam<Variant> {};

TEST_P(EveryVariant, ComputesWhatItSays) {
  const Variant& variant = GetParam();
  StrategyUnderTest strategy(variant.strategy, variant.options);
  for (const plan::ArenaMap& arena : {small_arena(32), ragged_arena()})
    for (const std::uint32_t devices : kDeviceCounts) {
      if (devices < variant.fewest_devices || devices > variant.most_devices) continue;
      if (kSanitized && devices > std::max(3u, variant.fewest_devices)) continue;
      const Trajectory wanted = reference(variant, arena, devices);
      for (const bool shared_memory : {true, false}) {
        SCOPED_TRACE(variant.name() + ", " + std::to_string(devices) + " devices" +
                     (shared_memory ? " with shared memory" : " without peer access"));
        const plan::Cluster cluster =
            plan::make_single_host(devices, shared_memory, variant.device);
        expect_trajectory(strategy.plan(cluster, arena), wanted);
        if (HasFailure()) return;
      }
    }
}

std::string test_name(const ::testing::TestParamInfo<Variant>& variant) {
  std::string name = variant.param.name();
  for (char& letter : name)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Strategies, EveryVariant, ::testing::ValuesIn(all_variants()), test_name);

// The comparison above must be able to see what it is about.
TEST(DelayedTraining, LagsAndReplicasChangeTheTrajectory) {
  const plan::ArenaMap arena = small_arena(32);
  const Variant synchronous{.strategy = "a"};
  const auto last = [&](const Variant& variant, std::uint32_t replicas) {
    return reference(variant, arena, replicas)[{0, kSteps - 1}][0];
  };
  const float base = last(synchronous, 2);
  Variant late = synchronous;
  late.gradients_lag = 1;
  Variant staged = late;
  staged.parameters_lag = 1;
  Variant alone = synchronous;
  alone.exchange = false;
  for (const float other : {last(late, 2), last(staged, 2), last(alone, 2), last(synchronous, 3)})
    EXPECT_GT(std::abs(other - base), 1e-3f) << other << " and " << base;
}

}  // namespace
}  // namespace convoy::testing
