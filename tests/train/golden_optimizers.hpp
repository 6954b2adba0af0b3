#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/text/json.hpp"
#include "core/train/optimizer.hpp"
#include "tests/train/optimizer_kind.hpp"

namespace convoy::testing {

// tests/golden/optimizers.json: what TensorFlow's formulas make of three small variables, which lie
// one behind the other in all arrays here.
class GoldenOptimizers {
 public:
  GoldenOptimizers() : file_(read()) {
    for (const auto& variable : file_.at("variables")) {
      const auto values = variable.at("initial").get<std::vector<double>>();
      if (variable.at("decayed")) decayed_.push_back({initial_.size(), values.size()});
      initial_.insert(initial_.end(), values.begin(), values.end());
    }
  }

  std::size_t cases() const { return file_.at("cases").size(); }
  std::size_t steps() const { return file_.at("learning_rates").size(); }
  std::uint32_t replicas() const { return file_.at("replicas"); }
  double learning_rate(std::size_t step) const { return file_.at("learning_rates").at(step); }
  const std::vector<double>& initial() const { return initial_; }
  const std::vector<convoy_decay_range>& decayed() const { return decayed_; }
  bool is_decayed(std::size_t element) const {
    for (const convoy_decay_range& range : decayed_)
      if (element >= range.first && element < range.first + range.count) return true;
    return false;
  }

  std::vector<double> gradient(std::size_t step, std::uint32_t replica) const {
    std::vector<double> all;
    for (const auto& variable : file_.at("variables"))
      append(variable.at("gradients").at(step).at(replica), all);
    return all;
  }
  std::vector<double> gradient_sum(std::size_t step) const {
    std::vector<double> sum(initial_.size());
    for (std::uint32_t replica = 0; replica < replicas(); ++replica) {
      const std::vector<double> part = gradient(step, replica);
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part[i];
    }
    return sum;
  }

  convoy_optimizer optimizer(std::size_t index) const {
    const auto& values = file_.at("hyperparameters");
    const auto& it = file_.at("cases").at(index);
    OptimizerOptions options;
    options.kind = optimizer_kind(it.at("optimizer").get<std::string>());
    options.momentum = values.at("momentum");
    options.rmsprop_decay = values.at("rmsprop_decay");
    options.rmsprop_momentum = values.at("rmsprop_momentum");
    options.rmsprop_epsilon = values.at("rmsprop_epsilon");
    options.adam_beta1 = values.at("adam_beta1");
    options.adam_beta2 = values.at("adam_beta2");
    options.adam_epsilon = values.at("adam_epsilon");
    options.weight_decay = it.at("weight_decay");
    if (!it.at("gradient_clip").is_null()) options.gradient_clip = it.at("gradient_clip");
    if (it.at("gradient_scale") == "sum") options.gradient_scale = GradientScale::kSum;
    return train::make_optimizer(options, replicas());
  }
  std::string name(std::size_t index) const {
    const auto& it = file_.at("cases").at(index);
    return it.at("optimizer").get<std::string>() + ", decay " + it.at("weight_decay").dump() +
           ", clip " + it.at("gradient_clip").dump() + ", " +
           it.at("gradient_scale").get<std::string>();
  }

  // Parameters after step `step` of a case.
  template <typename Numbers>
  void expect_parameters(std::size_t index, std::size_t step, const Numbers& actual,
                         double tolerance) const {
    std::vector<double> expected;
    const auto& parameters = file_.at("cases").at(index).at("parameters").at(step);
    for (const auto& variable : file_.at("variables"))
      append(parameters.at(variable.at("name").get<std::string>()), expected);
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(actual[i], expected[i], tolerance * std::max(1.0, std::abs(expected[i])))
          << name(index) << ", step " << step << ", element " << i;
  }

 private:
  static nlohmann::json read() {
    std::ifstream in(CONVOY_SOURCE_DIR "/tests/golden/optimizers.json");
    return parse_json(in);
  }
  static void append(const nlohmann::json& numbers, std::vector<double>& to) {
    for (const auto& number : numbers) to.push_back(number);
  }

  nlohmann::json file_;
  std::vector<double> initial_;
  std::vector<convoy_decay_range> decayed_;
};

}  // namespace convoy::testing
