// Two devices with half of the golden batch each, on networks whose loss does not depend on how a
// batch is divided: those without batch norm.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/golden/golden_file.hpp"
#include "tests/golden/golden_models.hpp"
#include "tests/golden/golden_run.hpp"
#include "tests/models/plugin_graph.hpp"

namespace convoy::testing {
namespace {

using nlohmann::json;

constexpr std::uint32_t kFirstGradientKey = 5001;

// Above this many parameters, one strategy must do: the sums are the same ones.
constexpr std::uint64_t kManyParameters = 50'000'000;

struct TwoDevicesCase {
  std::string model;
  std::uint32_t threads;  // of each device
  std::string strategy;
};

void PrintTo(const TwoDevicesCase& it, std::ostream* out) {
  *out << it.model << ", " << it.threads << " threads, " << it.strategy;
}

std::vector<TwoDevicesCase> cases() {
  std::vector<TwoDevicesCase> cases;
  for (const auto& [model, threads] : golden_cases("step0", 1)) {
    const json golden = read_golden(model);
    if (!golden.at("bn_after_step1").empty()) continue;
    cases.push_back({model, threads, "replicated"});
    if (golden.at("num_parameters") < kManyParameters)
      cases.push_back({model, threads, "parameter_server"});
  }
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
  const Graph graph_ = test::load_model(GetParam().model, golden_.at("classes")).graph;
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

// One plain step at rate 1 moves every parameter by the gradient that the strategy made of both
// devices' gradients.
TEST_P(TwoDevices, GradientsThatAreAppliedAgree) {
  GoldenRun run = make_run(plain_optimizer());
  const std::vector<float> before = run.session().memory().read_parameters();
  run.train(1, 1);
  std::vector<float> moved = run.session().memory().read_parameters();
  for (std::size_t i = 0; i < moved.size(); ++i) moved[i] = before[i] - moved[i];
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

INSTANTIATE_TEST_SUITE_P(Models, TwoDevices, ::testing::ValuesIn(cases()), [](const auto& test) {
  return test.param.model + "_" + test.param.strategy + on_threads(test.param.threads);
});

}  // namespace
}  // namespace convoy::testing
