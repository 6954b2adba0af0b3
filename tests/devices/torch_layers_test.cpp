// Layers of networks since 2017 against PyTorch in float64: torch_layers.json, made by
// torch_layers.py.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/text/json.hpp"
#include "core/conformance/layer_networks.hpp"
#include "core/conformance/reference_network.hpp"
#include "core/conformance/training_case.hpp"
#include "tests/devices/device_under_test.hpp"

namespace convoy::test::torch_layers_test {
namespace {

const nlohmann::json& torch_figures() {
  static const nlohmann::json kFigures = parse_json(std::ifstream(CONVOY_TORCH_LAYERS));
  return kFigures;
}

class TorchLayers : public testing::TestWithParam<LayerNetwork> {};

double norm_of(const std::vector<float>& values) {
  double squares = 0;
  for (const float value : values) squares += double(value) * double(value);
  return std::sqrt(squares);
}

void expect_gradient(const std::vector<float>& measured, const nlohmann::json& right,
                     const std::string& name) {
  const double norm = right.at("norm");
  EXPECT_NEAR(norm_of(measured), norm, 2e-5 * norm + 1e-6) << name;
  const std::size_t stride = right.at("stride");
  std::size_t at = 0;
  for (const double expected : right.at("elements")) {
    ASSERT_LT(at, measured.size()) << name;
    EXPECT_NEAR(measured[at], expected, 5e-5 * norm + 1e-6) << name << " element " << at;
    at += stride;
  }
  EXPECT_GE(at, measured.size()) << name;
}

TEST_P(TorchLayers, HaveItsLossAndGradients) {
  const nlohmann::json& right = torch_figures().at(GetParam().name);
  DeviceUnderTest device;
  TrainingCase training(device, GetParam().build(), {});
  training.forward();
  training.backward();
  EXPECT_NEAR(training.loss, right.at("loss").get<double>(), 1e-5);
  const std::vector<graph::GraphVariable>& variables = training.graph().variables();
  ASSERT_EQ(right.at("gradients").size(), variables.size());
  for (std::size_t v = 0; v < variables.size(); ++v)
    expect_gradient(training.gradient(v), right.at("gradients")[v], variables[v].name);
}

TEST_P(TorchLayers, HaveItsLossInTheReference) {
  DeviceUnderTest device;
  TrainingCase training(device, GetParam().build(), {});
  ReferenceNetwork reference(training.graph(), training.batch(), training.parameters,
                             training.images, training.labels);
  const double right = torch_figures().at(GetParam().name).at("loss");
  EXPECT_NEAR(reference.loss(), right, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Modern, TorchLayers, testing::ValuesIn(modern_layer_networks()),
                         [](const auto& it) { return it.param.name; });

}  // namespace
}  // namespace convoy::test::torch_layers_test
