#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "core/train/optimizer.hpp"
#include "tests/runtime/plugins.hpp"
#include "tests/runtime/small_models.hpp"
#include "tests/runtime/training.hpp"
#include "tests/support/reference_update.hpp"

namespace convoy::testing::two_scalars_test {
namespace {

using runtime::SessionOptions;

constexpr double kSixteenth = 0.0625;
constexpr std::uint32_t kReplicas = 2;
constexpr std::uint32_t kBatch = 2;

// Images are the numbers -1, 0, 1, ... in order; replica r of step t sees the next two.
NumberSource numbers() {
  return {{kReplicas, kBatch, 1}, [](std::int64_t image) { return static_cast<float>(image) - 1; }};
}

SessionOptions session_options(convoy_optimizer_kind kind, GradientScale scale) {
  OptimizerOptions optimizer;
  optimizer.kind = kind;
  optimizer.weight_decay = kSixteenth;
  optimizer.gradient_scale = scale;
  SessionOptions options;
  options.batch = kBatch;
  options.optimizer = train::make_optimizer(optimizer, kReplicas);
  return options;
}

std::vector<TrainingStep> train_scalars(const std::string& strategy,
                                        const plugin::OptionValues& values,
                                        const SessionOptions& options, std::int64_t steps) {
  plugin::PluginHost host;
  const auto devices = cpu_plugin(host);
  const auto plugin = strategy_plugin(host, strategy, values);
  runtime::Session session(two_scalars(), *plugin, open_devices(*devices, kReplicas), options);
  NumberSource source = numbers();
  std::vector<TrainingStep> result = train(session, source, kSixteenth, steps);
  EXPECT_EQ(source.held(), 0u);
  return result;
}

struct Golden {
  std::string name;
  convoy_optimizer_kind kind;
  GradientScale scale;
  bool total;
  std::array<double, 4> losses;
};

// Published for tf_cnn_benchmarks' parameter_server (the mean of all gradients) and replicated (the
// sum); here every strategy can do both.
const std::vector<Golden>& golden_losses() {
  using enum GradientScale;
  static const std::vector<Golden> kTable = {
      {"mean sgd", CONVOY_OPTIMIZER_SGD, kMean, true, {1.15625, 8.385638, 5.532262, -9.585484}},
      {"mean sgd base", CONVOY_OPTIMIZER_SGD, kMean, false, {1, 8.238235, 5.438459, -9.662707}},
      {"mean momentum",
       CONVOY_OPTIMIZER_MOMENTUM,
       kMean,
       true,
       {1.15625, 7.712365, -2.524666, -36.7086}},
      {"mean rmsprop",
       CONVOY_OPTIMIZER_RMSPROP,
       kMean,
       true,
       {1.15625, 8.608334, 11.3736, 7.016568}},
      {"sum sgd", CONVOY_OPTIMIZER_SGD, kSum, true, {1.15625, 7.638742, -2.59695, -35.2715}},
      {"sum sgd base", CONVOY_OPTIMIZER_SGD, kSum, false, {1, 7.499817, -2.661401, -35.44897}},
      {"sum momentum",
       CONVOY_OPTIMIZER_MOMENTUM,
       kSum,
       true,
       {1.15625, 6.354098, -10.94911, -171.1039}},
      {"sum rmsprop",
       CONVOY_OPTIMIZER_RMSPROP,
       kSum,
       true,
       {1.15625, 8.140942, 9.535036, 4.027799}},
  };
  return kTable;
}

TEST(TwoScalars, LossesAreThePublishedOnes) {
  const std::vector<std::pair<std::string, plugin::OptionValues>> strategies = {
      {"parameter_server", {{"local_parameter_device", "cpu"}}},
      {"parameter_server", {{"local_parameter_device", "gpu"}}},
      {"replicated", {}},
      {"replicated", {{"all_reduce_spec", "collective"}}}};
  for (const Golden& golden : golden_losses())
    for (const auto& [strategy, values] : strategies) {
      const auto steps =
          train_scalars(strategy, values, session_options(golden.kind, golden.scale), 4);
      ASSERT_EQ(steps.size(), 4u);
      for (std::size_t i = 0; i < 4; ++i) {
        const double loss = golden.total ? steps[i].total_loss : steps[i].base_loss;
        EXPECT_NEAR(loss, golden.losses[i], 1e-5 * std::abs(golden.losses[i]))
            << strategy << ", " << golden.name << ", step " << i;
      }
    }
}

// A and B in double precision, updated by the optimizer's reference.
struct Scalars {
  std::array<double, 2> values{1, 2};
  std::array<std::array<double, 2>, 2> state{};

