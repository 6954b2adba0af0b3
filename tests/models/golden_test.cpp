#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/text/json.hpp"
#include "tests/models/plugin_graph.hpp"

namespace convoy {
namespace {

using nlohmann::json;

json read_golden(const std::string& model) {
  const std::string path = fmt::format("{}/tests/golden/{}.json", CONVOY_SOURCE_DIR, model);
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  return parse_json(file);
}

// The reference files name layers after what they show: the output behind the activation.
bool is_shown(const std::string& model, const graph::GraphNode& node) {
  switch (node.layer.kind) {
    case CONVOY_LAYER_CONVOLUTION:
    case CONVOY_LAYER_FULLY_CONNECTED:
    case CONVOY_LAYER_MAX_POOL:
      return true;
    case CONVOY_LAYER_AVERAGE_POOL:  // the mean at the end of residual networks is left out
      return !model.starts_with("resnet") || node.output.height > 1;
    default:
      return false;
  }
}

graph::Graph load_graph(const std::string& model, const json& golden) {
  return test::load_model(model, golden.at("classes").get<uint32_t>()).graph;
}

// A property of one batch norm where it is not that of all.
template <typename Value>
Value norm_property(const json& golden, const json& norm, const char* name) {
  return norm.contains(name) ? norm.at(name) : golden.at("bn_config").at(name);
}

class Golden : public testing::TestWithParam<const char*> {};

TEST_P(Golden, VariablesAgreeInOrderNameShapeFillAndDecay) {
  const json golden = read_golden(GetParam());
  const graph::Graph graph = load_graph(GetParam(), golden);
  const json& variables = golden.at("variables");
  ASSERT_EQ(graph.variables().size(), variables.size());
  EXPECT_EQ(graph.parameter_count(), golden.at("num_parameters").get<uint64_t>());
  for (size_t k = 0; k < variables.size(); ++k) {
    const graph::GraphVariable& actual = graph.variables()[k];
    const json& expected = variables[k];
    ASSERT_EQ(actual.name, expected.at("name").get<std::string>()) << "variable " << k;
    EXPECT_EQ(actual.dimensions, expected.at("shape").get<std::vector<uint64_t>>()) << actual.name;
    EXPECT_EQ(actual.fill.scale, expected.at("scale").get<double>()) << actual.name;
    EXPECT_EQ(actual.fill.offset, expected.at("offset").get<double>()) << actual.name;
    EXPECT_EQ(actual.decayed, expected.at("decayed").get<bool>()) << actual.name;
  }
}

TEST_P(Golden, ActivationShapesAgreeInExecutionOrder) {
  const json golden = read_golden(GetParam());
  const graph::Graph graph = load_graph(GetParam(), golden);
  EXPECT_EQ(graph.image_size(), golden.at("image_size").get<uint32_t>());
  std::vector<std::string> actual;
  for (const graph::GraphNode& node : graph.nodes()) {
    if (!is_shown(GetParam(), node)) continue;
    const bool pool =
        node.layer.kind == CONVOY_LAYER_MAX_POOL || node.layer.kind == CONVOY_LAYER_AVERAGE_POOL;
    actual.push_back(fmt::format("{} {}", pool ? "pool" : node.name, node.output.elements()));
  }
  std::vector<std::string> expected;
  for (const json& layer : golden.at("layers")) {
    uint64_t elements = 1;
    for (size_t i = 1; i < layer.at("shape").size(); ++i)
      elements *= layer.at("shape")[i].get<uint64_t>();
    expected.push_back(fmt::format("{} {}", layer.at("name").get<std::string>(), elements));
  }
  EXPECT_EQ(actual, expected);
}

TEST_P(Golden, BatchNormsAgreeInConfigurationAndState) {
  const json golden = read_golden(GetParam());
  const graph::Graph graph = load_graph(GetParam(), golden);
  const json& states = golden.at("bn_after_step1");
  ASSERT_EQ(graph.count(CONVOY_LAYER_BATCH_NORM), states.size());
  size_t next = 0;
  uint64_t state_first = 0;
  for (const graph::GraphNode& node : graph.nodes()) {
    if (node.layer.kind != CONVOY_LAYER_BATCH_NORM) continue;
    EXPECT_EQ(node.name, states[next].at("name").get<std::string>());
    EXPECT_EQ(node.output.channels, states[next].at("channels").get<uint32_t>()) << node.name;
    EXPECT_EQ(node.state_first, state_first) << node.name;
    state_first += 2 * uint64_t{node.output.channels};
    const json& norm = states[next++];
    EXPECT_EQ(node.layer.decay, norm_property<double>(golden, norm, "decay")) << node.name;
    EXPECT_EQ(node.layer.epsilon, norm_property<double>(golden, norm, "epsilon")) << node.name;
    EXPECT_EQ((node.layer.flags & CONVOY_LAYER_HAS_SCALE) != 0,
              norm_property<bool>(golden, norm, "scale"))
        << node.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Golden,
                         testing::Values("alexnet", "alexnet_cifar10", "densenet40_k12",
                                         "googlenet", "inception3", "lenet", "mobilenet",
                                         "overfeat", "resnet20", "resnet20_v2", "resnet50",
                                         "resnet50_v1.5", "resnet50_v2", "resnet101", "resnet152",
                                         "trivial", "vgg16"));

}  // namespace
}  // namespace convoy
