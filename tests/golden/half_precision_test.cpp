// Every network in the device's 16-bit type, against float64.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/golden/golden_file.hpp"
#include "tests/golden/golden_models.hpp"
#include "tests/golden/golden_run.hpp"
#include "tests/models/plugin_graph.hpp"

namespace convoy::testing {
namespace {

using nlohmann::json;

class HalfPrecision : public ::testing::TestWithParam<std::string> {};

// The first loss is off by rounding alone, as if every stored element were multiplied by a number
// of its own within 2^-9 of 1: with a standard deviation of 2^-9 / sqrt(3), and those of one layer
// after another add up in squares. Stored are weights and sums of the layers that have weights, and
// what batch norm gives. An image's loss is off as one logit of it is, and the mean over images by
// less.
double first_loss_deviation(const graph::Graph& graph, const json& golden) {
  double roundings = 0;
  for (const graph::GraphNode& node : graph.nodes()) {
    if (graph::owns_weights(node.layer.kind)) roundings += 2;
    if (node.layer.kind == CONVOY_LAYER_BATCH_NORM) roundings += 1;
  }
  const double images = golden.at("batch");
  const double logits = images * golden.at("classes").get<double>();
  const double logit = golden.at("step0").at("logits_l2").get<double>() / std::sqrt(logits);
  return std::ldexp(1, -9) * std::sqrt(roundings / 3 / images) * logit;
}

// Of three thousand correct computations one is off by more.
constexpr double kDeviations = 3.5;

// Later steps also differ by what rounded gradients do, most in deep networks whose batch norm sees
// two to four images: resnet152 falls 0.6 to 0.7 times as far as in float64, and as far when bf16
// is emulated with 32-bit instructions, which is other code.
constexpr double kFall = 0.45;

TEST_P(HalfPrecision, LossesStayNearThoseOfFloat64) {
  const json golden = read_golden(GetParam());
  const graph::Graph graph =
      test::load_model(GetParam(), golden.at("classes").get<std::uint32_t>()).graph;
  GoldenRun run(golden, graph, {.optimizer = plain_optimizer(), .dtype = CONVOY_BF16});
  const json& reference = golden.at("sgd");
  const std::vector<TrainingStep> steps = run.train(reference.at("lr"), 4);
  const double first = golden.at("step0").at("loss");
  EXPECT_NEAR(steps[0].base_loss, first, kDeviations * first_loss_deviation(graph, golden));
  for (std::size_t i = 1; i < steps.size(); ++i) {
    const double fall = first - reference.at("loss")[i].get<double>();
    EXPECT_NEAR(steps[0].base_loss - steps[i].base_loss, fall, kFall * fall) << "step " << i;
  }
}

std::string model_name(const ::testing::TestParamInfo<std::string>& test) {
  std::string name = test.param;
  std::ranges::replace(name, '.', '_');
  return name;
}

// The deepest network stands for resnet101.
std::vector<std::string> models() {
  std::vector<std::string> models = golden_models();
  std::erase(models, "resnet101");
  return models;
}

INSTANTIATE_TEST_SUITE_P(Models, HalfPrecision, ::testing::ValuesIn(models()), model_name);

}  // namespace
}  // namespace convoy::testing
