#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "tests/models/plugin_graph.hpp"

namespace convoy {
namespace {

// The layers of a model, written the way the tables in layers/ write them. The mean over the whole
// activation at the end of residual networks is no layer there.
class LayerTable {
 public:
  explicit LayerTable(const graph::Graph& graph) : graph_(graph) {
    for (uint32_t id = 0; id < graph.nodes().size(); ++id) add(id);
  }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  void add(uint32_t id) {
    const graph::GraphNode& node = graph_.nodes()[id];
    switch (node.layer.kind) {
      case CONVOY_LAYER_CONVOLUTION:
        lines_.push_back(fmt::format("{}\t{}\t{}\t{}\t{}", node.name, window_and_shapes(node),
                                     behind(id), weights(node), node.multiply_adds));
        break;
      case CONVOY_LAYER_MAX_POOL:
      case CONVOY_LAYER_AVERAGE_POOL:
        if (graph_.model().starts_with("resnet") && node.output.height == 1) break;
        lines_.push_back(fmt::format("pool\t{}\t\t\t0\t0", window_and_shapes(node)));
        break;
      case CONVOY_LAYER_FULLY_CONNECTED:
        lines_.push_back(fmt::format("{}\t{}->{}\t\t\tbias\t\t{}\t{}", node.name,
                                     node.input.elements(), node.output.channels, weights(node),
                                     node.multiply_adds));
        break;
      default:
        break;
    }
  }

  static std::string shape(const graph::TensorShape& shape) {
    return fmt::format("{}x{}x{}", shape.channels, shape.height, shape.width);
  }
  static std::string window_and_shapes(const graph::GraphNode& node) {
    static constexpr const char* kPaddings[] = {"VALID", "SAME", "FIXED"};
    const convoy_layer& layer = node.layer;
    EXPECT_EQ(layer.stride_height, layer.stride_width) << node.name;
    return fmt::format("{}x{}/{} {}\t{}\t{}", layer.kernel_height, layer.kernel_width,
                       layer.stride_height, kPaddings[layer.padding], shape(node.input),
                       shape(node.output));
  }
  uint64_t weights(const graph::GraphNode& node) const {
    return graph_.variables()[node.variables[0]].elements;
  }
  uint32_t kind_behind(uint32_t id) const {
    const graph::GraphNode& next = graph_.nodes()[id + 1];
    return next.inputs == std::vector<uint32_t>{id} ? next.layer.kind : 0;
  }
  std::string behind(uint32_t id) const {
    const bool norm = kind_behind(id) == CONVOY_LAYER_BATCH_NORM;
    const bool bias = (graph_.nodes()[id].layer.flags & CONVOY_LAYER_HAS_BIAS) != 0;
    EXPECT_FALSE(norm && bias) << graph_.nodes()[id].name;
    const bool relu = kind_behind(norm ? id + 1 : id) == CONVOY_LAYER_RELU;
    return fmt::format("{}\t{}", norm ? "BN" : bias ? "bias" : "-", relu ? "relu" : "None");
  }

  const graph::Graph& graph_;
  std::vector<std::string> lines_;
};

std::vector<std::string> variable_table(const graph::Graph& graph) {
  std::vector<std::string> lines;
  for (const graph::GraphVariable& variable : graph.variables())
    lines.push_back(fmt::format("{}\t{}", variable.name, variable.elements));
  return lines;
}

struct PublishedTable {
  std::vector<std::string> layers;
  std::vector<std::string> variables;
};

PublishedTable read_table(const std::string& model) {
  const std::string path = fmt::format("{}/tests/models/layers/{}.tsv", CONVOY_SOURCE_DIR, model);
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  PublishedTable table;
  std::vector<std::string>* part = &table.layers;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) part = &table.variables;
    if (line.empty() || line.starts_with("#") || line.starts_with("layer\t") ||
        line.starts_with("name\t"))
      continue;
    part->push_back(line);
  }
  return table;
}

class LayerTables : public testing::TestWithParam<const char*> {};

TEST_P(LayerTables, EveryLayerIsThePublishedOne) {
  const graph::Graph graph = test::load_model(GetParam()).graph;
  const std::vector<std::string> expected = read_table(GetParam()).layers;
  const std::vector<std::string> actual = LayerTable(graph).lines();
  ASSERT_FALSE(expected.empty());
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(actual[i], expected[i]) << "line " << i;
}

TEST_P(LayerTables, EveryVariableIsThePublishedOne) {
  const graph::Graph graph = test::load_model(GetParam()).graph;
  const std::vector<std::string> expected = read_table(GetParam()).variables;
  ASSERT_FALSE(expected.empty());
  EXPECT_EQ(variable_table(graph), expected);
}

INSTANTIATE_TEST_SUITE_P(Published, LayerTables,
                         testing::Values("alexnet", "inception3", "resnet50", "resnet50_v1.5",
                                         "resnet50_v2", "resnet101", "resnet152", "vgg16"));

}  // namespace
}  // namespace convoy
