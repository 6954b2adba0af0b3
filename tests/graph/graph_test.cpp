#include "core/graph/graph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/conformance/layer_builder.hpp"

namespace convoy::graph {
namespace test = conformance;
namespace {

std::vector<std::string> variable_names(const Graph& graph) {
  std::vector<std::string> names;
  for (const GraphVariable& variable : graph.variables()) names.push_back(variable.name);
  return names;
}

// input - conv0 - bn0 - relu - [conv1 - bn1] + - relu - pool - affine0 - relu - affine1 - loss
Graph residual_graph() {
  GraphAssembler assembler("residual", 16, 10);
  uint32_t x = test::convolution(0, 8, 3, 2).add_to(assembler);
  x = test::batch_norm(x).add_to(assembler);
  x = test::relu(x).add_to(assembler);
  uint32_t y = test::convolution(x, 8, 3).add_to(assembler);
  y = test::batch_norm(y).add_to(assembler);
  x = test::LayerCase(CONVOY_LAYER_ADD, {x, y}).add_to(assembler);
  x = test::relu(x).add_to(assembler);
  x = test::window_layer(CONVOY_LAYER_MAX_POOL, x, 2, 2, CONVOY_PADDING_VALID).add_to(assembler);
  x = test::fully_connected(x, 20).add_to(assembler);
  x = test::relu(x).add_to(assembler);
  x = test::fully_connected(x, 10).add_to(assembler);
  test::loss(x).add_to(assembler);
  return assembler.finish();
}

const GraphVariable& find(const Graph& graph, const std::string& name) {
  for (const GraphVariable& variable : graph.variables()) {
    if (variable.name == name) return variable;
  }
  throw std::out_of_range(name);
}

TEST(Graph, NamesVariablesPerKindInCreationOrder) {
  EXPECT_THAT(
      variable_names(residual_graph()),
      testing::ElementsAre("conv0/kernel", "conv0/biases", "bn0/gamma", "bn0/beta", "conv1/kernel",
                           "conv1/biases", "bn1/gamma", "bn1/beta", "affine0/weights",
                           "affine0/biases", "affine1/weights", "affine1/biases"));
}

TEST(Graph, SaysTheRoleOfVariables) {
  const Graph graph = residual_graph();
  EXPECT_EQ(find(graph, "conv0/kernel").kind, CONVOY_VARIABLE_WEIGHTS);
  EXPECT_EQ(find(graph, "affine0/weights").kind, CONVOY_VARIABLE_WEIGHTS);
  EXPECT_EQ(find(graph, "conv0/biases").kind, CONVOY_VARIABLE_OFFSETS);
  EXPECT_EQ(find(graph, "bn0/beta").kind, CONVOY_VARIABLE_OFFSETS);
  EXPECT_EQ(find(graph, "bn0/gamma").kind, CONVOY_VARIABLE_SCALES);
  GraphAssembler assembler("tokens", 4, 10);
  uint32_t x = test::LayerCase(CONVOY_LAYER_CLASS_TOKEN, {0}).add_to(assembler);
  x = test::LayerCase(CONVOY_LAYER_POSITION, {x}).add_to(assembler);
  test::loss(test::fully_connected(x, 10).add_to(assembler)).add_to(assembler);
  const Graph tokens = assembler.finish();
  EXPECT_EQ(find(tokens, "class_token0/token").kind, CONVOY_VARIABLE_VALUES);
  EXPECT_EQ(find(tokens, "position0/positions").kind, CONVOY_VARIABLE_VALUES);
}

TEST(Graph, InfersShapesFanInAndDecay) {
  const Graph graph = residual_graph();
  EXPECT_THAT(find(graph, "conv1/kernel").dimensions, testing::ElementsAre(8, 8, 3, 3));
  EXPECT_EQ(find(graph, "conv1/kernel").fan_in, 72u);
  EXPECT_THAT(find(graph, "affine0/weights").dimensions, testing::ElementsAre(20, 8 * 4 * 4));
  EXPECT_TRUE(find(graph, "affine0/biases").decayed);
  EXPECT_TRUE(find(graph, "conv0/biases").decayed);
  EXPECT_FALSE(find(graph, "bn0/gamma").decayed);
  EXPECT_FALSE(find(graph, "bn0/beta").decayed);
}

TEST(Graph, CountsParametersMultiplyAddsAndState) {
  const Graph graph = residual_graph();
  EXPECT_EQ(graph.parameter_count(),
            (216u + 8 + 16) + (576 + 8 + 16) + (20 * 128 + 20) + (10 * 20 + 10));
  EXPECT_EQ(graph.multiply_adds(), 216u * 64 + 576 * 64 + 20 * 128 + 10 * 20);
  EXPECT_EQ(graph.state_elements(), 32u);
  EXPECT_EQ(graph.nodes()[5].state_first, 16u);
}

TEST(Graph, SegmentsStartAtLayersWithWeights) {
  const Graph graph = residual_graph();
  EXPECT_EQ(graph.segment_count(), 4u);
  uint32_t previous = 0;
  for (const GraphNode& node : graph.nodes()) {
    EXPECT_EQ(node.segment, previous + (owns_weights(node.layer.kind) && node.name != "conv0"))
        << node.name;
    previous = node.segment;
  }
}

TEST(Graph, DefaultInitialisersDependOnTheLayerAndItsRelu) {
  const Graph graph = residual_graph();
  const convoy_initializer kernel = find(graph, "conv1/kernel").initializer;
  EXPECT_EQ(kernel.kind, uint32_t{CONVOY_INITIALIZE_VARIANCE_SCALING});
  EXPECT_NEAR(kernel.value, std::sqrt(1.0 / 72) / 0.87962566, 1e-8);
  const convoy_initializer hidden = find(graph, "affine0/weights").initializer;
  EXPECT_EQ(hidden.kind, uint32_t{CONVOY_INITIALIZE_TRUNCATED_NORMAL});
  EXPECT_DOUBLE_EQ(hidden.value, std::sqrt(2.0 / 128));
  EXPECT_DOUBLE_EQ(find(graph, "affine1/weights").initializer.value, std::sqrt(1.0 / 20));
  EXPECT_EQ(find(graph, "bn0/gamma").initializer.value, 1.0);
  EXPECT_EQ(find(graph, "bn0/gamma").initializer.kind, uint32_t{CONVOY_INITIALIZE_CONSTANT});
  EXPECT_EQ(find(graph, "bn0/beta").initializer.value, 0.0);
}

TEST(Graph, ReferenceFillKnowsAReluOfTheLayersOwn) {
  const Graph graph = residual_graph();
  EXPECT_DOUBLE_EQ(find(graph, "conv0/kernel").fill.scale, std::sqrt(12.0 / 27));
  EXPECT_EQ(find(graph, "bn0/beta").fill.scale, 2.0);
  EXPECT_EQ(find(graph, "bn0/beta").fill.offset, 1.0);
  EXPECT_EQ(find(graph, "bn1/beta").fill.scale, 0.2) << "the ReLU comes after the sum";
  EXPECT_EQ(find(graph, "bn1/beta").fill.offset, 0.0);
  EXPECT_DOUBLE_EQ(find(graph, "affine0/weights").fill.scale, std::sqrt(24.0 / 128));
  EXPECT_DOUBLE_EQ(find(graph, "affine1/weights").fill.scale, std::sqrt(12.0 / 20));
}

TEST(Graph, ModelsMayGiveNamesAndInitialisers) {
  GraphAssembler assembler("named", 8, 4);
  test::LayerCase conv = test::convolution(0, 2, 3);
  conv.layer.name = "stem";
  conv.layer.weights = {CONVOY_INITIALIZE_TRUNCATED_NORMAL, 0, 0.05};
  conv.layer.bias = {CONVOY_INITIALIZE_CONSTANT, 0, 0.1};
  const uint32_t x = test::fully_connected(conv.add_to(assembler), 4).add_to(assembler);
  test::loss(x).add_to(assembler);
  const Graph graph = assembler.finish();
  EXPECT_EQ(find(graph, "stem/kernel").initializer.value, 0.05);
  EXPECT_EQ(find(graph, "stem/biases").initializer.value, 0.1);
}

TEST(Graph, BatchNormMaySubmitToWeightDecay) {
  GraphAssembler assembler("decayed", 8, 4);
  test::LayerCase norm = test::batch_norm(test::convolution(0, 6, 1).add_to(assembler));
  norm.layer.flags |= CONVOY_LAYER_DECAYED;
  test::loss(test::fully_connected(norm.add_to(assembler), 4).add_to(assembler)).add_to(assembler);
  const Graph graph = assembler.finish();
  EXPECT_TRUE(find(graph, "bn0/gamma").decayed);
  EXPECT_TRUE(find(graph, "bn0/beta").decayed);
}

TEST(Graph, PaddedChannelsHaveNoVariables) {
  GraphAssembler assembler("padded", 8, 4);
  test::LayerCase pad(CONVOY_LAYER_PAD_CHANNELS, {test::convolution(0, 5, 1).add_to(assembler)});
  pad.layer.channels = 12;
  const uint32_t x = pad.add_to(assembler);
  EXPECT_EQ(assembler.shape(x), (TensorShape{12, 8, 8}));
  test::loss(test::fully_connected(x, 4).add_to(assembler)).add_to(assembler);
  EXPECT_THAT(
      variable_names(assembler.finish()),
      testing::ElementsAre("conv0/kernel", "conv0/biases", "affine0/weights", "affine0/biases"));
}

TEST(Graph, GroupedConvolutionSeesItsGroupOnly) {
  GraphAssembler assembler("grouped", 8, 4);
  uint32_t x = test::convolution(0, 6, 1).add_to(assembler);
  test::LayerCase depthwise = test::convolution(x, 6, 3);
  depthwise.layer.groups = 6;
  x = depthwise.add_to(assembler);
  x = test::fully_connected(x, 4).add_to(assembler);
  test::loss(x).add_to(assembler);
  const Graph graph = assembler.finish();
  EXPECT_THAT(find(graph, "conv1/kernel").dimensions, testing::ElementsAre(6, 1, 3, 3));
  EXPECT_EQ(find(graph, "conv1/kernel").fan_in, 9u);
  EXPECT_EQ(graph.nodes()[2].multiply_adds, 6u * 9 * 64);
}

TEST(Graph, TokensHaveLearnedCellsAndPositions) {
  GraphAssembler assembler("tokens", 4, 4);
  uint32_t x = test::convolution(0, 6, 1).add_to(assembler);
  x = test::add_plain(assembler, CONVOY_LAYER_CLASS_TOKEN, {x});
  EXPECT_EQ(assembler.shape(x), (TensorShape{6, 17, 1}));
  x = test::add_plain(assembler, CONVOY_LAYER_POSITION, {x});
  test::LayerCase attention(CONVOY_LAYER_ATTENTION, {x});
  attention.layer.groups = 2;
  x = attention.add_to(assembler);
  EXPECT_EQ(assembler.shape(x), (TensorShape{2, 17, 1}));
  x = test::layer_norm(x).add_to(assembler);
  x = test::add_plain(assembler, CONVOY_LAYER_SCALE, {x});
  test::loss(test::fully_connected(x, 4).add_to(assembler)).add_to(assembler);
  const Graph graph = assembler.finish();
  EXPECT_THAT(variable_names(graph),
              testing::ElementsAre("conv0/kernel", "conv0/biases", "class_token0/token",
                                   "position0/positions", "layer_norm0/gamma", "layer_norm0/beta",
                                   "scale0/gamma", "affine0/weights", "affine0/biases"));
  EXPECT_THAT(find(graph, "class_token0/token").dimensions, testing::ElementsAre(6));
  EXPECT_THAT(find(graph, "position0/positions").dimensions, testing::ElementsAre(17, 6));
  EXPECT_EQ(find(graph, "position0/positions").initializer.kind,
            uint32_t{CONVOY_INITIALIZE_TRUNCATED_NORMAL});
  EXPECT_FALSE(find(graph, "layer_norm0/gamma").decayed);
  EXPECT_EQ(graph.nodes()[4].multiply_adds, 2u * 17 * 17 * 2);
  EXPECT_EQ(graph.segment_count(), 2u);
}

TEST(Graph, UpsamplingAndDilationChangeShapes) {
  GraphAssembler assembler("shapes", 8, 4);
  test::LayerCase dilated = test::convolution(0, 5, 3, 1, CONVOY_PADDING_VALID);
  dilated.layer.dilation_height = 3;
  const uint32_t x = dilated.add_to(assembler);
  EXPECT_EQ(assembler.shape(x), (TensorShape{5, 2, 6}));
  test::LayerCase upsample(CONVOY_LAYER_UPSAMPLE, {x});
  upsample.layer.stride_height = 2;
  upsample.layer.stride_width = 3;
  EXPECT_EQ(assembler.shape(upsample.add_to(assembler)), (TensorShape{5, 4, 18}));
}

}  // namespace
}  // namespace convoy::graph
