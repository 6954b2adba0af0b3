#include "core/runtime/state/initial_values.hpp"

#include <gtest/gtest.h>

#include <convoy/model.hpp>

#include "core/base/numbers/hash_fill.hpp"
#include "core/graph/assembler.hpp"
#include "core/graph/layout.hpp"
#include "core/runtime/model_map.hpp"
#include "core/train/initializer.hpp"
#include "tests/runtime/initial_parameters.hpp"
#include "tests/runtime/small_models.hpp"

namespace convoy::testing {
namespace {

// Rows in blocks of 16, padded: what a CPU device might want for OIHW and OI.
std::vector<convoy_layout> blocked_layouts(const graph::Graph& graph) {
  std::vector<convoy_layout> layouts;
  for (const graph::GraphVariable& variable : graph.variables()) {
    convoy_layout layout = graph::plain_layout(variable.dimensions);
    constexpr std::uint64_t kBlock = 16;
    layout.padded[0] = (variable.dimensions[0] + kBlock - 1) / kBlock * kBlock;
    layout.inner_blocks = 1;
    layout.inner_dimension[0] = 0;
    layout.inner_size[0] = kBlock;
    std::uint64_t stride = kBlock;
    for (std::size_t d = variable.dimensions.size(); d-- > 0;) {
      layout.strides[d] = stride;
      stride *= d == 0 ? layout.padded[0] / kBlock : layout.padded[d];
    }
    layout.elements = stride;
    layouts.push_back(layout);
  }
  return layouts;
}

std::vector<float> plain_values(const graph::Graph& graph, const graph::Arena& arena,
                                const std::vector<float>& stored, std::size_t variable) {
  const graph::GraphVariable& it = graph.variables()[variable];
  std::vector<float> plain(it.elements);
  graph::unpack(arena.layout(variable), it.dimensions, stored.data() + arena.range(variable).first,
                plain.data());
  return plain;
}

TEST(InitialValues, HashFillsEveryVariableWithItsKeyWhateverTheLayout) {
  const graph::Graph graph = small_network();
  constexpr std::uint32_t kSeed = 77;
  for (const graph::Arena& arena :
       {graph::Arena(graph), graph::Arena(graph, blocked_layouts(graph))}) {
    const std::vector<float> values = initial_parameters(graph, arena, kSeed, true, 2);
    ASSERT_EQ(values.size(), arena.elements());
    for (std::size_t v = 0; v < graph.variables().size(); ++v) {
      const graph::GraphVariable& variable = graph.variables()[v];
      const std::vector<float> plain = plain_values(graph, arena, values, v);
      for (std::uint32_t e = 0; e < plain.size(); ++e)
        ASSERT_EQ(plain[e], hash_fill(static_cast<std::uint32_t>(v) + 1, kSeed, e,
                                      variable.fill.scale, variable.fill.offset))
            << variable.name << " element " << e;
    }
  }
}

TEST(InitialValues, PaddingAndGapsAreZero) {
  const graph::Graph graph = small_network();
  const graph::Arena arena(graph, blocked_layouts(graph));
  const std::vector<float> values = initial_parameters(graph, arena, 1, true, 1);
  std::size_t zeros = 0;
  for (const float value : values) zeros += value == 0 ? 1 : 0;
  // No element of this fill is exactly zero, so the zeros are what is not a parameter.
  EXPECT_GT(arena.elements(), graph.parameter_count());
  EXPECT_EQ(zeros, arena.elements() - graph.parameter_count());
}

TEST(InitialValues, DefaultsAreTheLayersOwnWhateverTheLayoutAndThreads) {
  const graph::Graph graph = small_network();
  const graph::Arena plain(graph);
  const graph::Arena blocked(graph, blocked_layouts(graph));
  const std::vector<float> one = initial_parameters(graph, plain, 5, false, 1);
  const std::vector<float> two = initial_parameters(graph, blocked, 5, false, 2);
  for (std::uint32_t v = 0; v < graph.variables().size(); ++v) {
    const graph::GraphVariable& variable = graph.variables()[v];
    std::vector<float> expected(variable.elements);
    train::initialize(variable.initializer, variable.fan_in, 5, v, expected, 1);
    EXPECT_EQ(plain_values(graph, plain, one, v), expected) << variable.name;
    EXPECT_EQ(plain_values(graph, blocked, two, v), expected) << variable.name;
  }
}

TEST(InitialValues, StatisticsStartWithMeanZeroAndVarianceOne) {
  const graph::Graph graph = graph::assemble_graph("normed", 8, 4, [](const auto& builder) {
    GraphBuilder model(builder);
    LayerId x = model.conv(model.input(), 3, {.kernel = 3, .batch_norm = BatchNormOptions{}});
    x = model.conv(x, 2, {.kernel = 1, .batch_norm = BatchNormOptions{}, .relu = true});
    model.classify(x);
  });
  EXPECT_EQ(runtime::initial_state(graph), (std::vector<float>{0, 0, 0, 1, 1, 1, 0, 0, 1, 1}));
  EXPECT_TRUE(runtime::initial_state(small_network()).empty());
}

TEST(ModelMap, VariablesComeInArenaOrderAndSegmentsTileTheArena) {
  const graph::Graph graph = small_network();
  const graph::Arena arena(graph, blocked_layouts(graph));
  const plan::ArenaMap map = runtime::make_arena_map(graph, arena, 300);
  EXPECT_EQ(map.elements, arena.elements());
  ASSERT_EQ(map.variables.size(), graph.variables().size());
  for (std::size_t i = 1; i < map.variables.size(); ++i)
    EXPECT_GT(map.variables[i].range.first, map.variables[i - 1].range.first);
  EXPECT_EQ(map.variables.back().name, graph.variables().front().name);
  EXPECT_EQ(map.variables.back().elements, graph.variables().front().elements);
  ASSERT_EQ(map.segments.size(), 4u);  // two convolutions, two fully connected layers
  std::uint64_t layers = 0;
  std::uint64_t end = map.elements;
  for (const plan::Segment& segment : map.segments) {
    EXPECT_EQ(segment.first_layer, layers);
    layers += segment.layer_count;
    EXPECT_EQ(segment.range.first + segment.range.count, end);
    end = segment.range.first;
  }
  EXPECT_EQ(layers, graph.nodes().size());
  EXPECT_EQ(end, 0u);
}

TEST(ModelMap, BucketsTileTheArena) {
  const graph::Graph graph = small_network();
  const graph::Arena arena(graph);
  EXPECT_EQ(runtime::make_arena_map(graph, arena, 0).buckets.size(), 1u);
  const plan::ArenaMap map = runtime::make_arena_map(graph, arena, 300);
  EXPECT_GT(map.buckets.size(), 2u);
  std::uint64_t next = 0;
  for (const plan::ElementRange& bucket : map.buckets) {
    EXPECT_EQ(bucket.first, next);
    next += bucket.count;
  }
  EXPECT_EQ(next, arena.elements());
}

}  // namespace
}  // namespace convoy::testing
