// Whole models of small images: a forward and a backward pass with 1, 2 and 3 threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/conformance/training_case.hpp"
#include "core/graph/assembler.hpp"
#include "core/plugin/library.hpp"
#include "core/plugin/model_plugin.hpp"
#include "tests/devices/device_under_test.hpp"

namespace convoy::test::modern_models_test {
namespace {

// With smaller ones the last batch norms have two values each, and make much of rounding.
constexpr std::uint32_t kImageSize = 96;
constexpr std::uint32_t kModelClasses = 10;

graph::Graph model_graph(const std::string& name) {
  plugin::PluginHost host;
  plugin::ModelPlugin model(
      host.load_model(plugin::read_plugin(CONVOY_PLUGIN_DIRECTORY "/" + name + ".so")), {});
  return graph::assemble_graph(name, kImageSize, kModelClasses,
                               [&](const convoy_graph_builder& builder) { model.build(builder); });
}

struct Step {
  double loss;
  std::vector<double> norms;  // of the variables' gradients
};

Step one_step(const graph::Graph& graph, std::uint32_t threads, std::uint32_t dtype) {
  DeviceUnderTest device(1, 0, threads);
  TrainingCase training(device, graph, {.dtype = dtype});
  training.forward();
  training.backward();
  Step step{training.loss, {}};
  for (std::size_t v = 0; v < graph.variables().size(); ++v) {
    double squares = 0;
    for (const float value : training.gradient(v)) squares += double(value) * double(value);
    step.norms.push_back(std::sqrt(squares));
  }
  return step;
}

class ModernModels : public testing::TestWithParam<const char*> {};

TEST_P(ModernModels, TrainAStepWithAnyNumberOfThreads) {
  const graph::Graph graph = model_graph(GetParam());
  const std::uint32_t half = DeviceUnderTest().description().half_dtype;
  const Step exact = one_step(graph, 1, CONVOY_F32);
  for (std::size_t v = 0; v < exact.norms.size(); ++v)
    EXPECT_GT(exact.norms[v], 0) << graph.variables()[v].name;
  const double largest = *std::ranges::max_element(exact.norms);
  for (const std::uint32_t threads : {2u, 3u}) {
    const Step step = one_step(graph, threads, CONVOY_F32);
    EXPECT_NEAR(step.loss, exact.loss, 1e-5 * exact.loss) << threads << " threads";
    for (std::size_t v = 0; v < step.norms.size(); ++v)
      EXPECT_NEAR(step.norms[v], exact.norms[v], 0.01 * exact.norms[v] + 1e-5 * largest)
          << graph.variables()[v].name << ", " << threads << " threads";
  }
  for (const std::uint32_t threads : {1u, 2u, 3u})
    EXPECT_NEAR(one_step(graph, threads, half).loss, exact.loss, 0.05 * exact.loss)
        << threads << " threads, 16 bits";
}

INSTANTIATE_TEST_SUITE_P(Since2017, ModernModels,
                         testing::Values("efficientnet_b0", "convnext_tiny"),
                         [](const auto& it) { return std::string(it.param); });

}  // namespace
}  // namespace convoy::test::modern_models_test
