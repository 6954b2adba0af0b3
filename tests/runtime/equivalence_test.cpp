#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/devices/fake/fake_device.hpp"
#include "tests/runtime/initial_parameters.hpp"
#include "tests/runtime/plugins.hpp"
#include "tests/runtime/small_models.hpp"
#include "tests/runtime/training.hpp"
#include "tests/support/interpreter.hpp"

namespace convoy::testing::equivalence_test {
namespace {

using runtime::Session;

constexpr std::uint32_t kGlobalBatch = 8;
constexpr std::int64_t kSteps = 6;
constexpr double kRate = 0.05;

// Every way of being synchronous.
std::vector<StrategyVariant> synchronous_variants() {
  return {{"parameter_server", {{"local_parameter_device", "cpu"}}},
          {"parameter_server", {{"local_parameter_device", "gpu"}}},
          {"replicated"},
          {"replicated", {{"local_parameter_device", "cpu"}}},
          {"replicated", {{"all_reduce_spec", "pscpu"}}},
          {"replicated", {{"all_reduce_spec", "psgpu"}}},
          {"replicated", {{"all_reduce_spec", "psgpu#2"}}, 2},
          {"replicated", {{"all_reduce_spec", "xring"}}, 2},
          {"replicated", {{"all_reduce_spec", "xring#2"}}, 2},
          {"replicated", {{"all_reduce_spec", "collective"}}},
          {"replicated", {{"all_reduce_spec", "collective#2"}}, 2},
          {"replicated", {{"gradient_repacking", "3"}}},
          {"replicated", {{"agg_small_grads_max_bytes", "512"}}},
          {"replicated", {{"hierarchical_copy", "true"}}, 4}};
}

std::vector<double> losses(plugin::PluginHost& host, const plugin::DevicePlugin& cpu,
                           const StrategyVariant& variant, std::uint32_t devices) {
  const auto strategy = strategy_plugin(host, variant);
  Session session(small_network(), *strategy, open_devices(cpu, devices),
                  momentum_options(devices, kGlobalBatch));
  const auto source = hash_images(devices, kGlobalBatch);
  std::vector<double> result;
  for (const TrainingStep& step : train(session, *source, kRate, kSteps))
    result.push_back(step.total_loss);
  return result;
}

TEST(Equivalence, LossesDependNeitherOnTheDevicesNorOnTheStrategy) {
  plugin::PluginHost host;
  const auto cpu = cpu_plugin(host);
  const std::vector<double> expected = losses(host, *cpu, {"replicated"}, 1);
  EXPECT_LT(expected.back(), 0.95 * expected.front());  // it does train
  for (const StrategyVariant& variant : synchronous_variants())
    for (const std::uint32_t devices : {1u, 2u, 4u}) {
      if (devices < variant.fewest_devices) continue;
      const std::vector<double> actual = losses(host, *cpu, variant, devices);
      for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_NEAR(actual[i], expected[i], 1e-5 * expected[i])
            << to_text(variant, devices) << ", step " << i;
    }
}

// Two columns of every matrix, as CPU devices store it: in five times the steps.
TEST(Equivalence, LowRankGradientsTeachTheSameOnAllDevicesAndAllReplicas) {
  plugin::PluginHost host;
  const auto cpu = cpu_plugin(host);
  const std::vector<double> exact = losses(host, *cpu, {"replicated"}, 1);
  double of_one = 0;
  for (const std::uint32_t devices : {1u, 2u, 4u}) {
    const auto strategy = strategy_plugin(host, "powersgd", {{"rank", "2"}});
    Session session(small_network(), *strategy, open_devices(*cpu, devices),
                    momentum_options(devices, kGlobalBatch));
    const auto& body = session.lowered_plan().body;
    EXPECT_GE(std::ranges::count(body, plan::OperationKind::kOrthogonalise, &plan::Operation::kind),
              devices);
    const auto source = hash_images(devices, kGlobalBatch);
    const double last = train(session, *source, kRate, 5 * kSteps).back().total_loss;
    EXPECT_LT(last, exact.front() - 0.5 * (exact.front() - exact.back())) << devices;
    if (devices == 1) of_one = last;
    EXPECT_NEAR(last, of_one, 1e-3 * of_one) << devices;
    const std::vector<float> first = session.memory().read_buffer(0);
    for (std::uint32_t i = 0; i < session.plan()->step.logical().buffers.size(); ++i)
      if (session.plan()->step.logical().buffers[i].kind == CONVOY_BUFFER_PARAMETERS) {
        EXPECT_EQ(session.memory().read_buffer(i), first) << i << " of " << devices;
      }
  }
}

TEST(Equivalence, SessionsOnDevicesWithoutPeerAccessFollowTheInterpreter) {
  plugin::PluginHost host;
  std::vector<StrategyVariant> variants = synchronous_variants();
  variants.push_back({"parameter_server", {{"staged_vars", "true"}}});
  variants.push_back({"replicated", {{"variable_consistency", "relaxed"}}});
  variants.push_back({"independent"});
  for (const StrategyVariant& variant : variants) {
    const std::uint32_t devices = std::max(2u, variant.fewest_devices);
    const auto plugin = fake_plugin({.delay_microseconds = 20});
    const auto strategy = strategy_plugin(host, variant);
    Session session(small_network(), *strategy, open_devices(*plugin, devices),
                    momentum_options(devices, kGlobalBatch));
    ASSERT_FALSE(session.cluster().access[0][1]);
    const auto source = hash_images(devices, kGlobalBatch);
    train(session, *source, kRate, 5);
    Interpreter interpreter(session.lowered_plan(), interpreter_options(session, kRate));
    interpreter.run(5);
    for (std::uint32_t i = 0; i < session.plan()->step.logical().buffers.size(); ++i) {
      if (session.plan()->step.logical().buffers[i].kind == CONVOY_BUFFER_SCRATCH) continue;
      const std::vector<float> actual = session.memory().read_buffer(i);
      const auto expected = interpreter.values(i);
      for (const runtime::StoredElements::Part& part : session.memory().stored(i).parts()) {
        const auto first = static_cast<std::ptrdiff_t>(part.range.first);
        const auto end = first + static_cast<std::ptrdiff_t>(part.range.count);
        ASSERT_TRUE(
            std::equal(actual.begin() + first, actual.begin() + end, expected.begin() + first))
            << to_text(variant, devices) << ", " << session.plan()->step.logical().buffer_name(i);
      }
    }
  }
}

struct Trained {
  std::size_t sums = 0;
  std::vector<float> parameters;  // of replica 0
};

Trained train_sharing_memory(plugin::PluginHost& host, bool joins_updates) {
  const auto plugin = fake_plugin({.shared_memory = true, .joins_updates = joins_updates});
  const auto strategy = strategy_plugin(host, "replicated");
  Session session(small_network(), *strategy, open_devices(*plugin, 2),
                  momentum_options(2, kGlobalBatch));
  const auto source = hash_images(2, kGlobalBatch);
  train(session, *source, kRate, 3);
  Trained result;
  for (const plan::Operation& operation : session.lowered_plan().body)
    if (operation.kind == plan::OperationKind::kSum) ++result.sums;
  result.parameters = session.memory().read_buffer(0);
  return result;
}

TEST(Equivalence, OnlyDevicesThatJoinUpdatesGetJoinedOnes) {
  plugin::PluginHost host;
  const Trained joined = train_sharing_memory(host, true);
  const Trained apart = train_sharing_memory(host, false);
  EXPECT_EQ(joined.sums, 0u);
  EXPECT_GT(apart.sums, 0u);
  EXPECT_EQ(joined.parameters, apart.parameters);
}

TEST(Equivalence, AllReplicasStartAlikeAndTheSeedMatters) {
  plugin::PluginHost host;
  const auto cpu = cpu_plugin(host);
  const auto strategy = strategy_plugin(host, "replicated");
  runtime::SessionOptions options = momentum_options(2, kGlobalBatch);
  options.hash_initializer = false;
  Session session(small_network(), *strategy, open_devices(*cpu, 2), options);
  const std::vector<float> first = session.memory().read_buffer(0);
  std::size_t replicas = 0;
  for (std::uint32_t i = 0; i < session.plan()->step.logical().buffers.size(); ++i)
    if (session.plan()->step.logical().buffers[i].kind == CONVOY_BUFFER_PARAMETERS) {
      EXPECT_EQ(session.memory().read_buffer(i), first);
      ++replicas;
    }
  EXPECT_EQ(replicas, 2u);
  options.seed = 2;
  Session other(small_network(), *strategy, open_devices(*cpu, 2), options);
  EXPECT_NE(other.memory().read_buffer(0), first);
}

}  // namespace
}  // namespace convoy::testing::equivalence_test
