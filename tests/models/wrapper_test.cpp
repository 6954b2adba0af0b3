#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <convoy/model.hpp>

#include <functional>

#include "tests/models/plugin_graph.hpp"
#include "tests/support/thrown_text.hpp"

namespace convoy {
namespace {

std::function<void(GraphBuilder&)> current_build;

// A model whose layers a test gives.
class TestModel : public Model {
  ModelInfo info() const override { return {.image_size = 16, .batch_size = 4}; }
  void build(GraphBuilder& graph) override { current_build(graph); }
};

graph::Graph describe(std::function<void(GraphBuilder&)> build) {
  current_build = std::move(build);
  return test::describe_model("test", *ModelTable<TestModel>::table(), 10).graph;
}

std::vector<std::string> names(const graph::Graph& graph) {
  std::vector<std::string> result;
  for (const graph::GraphNode& node : graph.nodes()) result.push_back(node.name);
  return result;
}

TEST(ModelWrapper, ConvolutionBringsItsBatchNormAndRelu) {
  const graph::Graph graph = describe([](GraphBuilder& g) {
    const BatchNormOptions norm = {.scale = true, .epsilon = 1e-5, .decay = 0.9};
    const LayerId x = g.conv(g.input(), 8,
                             {.kernel = {1, 3},
                              .stride = 2,
                              .padding = Padding::kFixed,
                              .batch_norm = norm,
                              .relu = true});
    g.classify(g.global_average_pool(x));
  });
  EXPECT_THAT(names(graph), testing::ElementsAre("input", "conv0", "bn0", "relu0", "average_pool0",
                                                 "affine0", "loss"));
  EXPECT_EQ(graph.nodes()[1].layer.flags, 0u) << "a bias besides batch norm";
  EXPECT_EQ(graph.nodes()[1].output, (graph::TensorShape{8, 8, 8}));
  EXPECT_EQ(graph.nodes()[4].output, (graph::TensorShape{8, 1, 1}));
}

TEST(ModelWrapper, OffersEveryOtherLayer) {
  const graph::Graph graph = describe([](GraphBuilder& g) {
    const LayerId a = g.conv(g.input(), 4, {.kernel = 3});
    const LayerId b = g.relu(g.batch_norm(a), 6);
    const LayerId sum = g.add(a, b);
    const LayerId joined = g.concat({sum, b});
    LayerId x = g.local_response_norm(joined, {.radius = 2, .alpha = 1e-4, .beta = 0.75});
    EXPECT_EQ(g.shape(x).channels, 8u);
    x = g.average_pool(g.max_pool(x), {.kernel = 3, .stride = 1, .padding = Padding::kSame});
    g.mean_loss(g.dropout(x, 0.8));
  });
  EXPECT_THAT(names(graph),
              testing::ElementsAre("input", "conv0", "bn0", "relu0", "add0", "concat0", "norm0",
                                   "max_pool0", "average_pool0", "dropout0", "loss"));
  EXPECT_EQ(graph.nodes()[3].layer.limit, 6);
  EXPECT_EQ(graph.nodes()[9].layer.keep, 0.8);
}

TEST(ModelWrapper, SaysWhatAnInvertedResidualNeeds) {
  const graph::Graph graph = describe([](GraphBuilder& g) {
    const BatchNormOptions norm = {.scale = true, .decayed = true};
    LayerId x = g.conv(g.input(), 6, {.batch_norm = norm, .relu = true, .limit = 6});
    x = g.conv(x, 6, {.kernel = 3, .groups = 6, .batch_norm = norm});
    g.classify(g.pad_channels(x, 9));
  });
  EXPECT_EQ(graph.nodes()[3].layer.limit, 6);
  EXPECT_EQ(graph.nodes()[2].layer.flags, CONVOY_LAYER_HAS_SCALE | CONVOY_LAYER_DECAYED);
  EXPECT_EQ(graph.nodes()[4].layer.groups, 6u);
  EXPECT_EQ(graph.nodes()[6].name, "pad_channels0");
  EXPECT_EQ(graph.nodes()[6].output.channels, 9u);
}

std::string failure(std::function<void(GraphBuilder&)> build) {
  return thrown_text<std::exception>([&] { describe(std::move(build)); }, "accepted");
}

TEST(ModelWrapper, ReportsTheHostsReasonForARefusal) {
  EXPECT_THAT(failure([](GraphBuilder& g) { g.classify(g.max_pool(g.input(), {.kernel = 99})); }),
              testing::HasSubstr("kernel 99x99 is larger than its input of 16x16"));
  EXPECT_THAT(failure([](GraphBuilder& g) { g.shape(7); }), testing::HasSubstr("layer 7"));
}

TEST(ModelWrapper, RefusalCannotBeSwallowed) {
  EXPECT_THAT(failure([](GraphBuilder& g) {
                try {
                  g.conv(g.input(), 0);
                } catch (const std::exception&) {
                  g.shape(g.input());
                }
              }),
              testing::HasSubstr("zero channels"));
}

TEST(ModelWrapper, TurnsExceptionsIntoErrorTexts) {
  EXPECT_THAT(failure([](GraphBuilder&) { throw std::runtime_error("my own reason"); }),
              testing::EndsWith(": my own reason"));
  EXPECT_THAT(failure([](GraphBuilder&) { throw 42; }), testing::HasSubstr("not a std::exception"));
}

}  // namespace
}  // namespace convoy
