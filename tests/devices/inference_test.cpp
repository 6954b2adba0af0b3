#include <gtest/gtest.h>

#include "core/conformance/layer_networks.hpp"
#include "core/conformance/reference_network.hpp"
#include "core/conformance/training_case.hpp"
#include "tests/devices/device_under_test.hpp"

namespace convoy::test {
namespace {

std::vector<float> moving_statistics(std::size_t elements) {
  std::vector<float> state = noise(elements, 5);
  for (float& value : state) value = 0.6f + 0.3f * value;  // variances are positive
  return state;
}

class Inference : public testing::TestWithParam<LayerNetwork> {};

TEST_P(Inference, AgreesWithTheReferenceOnMovingStatistics) {
  DeviceUnderTest device;
  TrainingCase inference(device, GetParam().build(),
                         {.batch = 3, .flags = CONVOY_COMPILE_INFERENCE});
  const std::vector<float> state = moving_statistics(inference.state.size());
  inference.state = state;
  ReferenceNetwork reference(inference.graph(), inference.batch(), inference.parameters,
                             inference.images, inference.labels);
  reference.use_statistics(state);
  inference.forward();
  const double expected = reference.loss();
  EXPECT_NEAR(inference.loss, expected, 1e-5 * std::max(1.0, expected));
  EXPECT_EQ(inference.state, state) << "inference moved the statistics";
  const double first = inference.loss;
  inference.forward_again(1);
  EXPECT_EQ(inference.loss, first) << "the second step differs";
}

std::string network_name(const testing::TestParamInfo<LayerNetwork>& test) {
  return test.param.name;
}

INSTANTIATE_TEST_SUITE_P(Networks, Inference, testing::ValuesIn(all_layer_networks()),
                         network_name);

const LayerNetwork& find(const std::vector<LayerNetwork>& networks, const std::string& name) {
  for (const LayerNetwork& network : networks) {
    if (network.name == name) return network;
  }
  throw std::out_of_range(name);
}

TEST(InferenceProgram, CountsHitsAsTrainingDoesAndDropsNothing) {
  constexpr std::uint32_t kAll = CONVOY_COMPILE_DROPOUT | CONVOY_COMPILE_ACCURACY;
  const std::vector<LayerNetwork> networks = layer_networks();
  const graph::Graph graph = find(networks, "fully_connected_on_images").build();
  DeviceUnderTest device;
  TrainingCase training(device, graph, {.batch = 16, .flags = CONVOY_COMPILE_ACCURACY});
  TrainingCase inference(device, graph, {.batch = 16, .flags = kAll | CONVOY_COMPILE_INFERENCE});
  training.forward();
  inference.forward();
  EXPECT_NEAR(inference.loss, training.loss, 1e-6);
  EXPECT_EQ(inference.hits[0], training.hits[0]);
  EXPECT_EQ(inference.hits[1], training.hits[1]);
  EXPECT_GT(inference.hits[1], inference.hits[0]) << "the case counts nothing";
}

TEST(InferenceProgram, RefusesBackward) {
  const std::vector<LayerNetwork> networks = layer_networks();
  DeviceUnderTest device;
  TrainingCase inference(device, find(networks, "residual").build(),
                         {.flags = CONVOY_COMPILE_INFERENCE});
  inference.forward();
  try {
    inference.backward();
    FAIL() << "a program for inference ran backward";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("no backward pass"), std::string::npos)
        << error.what();
  }
}

TEST(InferenceProgram, UnknownFlagsAreRefused) {
  const std::vector<LayerNetwork> networks = layer_networks();
  DeviceUnderTest device;
  EXPECT_THROW(TrainingCase(device, find(networks, "residual").build(), {.flags = 64}),
               std::runtime_error);
}

}  // namespace
}  // namespace convoy::test
