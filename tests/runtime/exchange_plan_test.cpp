// A training that passes from plan to plan is the same training.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <iostream>

#include "core/runtime/state/training_state.hpp"
#include "core/train/optimizer.hpp"
#include "tests/devices/fake/fake_device.hpp"
#include "tests/runtime/plugins.hpp"
#include "tests/runtime/small_models.hpp"
#include "tests/runtime/training.hpp"
#include "tests/support/thrown_text.hpp"

namespace convoy::testing::exchange_plan_test {
namespace {

using runtime::Session;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t kSteps = 9;
constexpr std::int64_t kTurn = 2;  // steps from one exchange to the next

struct Way {
  std::string strategy;
  plugin::OptionValues values = {};
  std::uint64_t bucket_elements = 1000;
};

struct Outcome {
  std::vector<double> losses;
  runtime::ModelValues values;
  plan::LossScale loss_scale;
};

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

class ExchangePlan : public ::testing::Test {
 protected:
  void configure(convoy_optimizer_kind kind, std::uint32_t devices) {
    OptimizerOptions optimizer;
    optimizer.kind = kind;
    optimizer.rmsprop_epsilon = 0.01;
    devices_ = open_devices(*plugin_, devices);
    options_.batch = 4;
    options_.seed = 7;
    options_.optimizer = train::make_optimizer(optimizer, devices);
  }

  // Goes through the ways in turns; one of them: with a plan throughout.
  Outcome train_in_turns(const std::vector<Way>& ways, const graph::Graph& graph) {
    strategies_.clear();
    for (const Way& way : ways)
      strategies_.push_back(strategy_plugin(host_, way.strategy, way.values));
    options_.bucket_elements = ways.front().bucket_elements;
    Session session(graph, *strategies_.front(), devices_, options_);
    std::vector<std::shared_ptr<const runtime::PreparedPlan>> plans = {session.plan()};
    for (std::size_t i = 1; i < ways.size(); ++i)
      plans.push_back(session.prepare(*strategies_[i], ways[i].bucket_elements));
    for (const auto& plan : plans) EXPECT_THAT(runtime::why_not_exchangeable(*plan), IsEmpty());
    Outcome outcome;
    runtime::TrainingEvents events;
    events.warmup_step = [&](const TrainingStep& step) {
      outcome.losses.push_back(step.total_loss);
    };
    events.timed_step = events.warmup_step;
    std::size_t turn = 0;
    events.plan_changes_after = [&](const runtime::PausePoint& point) {
      return ways.size() > 1 && point.global_step % kTurn == 0;
    };
    events.change_plan = [&](const runtime::PausePoint& point) {
      EXPECT_FALSE(session.exchange_plan(plans[++turn % plans.size()], point.global_step));
    };
    NumberSource source({session.cluster().replicas(), 4, 3 * 8 * 8, 7},
                        [](std::int64_t image) { return static_cast<float>(image % 17) / 10; });
    runtime::run_training(session, source, constant_rate(0.05), {3, kSteps - 3, 0}, events);
    outcome.values = session.values().read_model();
    outcome.loss_scale = session.values().loss_scale();
    return outcome;
  }

  static void expect_same_bits(const Outcome& a, const Outcome& b, const std::string& what) {
    EXPECT_EQ(a.losses, b.losses) << what;
    for (std::size_t i = 0; i < a.values.variables.size(); ++i)
      EXPECT_TRUE(same_bits(a.values.variables[i], b.values.variables[i])) << what << ", " << i;
    EXPECT_TRUE(same_bits(a.values.state, b.values.state)) << what;
  }

