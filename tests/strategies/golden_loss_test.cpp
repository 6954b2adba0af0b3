// The two-scalar model of tf_cnn_benchmarks' variable-update tests through whole plans: loss =
// mean(x * A * B) with L2 over A and B, two replicas of two images each, four steps, learning rate
// and weight decay 1/16. Losses computed in double precision from that description.

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "core/plan/lower/lower.hpp"
#include "tests/strategies/strategy_under_test.hpp"
#include "tests/support/interpreter.hpp"

namespace convoy::testing {
namespace {

constexpr double kSixteenth = 0.0625;
constexpr std::uint32_t kReplicas = 2;
constexpr std::uint64_t kGoldenSteps = 4;

// B's gradient appears first; A is the first layer's.
plan::ArenaMap two_scalars() {
  plan::ArenaMap arena;
  arena.elements = 2;
  arena.variables = {{"B", {0, 1}, 1, 1}, {"A", {1, 1}, 1, 0}};
  arena.segments = {{0, 1, {1, 1}}, {1, 1, {0, 1}}};
  arena.buckets = {{0, 2}};
  return arena;
}

// Images are -1, 0, 1, ... 14 in order, two per replica and step.
double mean_image(std::uint64_t step, std::uint32_t replica) {
  return 2.0 * static_cast<double>(step * kReplicas + replica) - 0.5;
}

convoy_optimizer optimizer_of(std::uint32_t kind, bool sum) {
  auto optimizer = make_sized<convoy_optimizer>();
  optimizer.kind = kind;
  optimizer.momentum = 0.9;
  optimizer.decay = 0.9;
  optimizer.epsilon = 1;
  optimizer.weight_decay = kSixteenth;
  optimizer.gradient_scale = sum ? kReplicas : 1;
  return optimizer;
}

struct Losses {
  std::array<double, kGoldenSteps> base{};
  std::array<double, kGoldenSteps> total{};
};

Losses train(const plan::Plan& plan, std::uint32_t optimizer, bool sum) {
  Losses losses;
  InterpreterOptions options;
  options.initial = {2, 1};
  options.optimizer = optimizer_of(optimizer, sum);
  options.decayed = {{0, 2}};
  options.learning_rate = [](std::uint64_t) { return kSixteenth; };
  options.gradient = [&](const GradientRequest& request, std::span<float> gradient) {
    const double image = mean_image(request.step, request.replica);
    const double b = request.forward_read[0];
    const double a = request.forward_read[1];
    gradient[0] = static_cast<float>(image * (request.range.first == 0 ? a : b));
    if (request.range.first != 0) return;
    losses.base[request.step] += image * a * b / kReplicas;
    losses.total[request.step] += (image * a * b + kSixteenth / 2 * (a * a + b * b)) / kReplicas;
  };
  Interpreter interpreter(plan, options);
  interpreter.run(kGoldenSteps);
  return losses;
}

struct Golden {
  std::uint32_t optimizer;
  bool sum;  // the historical scale of replicated; all others had the mean
  std::array<double, kGoldenSteps> losses;
};

constexpr std::uint32_t kSgd = CONVOY_OPTIMIZER_SGD;
constexpr std::uint32_t kMomentum = CONVOY_OPTIMIZER_MOMENTUM;
constexpr std::uint32_t kRmsprop = CONVOY_OPTIMIZER_RMSPROP;

// With one scale for all strategies, all synchronous ones have the same losses.
constexpr Golden kGoldenLosses[] = {{kSgd, false, {1.15625, 8.385638, 5.532262, -9.585484}},
                                    {kMomentum, false, {1.15625, 7.712365, -2.524666, -36.7086}},
                                    {kRmsprop, false, {1.15625, 8.608334, 11.3736, 7.016568}},
                                    {kSgd, true, {1.15625, 7.638742, -2.59695, -35.2715}},
                                    {kMomentum, true, {1.15625, 6.354098, -10.94911, -171.1039}},
                                    {kRmsprop, true, {1.15625, 8.140942, 9.535036, 4.027799}}};

std::vector<plugin::OptionValues> options_of(const std::string& strategy) {
  std::vector<plugin::OptionValues> result = {{{"local_parameter_device", "cpu"}},
                                              {{"local_parameter_device", "gpu"}}};
  if (strategy != "replicated") return result;
  for (const std::string spec : {"pscpu", "psgpu", "psgpu#2", "xring", "xring#2", "collective"})
    result.push_back({{"all_reduce_spec", spec}});
  result.push_back({{"hierarchical_copy", "true"}});
  result.push_back({{"gradient_repacking", "2"}});
  result.push_back({{"agg_small_grads_max_bytes", "4"}});
  return result;
}

void expect_losses(const std::array<double, kGoldenSteps>& got,
                   const std::array<double, kGoldenSteps>& wanted) {
  for (std::size_t step = 0; step < kGoldenSteps; ++step)
    EXPECT_NEAR(got[step], wanted[step], 1e-5 * std::abs(wanted[step])) << "step " << step;
}

TEST(GoldenLosses, ComeOutOfEverySynchronousVariant) {
  const plan::ArenaMap arena = two_scalars();
  for (const std::string name : {"parameter_server", "replicated"})
    for (const plugin::OptionValues& options : options_of(name)) {
      StrategyUnderTest strategy(name, options);
      for (const bool shared_memory : {true, false}) {
        const plan::Cluster cluster = plan::make_single_host(kReplicas, shared_memory, "cpu");
        const plan::Plan plan =
            plan::lower(strategy.plan(cluster, arena), {.staging_elements = 16});
        for (const Golden& golden : kGoldenLosses) {
          SCOPED_TRACE(name + " " + options.begin()->first + "=" + options.begin()->second +
                       ", optimizer " + std::to_string(golden.optimizer) +
                       (golden.sum ? ", sum" : ", mean"));
          expect_losses(train(plan, golden.optimizer, golden.sum).total, golden.losses);
        }
      }
    }
}

TEST(GoldenLosses, WithoutWeightDecayInTheReport) {
  const plan::ArenaMap arena = two_scalars();
  const plan::Cluster cluster = plan::make_single_host(kReplicas, true, "cpu");
  const plan::Plan server = StrategyUnderTest("parameter_server").plan(cluster, arena);
  expect_losses(train(server, kSgd, false).base, {1, 8.238235, 5.438459, -9.662707});
  const plan::Plan replicated = StrategyUnderTest("replicated").plan(cluster, arena);
  expect_losses(train(replicated, kSgd, true).base, {1, 7.499817, -2.661401, -35.44897});
}

}  // namespace
}  // namespace convoy::testing
