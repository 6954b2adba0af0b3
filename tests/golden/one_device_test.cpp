// Every network on one device against what an independent implementation computed in float64. With
// several threads, too, where all gradients are looked at: they depend on every value of the
// forward pass, and what optimizers do with several threads is in optimizers_test.cpp.
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/numbers/hash_fill.hpp"
#include "tests/golden/golden_file.hpp"
#include "tests/golden/golden_models.hpp"
#include "tests/golden/golden_run.hpp"
#include "tests/golden/logits_probe.hpp"
#include "tests/golden/numbers.hpp"
#include "tests/models/plugin_graph.hpp"

namespace convoy::testing {
namespace {

using nlohmann::json;

constexpr std::uint32_t kLogitsKey = 900001;
constexpr std::uint32_t kFirstGradientKey = 5001;

class OneDevice : public ::testing::TestWithParam<ModelAndThreads> {
 protected:
  graph::Graph graph() const {
    return test::load_model(model(), golden_.at("classes").get<std::uint32_t>()).graph;
  }
  std::string model() const { return std::get<0>(GetParam()); }
  GoldenRunOptions options(const OptimizerOptions& optimizer = {}) const {
    return {.optimizer = optimizer, .threads = std::get<1>(GetParam())};
  }
  double tolerance(const std::string& name) const { return golden_.at("tolerance").at(name); }
  std::uint32_t seed() const { return golden_.at("seed"); }

  void check_gradients(GoldenRun& run) const;
  void check_moving_statistics(GoldenRun& run) const;
  void check_trajectory(const json& reference, const std::string& tolerances) const;

