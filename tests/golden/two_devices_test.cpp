// Two devices with half of the golden batch each, on networks whose loss does not depend on how a
// batch is divided: those without batch norm.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/golden/golden_file.hpp"
#include "tests/golden/golden_models.hpp"
#include "tests/golden/golden_run.hpp"
#include "tests/golden/numbers.hpp"
#include "tests/models/plugin_graph.hpp"

namespace convoy::testing {
namespace {

using nlohmann::json;

constexpr std::uint32_t kFirstGradientKey = 5001;

struct TwoDevicesCase {
  std::string model;
  std::uint32_t threads;  // of each device
  std::string strategy;
};

void PrintTo(const TwoDevicesCase& it, std::ostream* out) {
  *out << it.model << ", " << it.threads << " threads, " << it.strategy;
}

// Both strategies. Large models: one must do, for the sums are the same ones. alexnet stands for
// the others: overfeat and vgg16 have layers of the same kinds, whose numbers one_device_test.cpp
// compares, and what a strategy sums it does not know.
std::vector<TwoDevicesCase> gradient_cases() {
  std::vector<TwoDevicesCase> cases;
  for (const std::string& model : golden_models_without_batch_norm()) {
    if (is_large(model) && model != "alexnet") continue;
    cases.push_back({model, 1, "replicated"});
    if (is_large(model)) continue;
    cases.push_back({model, 1, "parameter_server"});
    // Half of a batch has other shapes than all of it, and libraries other ways with more threads.
    for (const std::uint32_t threads : golden_threads(2))
      cases.push_back({model, threads, "replicated"});
  }
  return cases;
}

// The optimizer works on what gradient_cases() look at, and on all models in one_device_test.cpp.
std::vector<TwoDevicesCase> momentum_cases() {
  std::vector<TwoDevicesCase> cases;
  for (const std::string& model : golden_models_without_batch_norm())
    for (const char* strategy : {"replicated", "parameter_server"})
      if (!is_large(model)) cases.push_back({model, 1, strategy});
  return cases;
}

class TwoDevices : public ::testing::TestWithParam<TwoDevicesCase> {
 protected:
  GoldenRun make_run(const OptimizerOptions& optimizer) const {
    return {golden_,
            graph_,
            {.strategy = GetParam().strategy,
             .devices = 2,
             .optimizer = optimizer,
             .threads = GetParam().threads}};
  }
  double tolerance(const std::string& name) const { return golden_.at("tolerance").at(name); }

  const json golden_ = read_golden(GetParam().model);
  const graph::Graph graph_ = test::load_model(GetParam().model, golden_.at("classes")).graph;
};

TEST_P(TwoDevices, MomentumWithWeightDecayAgrees) {
  const json& reference = golden_.at("momentum");
  GoldenRun run = make_run(momentum_optimizer(reference));
  const std::vector<TrainingStep> steps = run.train(reference.at("lr"), 4);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double allowed = tolerance(i == 0 ? "loss" : "momentum_loss" + std::to_string(i));
    EXPECT_LE(loss_deviation(steps[i].base_loss, reference.at("base_loss")[i]), allowed)
        << "step " << i << ": " << steps[i].base_loss << ", reference "
        << reference.at("base_loss")[i];
    const double squares =
        (steps[i].total_loss - steps[i].base_loss) / reference.at("weight_decay").get<double>();
    EXPECT_LE(norm_deviation(squares, reference.at("l2_term")[i]), tolerance("momentum_l2_term"))
        << "step " << i << ": " << squares << ", reference " << reference.at("l2_term")[i];
  }
}

class TwoDevicesGradients : public TwoDevices {};

// One plain step at rate 1 moves every parameter by the gradient that the strategy made of both
// devices' gradients.
TEST_P(TwoDevicesGradients, ThatAreAppliedAgree) {
  GoldenRun run = make_run(plain_optimizer());
  const std::vector<float> before = run.session().memory().read_parameters();
  run.train(1, 1);
  const std::vector<float> moved = difference(before, run.session().memory().read_parameters());
  for (const json& variable : golden_.at("variables")) {
    const std::uint32_t k = variable.at("k");
    const Projection actual =
        project(run.plain(moved, k), kFirstGradientKey + k, golden_.at("seed"));
    const double norm = variable.at("g_l2");
    const double dot = variable.at("g_dot");
    EXPECT_LE(norm_deviation(actual.norm, norm), variable.at("tol")[0].get<double>())
        << variable.at("name") << ": norm " << actual.norm << ", reference " << norm;
    EXPECT_LE(std::fabs(actual.dot - dot) / norm, variable.at("tol")[1].get<double>())
        << variable.at("name") << ": dot product " << actual.dot << ", reference " << dot;
  }
}

std::string two_devices_name(const ::testing::TestParamInfo<TwoDevicesCase>& test) {
  return test.param.model + "_" + test.param.strategy + on_threads(test.param.threads);
}

INSTANTIATE_TEST_SUITE_P(Models, TwoDevices, ::testing::ValuesIn(momentum_cases()),
                         two_devices_name);
INSTANTIATE_TEST_SUITE_P(Models, TwoDevicesGradients, ::testing::ValuesIn(gradient_cases()),
                         two_devices_name);

}  // namespace
}  // namespace convoy::testing
