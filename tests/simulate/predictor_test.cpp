#include "core/simulate/predictor.hpp"

#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/graph/arena.hpp"
#include "core/graph/assembler.hpp"
#include "core/plan/lower/lower.hpp"
#include "core/runtime/model_map.hpp"
#include "tests/plan/sample_plans.hpp"
#include "tests/simulate/hand_machine.hpp"

namespace convoy::testing {
namespace {

using simulate::LayerTimes;
using simulate::Prediction;
using simulate::Predictor;

convoy_layer layer(std::uint32_t kind, const std::uint32_t* input, std::uint32_t channels,
                   std::uint32_t kernel) {
  auto it = make_sized<convoy_layer>();
  it.kind = kind;
  it.inputs = input;
  it.input_count = 1;
  it.channels = channels;
  it.kernel_height = it.kernel_width = kernel;
  it.stride_height = it.stride_width = 1;
  it.padding = CONVOY_PADDING_SAME;
  return it;
}

// 16 x 16 images: a 1x1 and a 3x3 convolution of 32 channels, a classifier.
graph::Graph small_graph() {
  graph::GraphAssembler assembler("small", 16, 10);
  std::uint32_t last = 0;
  last = assembler.add(layer(CONVOY_LAYER_CONVOLUTION, &last, 32, 1));
  last = assembler.add(layer(CONVOY_LAYER_CONVOLUTION, &last, 32, 3));
  last = assembler.add(layer(CONVOY_LAYER_FULLY_CONNECTED, &last, 10, 0));
  assembler.add(layer(CONVOY_LAYER_SOFTMAX_CROSS_ENTROPY, &last, 0, 0));
  return assembler.finish();
}

simulate::SimulatedDevice flops_only() {
  simulate::SimulatedDevice device;
  device.flops_per_second = 1e12;
  device.flops_efficiency = 0.5;
  device.memory_bytes_per_second = 1e18;
  device.kernel_seconds = 0;
  return device;
}

TEST(LayerTimesTest, AreOperationsAtTheRateThatTheDeviceReaches) {
  const graph::Graph graph = small_graph();
  const LayerTimes times = simulate::layer_times(graph, 4, flops_only());
  ASSERT_EQ(times.forward.size(), 3u);
  EXPECT_NEAR(times.forward[1].seconds, 2.0 * 4 * 256 * 32 * 32 * 9 / 0.5e12, 1e-12);
  // Gradients of weights and, but for the first layer, of data: each as much as forward.
  EXPECT_NEAR(times.backward[1].seconds, 2 * times.forward[1].seconds, 1e-12);
  EXPECT_NEAR(times.backward[0].seconds, times.forward[0].seconds, 1e-12);
  EXPECT_EQ(times.backward[1].kernel_ends.size(), 2u);
}

TEST(LayerTimesTest, FastAlgorithmsAndSixteenBitsSpeedUpWhatTheyAreFor) {
  const graph::Graph graph = small_graph();
  simulate::SimulatedDevice device = flops_only();
  const LayerTimes plain = simulate::layer_times(graph, 4, device);
  device.gain_3x3 = 2;
  const LayerTimes fast = simulate::layer_times(graph, 4, device);
  EXPECT_DOUBLE_EQ(fast.forward[0].seconds, plain.forward[0].seconds);
  EXPECT_DOUBLE_EQ(fast.forward[1].seconds, plain.forward[1].seconds / 2);
  device.half_flops_per_second = 4e12;
  EXPECT_DOUBLE_EQ(
      simulate::layer_times(graph, 4, device, simulate::Arithmetic::kHalf).forward[0].seconds,
      plain.forward[0].seconds / 4);
  device.tf32_flops_per_second = 2e12;
  EXPECT_DOUBLE_EQ(
      simulate::layer_times(graph, 4, device, simulate::Arithmetic::kTf32).forward[0].seconds,
      plain.forward[0].seconds / 2);
  device.flops_per_second = 0;
  EXPECT_THROW(simulate::layer_times(graph, 4, device), Error);
}

class PredictorTest : public ::testing::Test {
 protected:
  PredictorTest()
      : graph_(small_graph()), arena_(graph_), map_(runtime::make_arena_map(graph_, arena_, 0)) {
    options_.batch = 4;
    options_.simulation.software = free_software();
  }
  Prediction predict(const Predictor& predictor, const WritePlan& write,
                     const simulate::SimulatedCluster& on) const {
    return predictor.predict(plan::lower(write_plan(on.cluster, map_, write)), on);
  }
  static simulate::SimulatedCluster cluster(std::uint32_t devices, const HandRates& rates = {}) {
    HandMachine hand = hand_machine(1, devices, true, rates);
    return {std::move(hand.cluster), std::move(hand.machine)};
  }

  graph::Graph graph_;
  graph::Arena arena_;
  plan::ArenaMap map_;
  simulate::PredictorOptions options_;
};

TEST_F(PredictorTest, OneDeviceHasTheRateThatItWasFittedTo) {
  // Fetching and updating cost time of their own, which the layers do not get.
  Predictor it(graph_, options_);
  const simulate::SimulatedCluster one = cluster(1, {.device = 1e9, .root = 1e9});
  it.fit(plan::lower(write_plan(one.cluster, map_, write_parameter_server)), one, 2000);
  const Prediction single = predict(it, write_parameter_server, one);
  EXPECT_NEAR(single.images_per_second, 2000, 1);
  EXPECT_LT(single.step->compute_seconds, 0.99 * single.step->step_seconds);
  const Prediction two =
      predict(it, write_parameter_server, cluster(2, {.device = 1e9, .root = 1e9}));
  EXPECT_GT(two.images_per_second, 2000);
  EXPECT_LT(two.images_per_second, 4000);
}

TEST_F(PredictorTest, WhatDoesNotFitIsNotRunButExplained) {
  const Predictor it(graph_, options_);
  simulate::SimulatedCluster two = cluster(2);
  two.machine.places[1].memory_bytes = 1000;
  const Prediction prediction = predict(it, write_independent, two);
  EXPECT_FALSE(prediction.step.has_value());
  EXPECT_NE(prediction.problem.find("cuda:1"), std::string::npos) << prediction.problem;
  // Parameters and gradients, and what the layers keep.
  EXPECT_EQ(prediction.memory[0].buffers, 2 * 4 * map_.elements);
  EXPECT_GE(prediction.memory[0].activations, 4u * 4 * 256 * (3 + 32 + 32));
}

TEST_F(PredictorTest, OptimizerStateTakesMemoryAndTime) {
  const Prediction plain = predict({graph_, options_}, write_independent, cluster(2));
  options_.simulation.state_slots = 2;
  const Prediction stateful = predict({graph_, options_}, write_independent, cluster(2));
  EXPECT_EQ(stateful.memory[0].optimizer_state, 2 * 4 * map_.elements);
  EXPECT_GT(stateful.step->step_seconds, plain.step->step_seconds);
}

}  // namespace
}  // namespace convoy::testing