  const json golden_ = read_golden(model());
};

void OneDevice::check_gradients(GoldenRun& run) const {
  const std::vector<float> arena = run.gradient_arena();
  for (const json& variable : golden_.at("variables")) {
    const std::uint32_t k = variable.at("k");
    const Projection actual = project(run.plain(arena, k), kFirstGradientKey + k, seed());
    if (variable.contains("g_bound")) {
      EXPECT_LE(actual.norm, variable.at("g_bound").get<double>()) << variable.at("name");
      continue;
    }
    const double norm = variable.at("g_l2");
    const double dot = variable.at("g_dot");
    EXPECT_LE(norm_deviation(actual.norm, norm), variable.at("tol")[0].get<double>())
        << variable.at("name") << ": norm " << actual.norm << ", reference " << norm;
    EXPECT_LE(std::fabs(actual.dot - dot) / norm, variable.at("tol")[1].get<double>())
        << variable.at("name") << ": dot product " << actual.dot << ", reference " << dot;
  }
}

void OneDevice::check_moving_statistics(GoldenRun& run) const {
  const std::vector<float> state = run.session().memory().read_replica_state(0);
  std::size_t first = 0;
  for (const json& norm : golden_.at("bn_after_step1")) {
    const std::size_t channels = norm.at("channels");
    const double decay =
        norm.contains("decay") ? norm.at("decay") : golden_.at("bn_config").at("decay");
    double mean = 0;
    double variance = 0;
    double batch_variance = 0;
    for (std::size_t i = first; i < first + channels; ++i) {
      mean += std::pow(state[i], 2);
      variance += std::pow(state[channels + i], 2);
      batch_variance += std::pow((state[channels + i] - decay) / (1 - decay), 2);
    }
    EXPECT_LE(norm_deviation(std::sqrt(mean), norm.at("rm_l2")), tolerance("bn_rm_l2"))
        << norm << " mean " << std::sqrt(mean);
    EXPECT_LE(norm_deviation(std::sqrt(variance), norm.at("rv_l2")), tolerance("bn_rv_l2"))
        << norm << " variance " << std::sqrt(variance);
    EXPECT_LE(norm_deviation(std::sqrt(batch_variance), norm.at("batch_var_l2")),
              tolerance("bn_batch_var_l2"))
        << norm << " batch variance " << std::sqrt(batch_variance);
    first += 2 * channels;
  }
  EXPECT_EQ(first, state.size());
}

void OneDevice::check_trajectory(const json& reference, const std::string& name) const {
  const OptimizerOptions optimizer = momentum_optimizer(reference);
  GoldenRun run(golden_, graph(), options(optimizer));
  const std::vector<TrainingStep> steps = run.train(reference.at("lr"), 4);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    // The decay check states one tolerance for all steps, the other one for each.
    const std::string own = i == 0 ? "loss" : name + "_loss" + std::to_string(i);
    const bool common = i > 0 && !golden_.at("tolerance").contains(own);
    const double allowed = tolerance(common ? name + "_loss" : own);
    const double base = reference.at("base_loss")[i];
    const double total = reference.at("total_loss")[i];
    const double squares = reference.at("l2_term")[i];
    const double actual_squares =
        (steps[i].total_loss - steps[i].base_loss) / optimizer.weight_decay;
    EXPECT_LE(loss_deviation(steps[i].base_loss, base), allowed)
        << "step " << i << ": " << steps[i].base_loss << ", reference " << base;
    EXPECT_LE(loss_deviation(steps[i].total_loss, total),
              std::max(allowed, tolerance(name + "_l2_term")))
        << "step " << i << ": " << steps[i].total_loss << ", reference " << total;
    EXPECT_LE(norm_deviation(actual_squares, squares), tolerance(name + "_l2_term"))
        << "step " << i << ": " << actual_squares << ", reference " << squares;
  }
}

// Says where to look when the loss is wrong, which the gradients of a large model show, too: that
// of the last bias is the difference between the probabilities and the label.
class OneDeviceLogits : public OneDevice {};

TEST_P(OneDeviceLogits, LogitsAgree) {
  GoldenRun run(golden_, with_logits_probe(graph()), options());
  const std::vector<float> logits = read_logits(run);
  const Projection actual = project(logits, kLogitsKey, seed());
  double sum = 0;
  for (const float logit : logits) sum += logit;
  const json& reference = golden_.at("step0");
  const double norm = reference.at("logits_l2");
  EXPECT_LE(norm_deviation(actual.norm, norm), tolerance("logits_l2")) << actual.norm;
  EXPECT_LE(std::fabs(sum - reference.at("logits_sum").get<double>()) / norm,
            tolerance("logits_sum"))
      << sum << ", reference " << reference.at("logits_sum");
  EXPECT_LE(std::fabs(actual.dot - reference.at("logits_dot").get<double>()) / norm,
            tolerance("logits_dot"))
      << actual.dot << ", reference " << reference.at("logits_dot");
}

class OneDeviceGradients : public OneDevice {};

TEST_P(OneDeviceGradients, StatisticsAndPlainStepsAgree) {
  GoldenRun run(golden_, graph(), options(plain_optimizer()));
  const json& reference = golden_.at("sgd");
  std::vector<TrainingStep> steps = run.train(reference.at("lr"), 1);
  check_gradients(run);
  check_moving_statistics(run);
  // With several threads, large models take the second step only: it sees what the first has made.
  const std::int64_t more = is_large(model()) && std::get<1>(GetParam()) > 1 ? 1 : 3;
  for (const TrainingStep& step : run.train(reference.at("lr"), more)) steps.push_back(step);
  EXPECT_LE(loss_deviation(steps[0].base_loss, golden_.at("step0").at("loss")), tolerance("loss"))
      << steps[0].base_loss;
  for (std::size_t i = 1; i < steps.size(); ++i)
    EXPECT_LE(loss_deviation(steps[i].base_loss, reference.at("loss")[i]),
              tolerance("sgd_loss" + std::to_string(i)))
        << "step " << i << ": " << steps[i].base_loss << ", reference " << reference.at("loss")[i];
}

TEST_P(OneDevice, MomentumWithWeightDecayAgrees) {
  check_trajectory(golden_.at("momentum"), "momentum");
}

class StrongDecay : public OneDevice {};

TEST_P(StrongDecay, ShowsWhichVariablesDecay) {
  check_trajectory(golden_.at("decay_check"), "decay_check");
}

std::vector<std::string> small_models() {
  std::vector<std::string> models = golden_models();
  std::erase_if(models, is_large);
  return models;
}

// An optimizer does not know the network, and which variables decay is tests/models' question: of
// the large models, one with batch norm and one with very large variables stand for all.
std::vector<std::string> momentum_models() {
  std::vector<std::string> models = small_models();
  models.insert(models.end(), {"alexnet", "resnet50"});
  return models;
}

INSTANTIATE_TEST_SUITE_P(Models, OneDevice, ::testing::ValuesIn(golden_cases(momentum_models())),
                         case_name);
INSTANTIATE_TEST_SUITE_P(Models, OneDeviceLogits, ::testing::ValuesIn(golden_cases(small_models())),
                         case_name);
INSTANTIATE_TEST_SUITE_P(Models, OneDeviceGradients,
                         ::testing::ValuesIn(golden_cases_on_all_threads()), case_name);
INSTANTIATE_TEST_SUITE_P(Models, StrongDecay,
                         ::testing::ValuesIn(golden_cases(golden_models("decay_check"))),
                         case_name);

}  // namespace
}  // namespace convoy::testing
