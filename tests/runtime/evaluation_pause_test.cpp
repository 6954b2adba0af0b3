#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/runtime/evaluator.hpp"
#include "core/train/optimizer.hpp"
#include "tests/devices/fake/fake_device.hpp"
#include "tests/runtime/plugins.hpp"
#include "tests/runtime/small_models.hpp"
#include "tests/runtime/training.hpp"

namespace convoy::testing::evaluation_pause_test {
namespace {

using runtime::SessionOptions;

constexpr std::uint32_t kReplicas = 2;
constexpr std::int64_t kSteps = 7;  // ends in the middle of a period of two

struct Variant {
  std::string strategy;
  plugin::OptionValues values = {};
};

std::vector<Variant> variants() {
  return {{"parameter_server", {{"local_parameter_device", "cpu"}}},
          {"parameter_server", {{"local_parameter_device", "gpu"}}},
          {"parameter_server", {{"staged_vars", "true"}}},
          {"parameter_server", {{"variable_consistency", "relaxed"}}},
          {"replicated"},
          {"replicated", {{"all_reduce_spec", "xring"}}},
          {"replicated", {{"variable_consistency", "relaxed"}}},
          {"independent"}};
}

std::string describe(const Variant& variant) {
  std::string text = variant.strategy;
  for (const auto& [name, value] : variant.values) text += fmt::format(" --{}={}", name, value);
  return text;
}

SessionOptions session_options() {
  OptimizerOptions optimizer;
  optimizer.kind = CONVOY_OPTIMIZER_MOMENTUM;
  SessionOptions options;
  options.batch = 4;
  options.bucket_elements = 512;
  options.optimizer = train::make_optimizer(optimizer, kReplicas);
  return options;
}

NumberSource images(std::int64_t batch) {
  return {{kReplicas, batch, 192, 7},
          [](std::int64_t image) { return static_cast<float>(image % 5) / 5; }};
}

// What a run leaves: losses, and every buffer that survives a step.
struct Trained {
  std::vector<double> losses;
  std::vector<std::vector<float>> memory;
  std::vector<double> accuracies;
};

Trained train(plugin::PluginHost& host, const plugin::DevicePlugin& devices, const Variant& variant,
              const graph::Graph& graph, bool evaluating) {
  const auto strategy = strategy_plugin(host, variant.strategy, variant.values);
  runtime::Session session(graph, *strategy, open_devices(devices, kReplicas), session_options());
  SessionOptions evaluating_options = session_options();
  evaluating_options.batch = 3;  // another one than training
  runtime::Evaluator evaluator(graph, session.devices(), evaluating_options);
  Trained result;
  runtime::TrainingEvents events;
  events.timed_step = [&](const TrainingStep& step) { result.losses.push_back(step.base_loss); };
  events.pause_after = [&](const runtime::PausePoint& point) {
    return evaluating && point.timed_step % 3 != 1;
  };
  events.paused = [&](const runtime::PausePoint&) {
    NumberSource validation = images(3);
    result.accuracies.push_back(
        evaluator.run(session.values().read_model(), validation, 5, {}).top_1);
    EXPECT_EQ(evaluator.session().values().read_model().variables,
              session.values().read_model().variables);
    return true;
  };
  NumberSource source = images(4);
  runtime::run_training(session, source, constant_rate(0.05), {2, kSteps, 0}, events);
  for (std::uint32_t i = 0; i < session.plan()->step.logical().buffers.size(); ++i)
    if (session.plan()->step.logical().buffers[i].kind != CONVOY_BUFFER_SCRATCH)
      result.memory.push_back(session.memory().read_buffer(i));
  for (std::uint32_t replica = 0; replica < kReplicas; ++replica)
    result.memory.push_back(session.memory().read_replica_state(replica));
  return result;
}

void expect_untouched(plugin::PluginHost& host, const plugin::DevicePlugin& devices,
                      const graph::Graph& graph) {
  for (const Variant& variant : variants()) {
    const Trained plain = train(host, devices, variant, graph, false);
    const Trained paused = train(host, devices, variant, graph, true);
    EXPECT_EQ(paused.accuracies.size(), 4u) << describe(variant);
    EXPECT_EQ(paused.losses, plain.losses) << describe(variant);
    EXPECT_TRUE(paused.memory == plain.memory) << describe(variant);
  }
}

TEST(EvaluationPause, ChangesNoBitOfTheTrainingOnDevicesWithoutPeerAccess) {
  plugin::PluginHost host;
  const auto fake = fake_plugin({.delay_microseconds = 20});
  expect_untouched(host, *fake, small_network());
}

TEST(EvaluationPause, ChangesNoBitOfTheTrainingOnCpuDevices) {
  plugin::PluginHost host;
  const auto cpu = cpu_plugin(host);
  expect_untouched(host, *cpu, normalised_network());
}

}  // namespace
}  // namespace convoy::testing::evaluation_pause_test
