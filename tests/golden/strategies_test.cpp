// At the same global batch, LeNet's parameters depend neither on the synchronous strategy nor on
// the number of devices: under the optimizer without a state of its own and under that with most of
// it. (The others follow the reference in optimizers_test.cpp.) How far two runs may be apart is
// measured by how far training moved the parameters.
#include <gtest/gtest.h>

#include "tests/golden/golden_run.hpp"
#include "tests/golden/numbers.hpp"
#include "tests/models/plugin_graph.hpp"
#include "tests/train/optimizer_kind.hpp"

namespace convoy::testing {
namespace {

constexpr int kSteps = 3;

struct Variant {
  std::string strategy;
  plugin::OptionValues options = {};
  std::uint32_t fewest_devices = 2;
};

std::vector<Variant> synchronous_variants() {
  return {{"parameter_server", {{"local_parameter_device", "cpu"}}},
          {"parameter_server", {{"local_parameter_device", "gpu"}}},
          {"replicated"},
          {"replicated", {{"local_parameter_device", "cpu"}}},
          {"replicated", {{"all_reduce_spec", "pscpu"}}},
          {"replicated", {{"all_reduce_spec", "psgpu#2"}}},
          {"replicated", {{"all_reduce_spec", "xring"}}},
          {"replicated", {{"all_reduce_spec", "collective#2"}}},
          {"replicated", {{"gradient_repacking", "3"}}},
          {"replicated", {{"agg_small_grads_max_bytes", "4096"}}},
          {"replicated", {{"hierarchical_copy", "true"}}}};
}

// Adam divides by the root of the squares: an epsilon that is not tiny keeps rounding errors of
// vanishing gradients small.
OptimizerOptions optimizer_of(convoy_optimizer_kind kind) {
  OptimizerOptions options;
  options.kind = kind;
  options.weight_decay = 0.001;
  options.adam_epsilon = 1e-3;
  return options;
}

struct Parameters {
  std::vector<float> before;
  std::vector<float> after;
};

class SynchronousStrategies : public ::testing::TestWithParam<const char*> {
 protected:
  // In creation order and plain layout, which do not depend on the devices.
  std::vector<float> parameters(GoldenRun& run) const {
    const std::vector<float> arena = run.session().memory().read_parameters();
    std::vector<float> all;
    for (std::size_t i = 0; i < graph_.variables().size(); ++i) {
      const std::vector<float> values = run.plain(arena, i);
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  }
  Parameters train(const GoldenRunOptions& options, int steps = kSteps) const {
    GoldenRun run({{"batch", 8}, {"seed", 3}, {"classes", 1001}}, graph_, options);
    Parameters result{parameters(run), {}};
    run.train(0.001, steps);
    result.after = parameters(run);
    return result;
  }

  const graph::Graph graph_ = test::load_model("lenet", 1001).graph;
};

TEST_P(SynchronousStrategies, LeadToTheParametersOfOneDevice) {
  const OptimizerOptions optimizer = optimizer_of(optimizer_kind(GetParam()));
  const Parameters expected = train({"replicated", 1, optimizer});
  const double moved = distance(expected.before, expected.after);
  EXPECT_GT(moved, 1e-3);
  for (const Variant& variant : synchronous_variants())
    for (const std::uint32_t devices : {2u, 4u}) {
      const Parameters actual = train({variant.strategy, devices, optimizer, variant.options});
      ASSERT_EQ(actual.before, expected.before);
      EXPECT_LE(distance(actual.after, expected.after), 1e-4 * moved)
          << variant.strategy << ::testing::PrintToString(variant.options) << " on " << devices
          << " devices";
    }
}

INSTANTIATE_TEST_SUITE_P(Lenet, SynchronousStrategies, ::testing::Values("sgd", "adam"));

class GradientScaleSum : public SynchronousStrategies {};

// With the sum, plain gradient descent takes steps that are n times as long, weight decay included.
TEST_P(GradientScaleSum, TakesStepsNTimesAsLong) {
  for (const std::uint32_t devices : {2u, 4u}) {
    OptimizerOptions optimizer = optimizer_of(CONVOY_OPTIMIZER_SGD);
    const Parameters mean = train({GetParam(), devices, optimizer}, 1);
    optimizer.gradient_scale = GradientScale::kSum;
    const Parameters sum = train({GetParam(), devices, optimizer}, 1);
    const double moved = distance(mean.before, mean.after);
    std::vector<float> expected = mean.before;
    for (std::size_t i = 0; i < expected.size(); ++i)
      expected[i] += static_cast<float>(devices) * (mean.after[i] - mean.before[i]);
    // Rounding of the parameters, n times, is what remains.
    EXPECT_LE(distance(sum.after, expected), 1e-3 * moved) << devices << " devices";
    EXPECT_NEAR(distance(sum.before, sum.after) / moved, devices, 1e-4);
  }
}

INSTANTIATE_TEST_SUITE_P(Lenet, GradientScaleSum,
                         ::testing::Values("parameter_server", "replicated"));

}  // namespace
}  // namespace convoy::testing
