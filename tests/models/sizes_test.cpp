#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/graph/arena.hpp"
#include "tests/models/plugin_graph.hpp"

namespace convoy {
namespace {

// Published sizes of the networks with 1001 classes, computed independently.
struct ModelSize {
  const char* name;
  uint32_t image_size;
  uint32_t batch_size;
  uint64_t tensors;
  uint64_t parameters;
  uint64_t convolutions;
  uint64_t batch_norms;
  uint64_t fully_connected;
  uint64_t state_elements;
  double giga_multiply_adds;
};

constexpr ModelSize kSizes[] = {
    {"inception3", 299, 32, 190, 23819401, 94, 94, 1, 34432, 5.7132},
    {"resnet50", 224, 64, 161, 25559081, 53, 53, 1, 53120, 3.8580},
    {"resnet50_v1.5", 224, 64, 161, 25559081, 53, 53, 1, 53120, 4.0892},
    {"resnet101", 224, 32, 314, 44551209, 104, 104, 1, 105344, 7.5702},
    {"resnet152", 224, 32, 467, 60194857, 155, 155, 1, 151424, 11.2824},
    {"vgg11", 224, 64, 22, 132867433, 8, 0, 3, 0, 7.6091},
    {"vgg16", 224, 64, 32, 138361641, 13, 0, 3, 0, 15.4703},
    {"vgg19", 224, 64, 38, 143671337, 16, 0, 3, 0, 19.6321},
    {"alexnet", 227, 512, 16, 61842345, 5, 0, 3, 0, 0.8388},
    {"googlenet", 224, 32, 116, 6999577, 57, 0, 1, 0, 1.5827},
    {"lenet", 28, 32, 8, 2173353, 2, 0, 2, 0, 0.0140},
    {"overfeat", 231, 32, 16, 145924969, 5, 0, 3, 0, 2.8014},
    {"trivial", 227, 32, 6, 4263877, 0, 0, 3, 0, 0.0043},
};

class ModelSizes : public testing::TestWithParam<ModelSize> {};

std::string test_name(const testing::TestParamInfo<ModelSize>& parameter) {
  std::string name = parameter.param.name;
  std::ranges::replace(name, '.', '_');
  return name;
}

TEST_P(ModelSizes, AreThePublishedOnes) {
  const ModelSize& expected = GetParam();
  const test::PluginGraph model = test::load_model(expected.name);
  const Graph& graph = model.graph;
  EXPECT_EQ(model.info.image_size, expected.image_size);
  EXPECT_EQ(model.info.batch_size, expected.batch_size);
  EXPECT_STREQ(model.info.dataset, "imagenet");
  EXPECT_EQ(graph.variables().size(), expected.tensors);
  EXPECT_EQ(graph.parameter_count(), expected.parameters);
  EXPECT_EQ(graph.count(CONVOY_LAYER_CONVOLUTION), expected.convolutions);
  EXPECT_EQ(graph.count(CONVOY_LAYER_BATCH_NORM), expected.batch_norms);
  EXPECT_EQ(graph.count(CONVOY_LAYER_FULLY_CONNECTED), expected.fully_connected);

  EXPECT_EQ(graph.state_elements(), expected.state_elements);
  EXPECT_NEAR(static_cast<double>(graph.multiply_adds()) / 1e9, expected.giga_multiply_adds, 5e-5);
}

TEST_P(ModelSizes, SegmentsAndArenaCoverAllVariables) {
  const Graph graph = test::load_model(GetParam().name).graph;
  EXPECT_EQ(graph.segment_count(), GetParam().convolutions + GetParam().fully_connected);
  const Arena arena(graph);
  uint64_t end = 0;
  for (uint64_t segment = graph.segment_count(); segment-- > 0;) {
    EXPECT_EQ(arena.segment_range(segment).first, end) << "segment " << segment;
    EXPECT_GT(arena.segment_range(segment).count, 0u) << "segment " << segment;
    end += arena.segment_range(segment).count;
  }
  EXPECT_EQ(end, arena.elements());
  EXPECT_GE(arena.elements(), graph.parameter_count());
  EXPECT_LT(arena.elements(), graph.parameter_count() + 16 * graph.variables().size());
}

INSTANTIATE_TEST_SUITE_P(ImageNet, ModelSizes, testing::ValuesIn(kSizes), test_name);

TEST(ModelRates, ResidualNetworksScaleWithTheBatchAndStepDown) {
  for (const char* name : {"resnet50", "resnet50_v1.5", "resnet101", "resnet152"}) {
    const convoy_rate_rule rule = test::load_model(name).info.rate;
    EXPECT_EQ(rule.kind, uint32_t{CONVOY_RATE_PIECEWISE}) << name;
    EXPECT_EQ(rule.base, 0.128) << name;
    EXPECT_EQ(rule.reference_batch, 256) << name;
    EXPECT_EQ(rule.warmup_epochs, 5) << name;
    ASSERT_EQ(rule.boundaries, 4u) << name;
    const double epochs[] = {30, 60, 80, 90};
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(rule.boundary_epochs[i], epochs[i]) << name;
      EXPECT_NEAR(rule.multipliers[i], std::pow(10, -1 - i), 1e-12) << name;
    }
  }
}

TEST(ModelRates, OtherNetworksAreConstant) {
  for (const char* name : {"alexnet", "vgg16", "inception3", "googlenet", "trivial"}) {
    const convoy_rate_rule rule = test::load_model(name).info.rate;
    EXPECT_EQ(rule.kind, uint32_t{CONVOY_RATE_CONSTANT}) << name;
    EXPECT_EQ(rule.base, 0.005) << name;
  }
}

TEST(ModelClasses, ClassifierIsAsWideAsTheDataSetWants) {
  const Graph graph = test::load_model("lenet", 11).graph;
  EXPECT_EQ(graph.variables().back().elements, 11u);
}

}  // namespace
}  // namespace convoy
