#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/conformance/layer_builder.hpp"
#include "core/conformance/layer_networks.hpp"
#include "core/conformance/reference_network.hpp"
#include "core/conformance/training_case.hpp"
#include "tests/devices/device_under_test.hpp"

namespace convoy::test {
namespace {

struct NetworkCase {
  LayerNetwork network;
  Layouts layouts;
};

void PrintTo(const NetworkCase& c, std::ostream* out) {
  *out << c.network.name << (c.layouts == Layouts::kPlain ? ", plain" : ", proposed") << " layouts";
}

std::vector<NetworkCase> in_both_layouts(const std::vector<LayerNetwork>& networks) {
  std::vector<NetworkCase> cases;
  for (const LayerNetwork& network : networks) {
    cases.push_back({network, Layouts::kProposed});
    cases.push_back({network, Layouts::kPlain});
  }
  return cases;
}

class LayerGradients : public testing::TestWithParam<NetworkCase> {};

// About 20 elements of a variable, spread over all dimensions by an odd stride.
void expect_derivatives(const std::vector<float>& measured, std::uint64_t variable,
                        ReferenceNetwork& reference, const std::string& name) {
  double largest = 0.0;
  for (float value : measured) largest = std::max(largest, std::fabs(static_cast<double>(value)));
  const std::size_t stride = measured.size() / 20 / 2 * 2 + 1;
  for (std::size_t i = 0; i < measured.size(); i += stride) {
    ASSERT_NEAR(measured[i], reference.derivative(variable, i), 1e-4 * largest + 2e-6)
        << name << " element " << i;
  }
}

TEST_P(LayerGradients, AgreeWithDifferencesOfAReference) {
  DeviceUnderTest device;
  TrainingCase training(device, GetParam().network.build(), {.layouts = GetParam().layouts});
  ReferenceNetwork reference(training.graph(), training.batch(), training.parameters,
                             training.images, training.labels);
  training.forward();
  training.backward();
  EXPECT_NEAR(training.loss, reference.loss(), 1e-5);
  for (std::size_t i = 0; i < training.graph().variables().size(); ++i) {
    expect_derivatives(training.gradient(i), i, reference, training.graph().variables()[i].name);
  }
  EXPECT_EQ(training.gradient_padding(), 0.0f);
}

TEST_P(LayerGradients, AreTheSameInASecondStep) {
  DeviceUnderTest device;
  TrainingCase training(device, GetParam().network.build(), {.layouts = GetParam().layouts});
  training.forward();
  training.backward();
  std::vector<std::vector<float>> first;
  for (std::size_t i = 0; i < training.parameters.size(); ++i) {
    first.push_back(training.gradient(i));
  }
  const double loss = training.loss;
  training.forward();
  training.backward();
  EXPECT_EQ(training.loss, loss);
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(training.gradient(i), first[i]) << training.graph().variables()[i].name;
  }
}

std::string case_name(const testing::TestParamInfo<NetworkCase>& test) {
  return test.param.network.name + (test.param.layouts == Layouts::kPlain ? "_plain" : "_proposed");
}

INSTANTIATE_TEST_SUITE_P(Small, LayerGradients,
                         testing::ValuesIn(in_both_layouts(layer_networks())), case_name);
INSTANTIATE_TEST_SUITE_P(OfModels, LayerGradients,
                         testing::ValuesIn(in_both_layouts(model_layer_networks())), case_name);
// Also compared with figures from elsewhere: torch_layers_test.cpp.
INSTANTIATE_TEST_SUITE_P(Modern, LayerGradients,
                         testing::ValuesIn(in_both_layouts(modern_layer_networks())), case_name);

TEST(BatchNormLayer, MovesRunningStatisticsByTheUnbiasedVariance) {
  graph::GraphAssembler assembler("norm", 6, 4);
  const std::uint32_t norm = batch_norm(convolution(0, 9, 3).add_to(assembler)).add_to(assembler);
  loss(fully_connected(norm, 4).add_to(assembler)).add_to(assembler);
  DeviceUnderTest device;
  TrainingCase training(device, assembler.finish(), {.batch = 3});
  ReferenceNetwork reference(training.graph(), 3, training.parameters, training.images,
                             training.labels);
  training.forward();
  reference.loss();
  const auto& [means, variances] = reference.statistics(norm);
  for (std::size_t i = 0; i < means.size(); ++i) {
    EXPECT_NEAR(training.state[i], 0.9 * 0.5 + 0.1 * means[i], 1e-6) << "mean " << i;
    EXPECT_NEAR(training.state[9 + i], 0.9 * 0.5 + 0.1 * variances[i], 1e-6) << "variance " << i;
  }
}

graph::Graph classifier(std::uint32_t classes) {
  graph::GraphAssembler assembler("classifier", 2, classes);
  loss(fully_connected(0, classes).add_to(assembler)).add_to(assembler);
  return assembler.finish();
}

// Four images, whose scores are the biases.
class ScoresCase : public TrainingCase {
 public:
  ScoresCase(DeviceUnderTest& device, std::uint32_t classes)
      : TrainingCase(device, classifier(classes), {.batch = 4, .flags = CONVOY_COMPILE_ACCURACY}) {
    std::fill(parameters[0].begin(), parameters[0].end(), 0.0f);
  }
};

TEST(SoftmaxCrossEntropyLayer, CountsLabelsThatFewScoresBeat) {
  DeviceUnderTest device;
  ScoresCase training(device, 8);
  training.parameters[1] = {5, 7, 7, 3, 2, 1, 0, -1};  // the biases are the scores
  training.labels = {1, 2, 4, 7};                      // first, first by a tie, fifth, eighth
  training.forward();
  EXPECT_EQ(training.hits[0], 2u);
  EXPECT_EQ(training.hits[1], 3u);
}

// As where a training has diverged.
TEST(SoftmaxCrossEntropyLayer, CountsNoLabelWhereAScoreIsNotFinite) {
  DeviceUnderTest device;
  ScoresCase training(device, 4);
  training.labels = {0, 1, 2, 3};
  for (const float score : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
    training.parameters[1] = {5, score, 7, 3};
    training.forward();
    EXPECT_EQ(training.hits[0], 0u) << score;
    EXPECT_EQ(training.hits[1], 0u) << score;
  }
}

TEST(SoftmaxCrossEntropyLayer, RefusesALabelOutsideTheClasses) {
  DeviceUnderTest device;
  TrainingCase training(device, classifier(8), {.batch = 1});
  training.labels = {8};
  try {
    training.forward();
    FAIL() << "a label of 8 among 8 classes was accepted";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("label 8"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace convoy::test
