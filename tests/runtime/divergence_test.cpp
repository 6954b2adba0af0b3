#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "core/base/error.hpp"
#include "core/runtime/step_describer.hpp"
#include "core/runtime/training_loop.hpp"
#include "core/train/optimizer.hpp"
#include "tests/runtime/plugins.hpp"
#include "tests/runtime/small_models.hpp"
#include "tests/runtime/training.hpp"

namespace convoy::testing::divergence_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::uint32_t kReplicas = 2;

// The two-scalar model on real devices; images are numbers until the fifth step.
class DivergingLoop : public ::testing::Test {
 protected:
  static runtime::SessionOptions options() {
    runtime::SessionOptions options;
    options.batch = 2;
    options.optimizer = train::make_optimizer({}, kReplicas);
    return options;
  }

  runtime::TrainingSummary run(bool tolerate) {
    NumberSource source({kReplicas, 2, 1}, [](std::int64_t image) {
      return image < 16 ? 0.5f : std::numeric_limits<float>::quiet_NaN();
    });
    runtime::TrainingEvents events;
    events.timed_step = [this](const TrainingStep& step) { seen_.push_back(step.number); };
    return runtime::run_training(session_, source, constant_rate(0.01), {1, 6, 0, tolerate},
                                 events);
  }

  plugin::PluginHost host_;
  std::unique_ptr<plugin::DevicePlugin> devices_ = cpu_plugin(host_);
  std::unique_ptr<plugin::StrategyPlugin> strategy_ = strategy_plugin(host_, "replicated");
  runtime::Session session_{two_scalars(), *strategy_, open_devices(*devices_, kReplicas),
                            options()};
  std::vector<std::int64_t> seen_;
};

TEST_F(DivergingLoop, ALossThatIsNotANumberEndsTheRunAfterTheStepsBefore) {
  try {
    run(false);
    FAIL() << "went on";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kNumerical);
    EXPECT_THAT(error.what(), HasSubstr("step 4 is not a finite number (nan) at learning rate"));
  }
  EXPECT_THAT(seen_, ElementsAre(1, 2, 3));
}

std::string refusal(const TrainingStep& step, std::int64_t warmup_steps) {
  runtime::TrainingSummary summary;
  try {
    runtime::note_divergence(step, {.warmup_steps = warmup_steps}, summary);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(RefusedLoss, HasNoSignWhenItIsNoNumber) {
  TrainingStep step;
  step.base_loss = -std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(refusal(step, 0), HasSubstr("not a finite number (nan)"));
}

// A ReLU makes 0 of NaN: the loss of images may stay finite when parameters are not.
TEST(RefusedLoss, IsThatOfParametersThatAreNoNumbers) {
  TrainingStep step;
  step.base_loss = 6.8;
  step.total_loss = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(refusal(step, 0), HasSubstr("not a finite number (nan)"));
  step.total_loss = 7.1;
  EXPECT_EQ(refusal(step, 0), "");
}

TEST(RefusedLoss, CountsWarmUpStepsFromOne) {
  const auto said = [](std::int64_t number) {
    TrainingStep step;
    step.number = number;
    step.base_loss = std::numeric_limits<double>::infinity();
    return refusal(step, 10);
  };
  EXPECT_THAT(said(-10), HasSubstr("the loss of warm-up step 1 is not"));
  EXPECT_THAT(said(-1), HasSubstr("the loss of warm-up step 10 is not"));
  EXPECT_THAT(said(1), HasSubstr("the loss of step 1 is not"));
}

TEST_F(DivergingLoop, ATolerantRunGoesOnAndSaysSince) {
  const runtime::TrainingSummary summary = run(true);
  EXPECT_EQ(summary.diverged, 4);
  EXPECT_THAT(seen_, ElementsAre(1, 2, 3, 4, 5, 6));
}

}  // namespace
}  // namespace convoy::testing::divergence_test