  double loss(double mean_image) const { return mean_image * values[0] * values[1]; }
  std::array<double, 2> gradient(double image_sum) const {
    return {image_sum * values[1], image_sum * values[0]};
  }
  void apply(const convoy_optimizer& optimizer, std::uint64_t step,
             const std::array<double, 2>& gradient) {
    for (int i = 0; i < 2; ++i)
      apply_reference(optimizer, kSixteenth, step, kReplicas, true, values[i],
                      std::span(state[i]).first(optimizer.state_slots), gradient[i]);
  }
};

// Sum over the replicas of their batches' mean images.
double image_sum(std::uint64_t step) {
  return 8.0 * static_cast<double>(step) + 1.0;
}

// Each step computes on the master of `fetch_delay` steps ago and applies the gradients of the step
// before it.
std::vector<double> delayed_losses(const convoy_optimizer& optimizer, std::uint64_t fetch_delay,
                                   std::uint64_t steps) {
  Scalars master;
  for (auto& state : master.state)
    for (std::uint32_t slot = 0; slot < optimizer.state_slots; ++slot)
      state[slot] = train::state_initial(static_cast<convoy_optimizer_kind>(optimizer.kind), slot);
  std::array<double, 2> waiting{0, 0};
  std::vector<Scalars> history;
  std::vector<double> losses;
  for (std::uint64_t step = 0; step < steps; ++step) {
    history.push_back(master);
    const Scalars& fetched = history[step < fetch_delay ? 0 : step - fetch_delay];
    losses.push_back(fetched.loss(image_sum(step) / kReplicas));
    const std::array<double, 2> gradient = fetched.gradient(image_sum(step));
    master.apply(optimizer, step, waiting);
    waiting = gradient;
  }
  return losses;
}

TEST(TwoScalars, StagedAndRelaxedVariablesLagAsSimulated) {
  struct Case {
    std::string strategy;
    plugin::OptionValues values;
    std::uint64_t fetch_delay;
  };
  const std::vector<Case> cases = {
      {"parameter_server", {{"staged_vars", "true"}}, 1},
      {"parameter_server", {{"staged_vars", "true"}, {"local_parameter_device", "cpu"}}, 1},
      {"parameter_server", {{"variable_consistency", "relaxed"}}, 0},
      {"replicated", {{"variable_consistency", "relaxed"}}, 0}};
  constexpr std::uint64_t kSteps = 7;  // ends in the middle of a period
  for (const Case& it : cases)
    for (const auto kind : {CONVOY_OPTIMIZER_SGD, CONVOY_OPTIMIZER_RMSPROP}) {
      const SessionOptions options = session_options(kind, GradientScale::kMean);
      const std::vector<double> expected =
          delayed_losses(options.optimizer, it.fetch_delay, kSteps);
      const auto steps = train_scalars(it.strategy, it.values, options, kSteps);
      for (std::size_t i = 0; i < kSteps; ++i)
        EXPECT_NEAR(steps[i].base_loss, expected[i], 1e-4 * std::abs(expected[i]) + 1e-6)
            << it.strategy << " with a fetch delay of " << it.fetch_delay << ", step " << i;
    }
}

TEST(TwoScalars, TrainedVariablesAreReadBack) {
  plugin::PluginHost host;
  const auto devices = cpu_plugin(host);
  for (const std::string strategy : {"parameter_server", "replicated"}) {
    const auto plugin = strategy_plugin(host, strategy);
    const SessionOptions options = session_options(CONVOY_OPTIMIZER_SGD, GradientScale::kMean);
    runtime::Session session(two_scalars(), *plugin, open_devices(*devices, kReplicas), options);
    EXPECT_EQ(session.values().read_model().variables, (std::vector<std::vector<float>>{{1}, {2}}));
    NumberSource source = numbers();
    train(session, source, kSixteenth, 3);
    Scalars expected;
    for (std::uint64_t step = 0; step < 3; ++step)
      expected.apply(options.optimizer, step, expected.gradient(image_sum(step)));
    for (std::size_t i = 0; i < 2; ++i)
      EXPECT_NEAR(session.values().read_model().variables[i][0], expected.values[i], 1e-5)
          << strategy;
  }
}

}  // namespace
}  // namespace convoy::testing::two_scalars_test
