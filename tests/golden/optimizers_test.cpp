// LeNet under every optimizer, with another seed and batch than its golden file: losses of six
// steps at falling rates, and the parameters they lead to, against float64.
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "tests/golden/golden_file.hpp"
#include "tests/golden/golden_models.hpp"
#include "tests/golden/golden_run.hpp"
#include "tests/golden/numbers.hpp"
#include "tests/models/plugin_graph.hpp"
#include "tests/train/optimizer_kind.hpp"

namespace convoy::testing {
namespace {

using nlohmann::json;

constexpr std::uint32_t kFirstParameterKey = 9001;
constexpr double kLossTolerance = 1e-5;
constexpr double kNormTolerance = 1e-6;
constexpr double kDotTolerance = 1e-5;  // of the norm

OptimizerOptions optimizer_of(const json& golden) {
  OptimizerOptions options;
  options.kind = optimizer_kind(golden.at("optimizer").get<std::string>());
  options.weight_decay = golden.at("weight_decay");
  if (!golden.at("gradient_clip").is_null()) options.gradient_clip = golden.at("gradient_clip");
  if (golden.at("gradient_scale") == "sum") options.gradient_scale = GradientScale::kSum;
  return options;
}

using StrategyDevicesThreads = std::tuple<std::string, std::uint32_t, std::uint32_t>;

class Optimizers : public ::testing::TestWithParam<StrategyDevicesThreads> {
 protected:
  void expect_case(const json& reference) {
    const auto& [strategy, devices, threads] = GetParam();
    SCOPED_TRACE(reference.at("optimizer").get<std::string>() + ", clip " +
                 reference.at("gradient_clip").dump() + ", " +
                 reference.at("gradient_scale").get<std::string>());
    GoldenRun run(golden_, graph_,
                  {.strategy = strategy,
                   .devices = devices,
                   .optimizer = optimizer_of(reference),
                   .threads = threads});
    for (std::size_t step = 0; step < golden_.at("steps"); ++step) {
      const double factor = golden_.at("learning_rate_factors")[step];
      const double rate = reference.at("init_learning_rate").get<double>() * factor;
      const TrainingStep made = run.train(rate, 1).front();
      EXPECT_LE(loss_deviation(made.base_loss, reference.at("base_loss")[step]), kLossTolerance)
          << "step " << step << ": " << made.base_loss;
      EXPECT_LE(loss_deviation(made.total_loss, reference.at("total_loss")[step]), kLossTolerance)
          << "step " << step << ": " << made.total_loss;
    }
    expect_parameters(run, reference);
  }

  void expect_parameters(GoldenRun& run, const json& reference) const {
    const std::vector<float> arena = run.session().memory().read_parameters();
    for (std::uint32_t k = 0; k < graph_.variables().size(); ++k) {
      const Projection actual =
          project(run.plain(arena, k), kFirstParameterKey + k, golden_.at("seed"));
      const double norm = reference.at("final_norms")[k];
      const double dot = reference.at("final_dots")[k];
      EXPECT_LE(norm_deviation(actual.norm, norm), kNormTolerance)
          << graph_.variables()[k].name << ": norm " << actual.norm << ", reference " << norm;
      EXPECT_LE(std::fabs(actual.dot - dot) / norm, kDotTolerance)
          << graph_.variables()[k].name << ": dot " << actual.dot << ", reference " << dot;
    }
  }

  const json golden_ = read_golden("lenet_optimizers");
  const graph::Graph graph_ = test::load_model("lenet", golden_.at("classes")).graph;
};

// A sum over two replicas is another case than one over one.
TEST_P(Optimizers, LeadWhereTheReferenceGoes) {
  for (const json& reference : golden_.at("cases"))
    if (reference.at("replicas").is_null() || reference.at("replicas") == std::get<1>(GetParam()))
      expect_case(reference);
}

std::string parameters_name(const ::testing::TestParamInfo<StrategyDevicesThreads>& test) {
  const auto& [strategy, devices, threads] = test.param;
  return strategy + "_" + std::to_string(devices) + on_threads(threads);
}

INSTANTIATE_TEST_SUITE_P(Lenet, Optimizers,
                         ::testing::Combine(::testing::Values("replicated", "parameter_server"),
                                            ::testing::Values(1u, 2u, 3u), ::testing::Values(1u)),
                         parameters_name);
// Threads belong to a device: several devices with several threads each would show nothing more,
// and take minutes where other programs use the cores, too.
INSTANTIATE_TEST_SUITE_P(LenetThreads, Optimizers,
                         ::testing::Combine(::testing::Values("replicated"), ::testing::Values(1u),
                                            ::testing::ValuesIn(golden_threads(2))),
                         parameters_name);

}  // namespace
}  // namespace convoy::testing
