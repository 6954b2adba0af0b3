#include <convoy/sized.hpp>

#include <gtest/gtest.h>

#include <cmath>

#include "tests/devices/device_under_test.hpp"

namespace convoy::test {
namespace {

struct Rule {
  const char* name;
  std::uint32_t kind;
  double clip;
};

// The formulas of abi/device.h in float64, for one element.
struct Element {
  double w, first = 0.0, second = 0.0;

  void apply(const convoy_optimizer& o, double g, double rate, double t) {
    switch (o.kind) {
      case CONVOY_OPTIMIZER_SGD:
        w -= rate * g;
        break;
      case CONVOY_OPTIMIZER_MOMENTUM:
        first = o.momentum * first + g;
        w -= rate * (g + o.momentum * first);
        break;
      case CONVOY_OPTIMIZER_RMSPROP:
        first = o.decay * first + (1 - o.decay) * g * g;
        second = o.momentum * second + rate * g / std::sqrt(first + o.epsilon);
        w -= second;
        break;
      default:
        first = o.beta1 * first + (1 - o.beta1) * g;
        second = o.beta2 * second + (1 - o.beta2) * g * g;
        w -= rate * std::sqrt(1 - std::pow(o.beta2, t)) / (1 - std::pow(o.beta1, t)) * first /
             (std::sqrt(second) + o.epsilon);
    }
  }
};

convoy_optimizer optimizer_of(const Rule& rule) {
  auto optimizer = make_sized<convoy_optimizer>();
  optimizer.kind = rule.kind;
  optimizer.momentum = 0.9;
  optimizer.decay = 0.9;
  optimizer.beta1 = 0.9;
  optimizer.beta2 = 0.999;
  // Large: with a tiny one, Adam turns the rounding of a vanishing gradient into a whole step.
  optimizer.epsilon = rule.kind == CONVOY_OPTIMIZER_ADAM ? 0.01 : 1.0;
  optimizer.weight_decay = 0.1;
  optimizer.clip = rule.clip;
  optimizer.gradient_scale = 0.5;
  return optimizer;
}

// An update of 70001 parameters with three gradient sums, weight decay on two ranges.
struct UpdateCase {
  explicit UpdateCase(const Rule& rule) : optimizer(optimizer_of(rule)) {
    update.struct_size = sizeof update;
    update.optimizer = &optimizer;
    update.contributions = 3;
    update.state[0] = state[0].data();
    update.state[1] = state[1].data();
    update.decayed = decayed;
    update.decayed_count = 2;
    update.square_sum = &square_sum;
  }
  bool is_decayed(std::size_t i) const { return (i >= 5 && i < 105) || (i >= 3000 && i < 66000); }
  void step(DeviceUnderTest& device, std::vector<float>& gradient, std::uint64_t number) {
    const convoy_region read = region(gradient), write = region(parameters);
    convoy_submission submission = operation(CONVOY_OP_APPLY, {&read, 1}, {&write, 1});
    const convoy_update* const updates[] = {&update};
    submission.updates = updates;
    submission.update_count = 1;
    submission.learning_rate = 0.05;
    submission.step = number;
    device.run(submission);
  }

  static constexpr std::size_t kCount = 70001;
  convoy_optimizer optimizer;
  std::vector<float> parameters = noise(kCount, 1);
  std::vector<float> state[2] = {std::vector<float>(kCount), std::vector<float>(kCount)};
  convoy_decay_range decayed[2] = {{5, 100}, {3000, 63000}};
  double square_sum = -1.0;
  convoy_update update{};
};

class Optimizers : public testing::TestWithParam<Rule> {};

TEST_P(Optimizers, FollowTheirFormulasForThreeSteps) {
  DeviceUnderTest device;
  UpdateCase update(GetParam());
  std::vector<Element> expected;
  for (float value : update.parameters) expected.push_back({static_cast<double>(value)});
  for (std::uint32_t step = 0; step < 3; ++step) {
    std::vector<float> gradient = noise(UpdateCase::kCount, 20 + step);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const double decay = update.is_decayed(i) ? 0.1 * expected[i].w : 0.0;
      double g = 0.5 * (static_cast<double>(gradient[i]) / 3.0 + decay);
      if (GetParam().clip > 0) g = std::clamp(g, -GetParam().clip, GetParam().clip);
      expected[i].apply(update.optimizer, g, 0.05, step + 1.0);
    }
    update.step(device, gradient, step);
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(update.parameters[i], expected[i].w, 1e-6 * std::max(1.0, std::fabs(expected[i].w)))
        << "element " << i;
  }
}

TEST_P(Optimizers, ReportSquaresOfDecayedParametersBeforeTheUpdate) {
  DeviceUnderTest device;
  UpdateCase update(GetParam());
  double expected = 0.0;
  for (std::size_t i = 0; i < UpdateCase::kCount; ++i) {
    const double value = static_cast<double>(update.parameters[i]);
    if (update.is_decayed(i)) expected += value * value;
  }
  std::vector<float> gradient = noise(UpdateCase::kCount, 20);
  update.step(device, gradient, 0);
  EXPECT_NEAR(update.square_sum, expected, 1e-9 * expected);
}

// Three gradients for two sets of parameters, in one go and one after the other.
TEST_P(Optimizers, JoinSumAndUpdatesWithoutChangingABit) {
  DeviceUnderTest device;
  UpdateCase first(GetParam()), second(GetParam()), apart(GetParam());
  second.parameters = noise(UpdateCase::kCount, 2);
  for (std::uint32_t step = 0; step < 2; ++step) {
    std::vector<float> gradients[3];
    std::vector<float> total(UpdateCase::kCount);
    for (std::uint32_t g = 0; g < 3; ++g) {
      gradients[g] = noise(UpdateCase::kCount, 30 + 3 * step + g);
      for (std::size_t i = 0; i < total.size(); ++i) {
        total[i] = g == 0 ? gradients[0][i] : total[i] + gradients[g][i];
      }
    }
    const convoy_region reads[] = {region(gradients[0]), region(gradients[1]),
                                   region(gradients[2])};
    const convoy_region writes[] = {region(second.parameters), region(first.parameters)};
    const convoy_update* const updates[] = {&second.update, &first.update};
    convoy_submission submission = operation(CONVOY_OP_APPLY, reads, writes);
    submission.updates = updates;
    submission.update_count = 2;
    submission.learning_rate = 0.05;
    submission.step = step;
    device.run(submission);
    apart.step(device, total, step);
  }
  EXPECT_EQ(first.parameters, apart.parameters);
  EXPECT_EQ(first.state[0], apart.state[0]);
  EXPECT_EQ(first.state[1], apart.state[1]);
  EXPECT_NE(first.parameters, second.parameters);
}

INSTANTIATE_TEST_SUITE_P(All, Optimizers,
                         testing::Values(Rule{"sgd", CONVOY_OPTIMIZER_SGD, 0.0},
                                         Rule{"sgd_clipped", CONVOY_OPTIMIZER_SGD, 0.1},
                                         Rule{"momentum", CONVOY_OPTIMIZER_MOMENTUM, 0.0},
                                         Rule{"rmsprop", CONVOY_OPTIMIZER_RMSPROP, 0.0},
                                         Rule{"adam", CONVOY_OPTIMIZER_ADAM, 0.0},
                                         Rule{"adam_clipped", CONVOY_OPTIMIZER_ADAM, 0.1}),
                         [](const testing::TestParamInfo<Rule>& rule) {
                           return std::string(rule.param.name);
                         });

}  // namespace
}  // namespace convoy::test
