#include "core/graph/arena.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/conformance/layer_builder.hpp"
#include "core/graph/graph_view.hpp"
#include "core/graph/layout.hpp"
#include "tests/support/thrown_text.hpp"

namespace convoy::graph {
namespace test = conformance;
namespace {

Graph two_layer_graph() {
  GraphAssembler assembler("toy", 8, 10);
  uint32_t x = test::convolution(0, 5, 3).add_to(assembler);
  x = test::batch_norm(x).add_to(assembler);
  x = test::relu(x).add_to(assembler);
  x = test::fully_connected(x, 10).add_to(assembler);
  test::loss(x).add_to(assembler);
  return assembler.finish();
}

TEST(Arena, HoldsVariablesInReverseCreationOrderAligned) {
  const Graph graph = two_layer_graph();
  const Arena arena(graph);
  uint64_t end = 0;
  for (uint64_t variable = graph.variables().size(); variable-- > 0;) {
    const convoy_range range = arena.range(variable);
    EXPECT_EQ(range.first, (end + 15) / 16 * 16) << graph.variables()[variable].name;
    EXPECT_EQ(range.count, graph.variables()[variable].elements);
    end = range.first + range.count;
  }
  EXPECT_EQ(arena.elements(), (end + 15) / 16 * 16);
  EXPECT_TRUE(arena.plain());
}

TEST(Arena, SegmentRangesTileItDownwards) {
  const Graph graph = two_layer_graph();
  const Arena arena(graph);
  ASSERT_EQ(graph.segment_count(), 2u);
  const convoy_range last = arena.segment_range(1);
  const convoy_range first = arena.segment_range(0);
  EXPECT_EQ(last.first, 0u);
  EXPECT_EQ(last.count, 16u + 10 * 5 * 8 * 8);  // 10 biases padded, then the weights
  EXPECT_EQ(first.first, last.count);
  EXPECT_EQ(first.first + first.count, arena.elements());
}

TEST(Arena, PaddedLayoutsTakeTheirStorage) {
  const Graph graph = two_layer_graph();
  std::vector<convoy_layout> layouts;
  for (const GraphVariable& variable : graph.variables())
    layouts.push_back(plain_layout(variable.dimensions));
  layouts[0] = plain_layout(std::vector<uint64_t>{8, 3, 3, 3});
  const Arena arena(graph, layouts);
  EXPECT_EQ(arena.range(0).count, 8u * 27);
  EXPECT_FALSE(arena.plain());
  EXPECT_NE(arena.hash(), Arena(graph).hash());
}

TEST(Arena, RefusesALayoutThatCannotStoreTheVariable) {
  const Graph graph = two_layer_graph();
  std::vector<convoy_layout> layouts(graph.variables().size(), plain_layout(std::vector{4ul}));
  EXPECT_THAT(thrown_text([&] { const Arena arena(graph, layouts); }),
              testing::HasSubstr("affine0/biases"));
}

TEST(GraphView, ShowsNodesVariablesAndOffsets) {
  const Graph graph = two_layer_graph();
  const Arena arena(graph);
  const GraphView view(graph, arena);
  const convoy_graph& c_graph = *view.c_graph();
  ASSERT_EQ(c_graph.node_count, graph.nodes().size());
  ASSERT_EQ(c_graph.variable_count, graph.variables().size());
  EXPECT_EQ(c_graph.arena_elements, arena.elements());
  EXPECT_EQ(c_graph.state_elements, 10u);
  const convoy_node& conv = *c_graph.nodes[1];
  EXPECT_STREQ(conv.layer->name, "conv0");
  EXPECT_EQ(conv.layer->inputs[0], 0u);
  EXPECT_EQ(conv.channels, 5u);
  EXPECT_EQ(conv.pad_top, 1u);
  EXPECT_EQ(conv.variables[0], 0u);
  for (uint64_t i = 0; i < c_graph.variable_count; ++i) {
    EXPECT_EQ(c_graph.variables[i]->name, graph.variables()[i].name);
    EXPECT_EQ(c_graph.variables[i]->arena_first, arena.range(i).first);
    EXPECT_TRUE(same_layout(c_graph.variables[i]->layout, arena.layout(i)));
  }
}

}  // namespace
}  // namespace convoy::graph