  plugin::PluginHost host_;
  std::unique_ptr<plugin::DevicePlugin> plugin_ = cpu_plugin(host_);
  std::shared_ptr<runtime::OpenDevices> devices_;
  runtime::SessionOptions options_;
  std::vector<std::unique_ptr<plugin::StrategyPlugin>> strategies_;
};

const std::vector<Way> kWays = {{"replicated"},
                                {"parameter_server", {{"local_parameter_device", "cpu"}}, 300},
                                {"replicated", {{"all_reduce_spec", "pscpu"}}, 5000}};

// With two devices a sum of gradients has but one order: all ways give the same bits.
TEST_F(ExchangePlan, ChangesNoBitWithTwoDevicesWhateverTheOptimizer) {
  for (const auto kind : {CONVOY_OPTIMIZER_SGD, CONVOY_OPTIMIZER_MOMENTUM, CONVOY_OPTIMIZER_RMSPROP,
                          CONVOY_OPTIMIZER_ADAM}) {
    configure(kind, 2);
    const Outcome throughout = train_in_turns({kWays.front()}, normalised_network());
    EXPECT_NE(throughout.losses.front(), throughout.losses.back()) << "it does train";
    expect_same_bits(train_in_turns(kWays, normalised_network()), throughout,
                     std::string(train::optimizer_name(kind)));
  }
}

TEST_F(ExchangePlan, ChangesNoMoreThanRoundingWithFourDevices) {
  configure(CONVOY_OPTIMIZER_MOMENTUM, 4);
  const Outcome throughout = train_in_turns({kWays.front()}, normalised_network());
  const Outcome changing = train_in_turns(kWays, normalised_network());
  ASSERT_EQ(changing.losses.size(), throughout.losses.size());
  for (std::size_t i = 0; i < throughout.losses.size(); ++i)
    EXPECT_NEAR(changing.losses[i], throughout.losses[i], 1e-4 * throughout.losses[i]) << i;
}

TEST_F(ExchangePlan, HandsTheAutomaticLossScaleOver) {
  configure(CONVOY_OPTIMIZER_MOMENTUM, 2);
  options_.guard.loss_scale = {64, 0};
  options_.guard.automatic_loss_scale = true;
  options_.guard.increase_every = 3;
  const Outcome throughout = train_in_turns({kWays.front()}, normalised_network());
  const Outcome changing = train_in_turns(kWays, normalised_network());
  EXPECT_GT(throughout.loss_scale.scale, 64) << "it does adapt";
  EXPECT_EQ(changing.loss_scale.scale, throughout.loss_scale.scale);
  EXPECT_EQ(changing.loss_scale.clean_steps, throughout.loss_scale.clean_steps);
  expect_same_bits(changing, throughout, "with a loss scale");
}

TEST_F(ExchangePlan, IsRefusedToWhatIsNoWholeSynchronousStep) {
  configure(CONVOY_OPTIMIZER_MOMENTUM, 2);
  const auto replicated = strategy_plugin(host_, "replicated");
  const Session session(small_network(), *replicated, devices_, options_);
  const auto reason = [&](const std::string& name, const plugin::OptionValues& values) {
    const auto strategy = strategy_plugin(host_, name, values);
    return runtime::why_not_exchangeable(*session.prepare(*strategy, 1000));
  };
  EXPECT_THAT(reason("replicated", {}), IsEmpty());
  EXPECT_THAT(reason("independent", {}), HasSubstr("independent"));
  EXPECT_THAT(reason("replicated", {{"variable_consistency", "relaxed"}}), HasSubstr("stale"));
}

TEST_F(ExchangePlan, KeepsTheCompiledLayersAndHasMemoryOfOnePlanOnly) {
  configure(CONVOY_OPTIMIZER_MOMENTUM, 2);
  const auto replicated = strategy_plugin(host_, "replicated");
  const auto server = strategy_plugin(host_, "parameter_server");
  Session session(small_network(), *replicated, devices_, options_);
  Session other(small_network(), *server, session.devices(), options_);
  EXPECT_FALSE(session.exchange_plan(session.prepare(*server, options_.bucket_elements), 0));
  const std::vector<MemoryUse> use = session.memory_use();
  const std::vector<MemoryUse> expected = other.memory_use();
  ASSERT_EQ(use.size(), expected.size());
  for (std::size_t i = 0; i < use.size(); ++i) {
    EXPECT_EQ(use[i].parameters, expected[i].parameters) << i;
    EXPECT_EQ(use[i].gradients, expected[i].gradients) << i;
    EXPECT_EQ(use[i].optimizer_state, expected[i].optimizer_state) << i;
    EXPECT_EQ(use[i].plan_buffers, expected[i].plan_buffers) << i;
    EXPECT_EQ(use[i].activations, expected[i].activations) << i;
  }
  EXPECT_EQ(session.plan()->step.check().verdict_text(), "synchronous");
}

// The previous plan would wait without end for a device that hangs in the prologue of the new one.
// In a process of its own: what the device might touch is left to the end of it.
TEST(ExchangeOfPlans, EndsTheRunWhenADeviceThatDidNotComeWithConvoyHangs) {
  const auto exchange = [] {
    const auto plugin =
        fake_plugin({.hang_device = 0, .hang_milliseconds = 600000, .patience = 10});
    plugin::PluginHost host;
    const auto replicated = strategy_plugin(host, "replicated");
    const auto relaxed = strategy_plugin(host, "replicated", {{"variable_consistency", "relaxed"}});
    runtime::SessionOptions options;
    options.executor.deadline_seconds = 0.1;
    Session session(small_network(), *replicated, open_devices(*plugin, 2), options);
    const auto plan = session.prepare(*relaxed, options.bucket_elements);
    std::cerr << thrown_text([&] { static_cast<void>(session.exchange_plan(plan, 0)); });
    _exit(0);
  };
  EXPECT_EXIT(exchange(), ::testing::ExitedWithCode(0), "of the plan's prologue on fake:0");
}

}  // namespace
}  // namespace convoy::testing::exchange_plan_test
