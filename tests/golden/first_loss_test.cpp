// What the initialisers, the decay of biases and the loss together make of a fresh network.
#include <gtest/gtest.h>

#include <cmath>
#include <span>

#include "tests/golden/golden_file.hpp"
#include "tests/golden/golden_run.hpp"
#include "tests/golden/numbers.hpp"
#include "tests/models/plugin_graph.hpp"
#include "tests/runtime/initial_parameters.hpp"

namespace convoy::testing {
namespace {

struct FreshModel {
  const char* name;
  double square_sum;  // expectation of the sum of w^2 / 2 over decayed variables, as published
};

double decayed_square_sum(const graph::Graph& graph) {
  const graph::Arena arena(graph);
  const std::vector<float> values = initial_parameters(graph, arena, 1234, false, 2);
  double sum = 0;
  for (std::size_t v = 0; v < graph.variables().size(); ++v) {
    if (!graph.variables()[v].decayed) continue;
    const convoy_range range = arena.range(v);
    sum += half_square_sum(std::span(values).subspan(range.first, range.count));
  }
  return sum;
}

// With 24 million weights and more, chance moves the sum by about 2e-4 of itself.
TEST(FreshModels, HaveTheExpectedSquareSum) {
  for (const FreshModel& model :
       {FreshModel{"inception3", 8995}, FreshModel{"resnet50", 13667},
        FreshModel{"resnet152", 38243}, FreshModel{"vgg16", 8838}, FreshModel{"alexnet", 7366}})
    EXPECT_NEAR(decayed_square_sum(test::load_model(model.name).graph) / model.square_sum, 1, 1e-3)
        << model.name;
}

// Networks without batch norm start with logits near zero, so every class is equally likely.
TEST(FreshModels, StartNearTheEntropyOfTheClassesAndTheirDecay) {
  for (const FreshModel& model : {FreshModel{"vgg16", 8838}, FreshModel{"alexnet", 7366}}) {
    constexpr double kWeightDecay = 4e-5;
    GoldenRunOptions options;
    options.optimizer.weight_decay = kWeightDecay;
    options.reference_fill = false;
    GoldenRun run(read_golden(model.name), test::load_model(model.name).graph, options);
    const TrainingStep first = run.train(0, 1).at(0);
    EXPECT_NEAR(first.base_loss, std::log(1001), 0.05) << model.name;
    EXPECT_NEAR(first.total_loss, std::log(1001) + kWeightDecay * model.square_sum, 0.05)
        << model.name;
  }
}

}  // namespace
}  // namespace convoy::testing
