#include "core/runtime/training_loop.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "core/base/error.hpp"
#include "core/train/optimizer.hpp"
#include "tests/devices/fake/fake_device.hpp"
#include "tests/devices/fake/fake_program.hpp"
#include "tests/runtime/lagging_strategy.hpp"
#include "tests/runtime/plugins.hpp"
#include "tests/runtime/small_models.hpp"
#include "tests/runtime/training.hpp"

namespace convoy::testing {
namespace {

using runtime::PausePoint;
using runtime::SessionOptions;
using runtime::TrainingSummary;
using ::testing::ElementsAre;

constexpr std::uint32_t kReplicas = 2;

SessionOptions scalar_options() {
  SessionOptions options;
  options.batch = 2;
  options.optimizer = train::make_optimizer({}, kReplicas);
  return options;
}

NumberSource tenths() {
  return {{kReplicas, 2, 1}, [](std::int64_t image) { return static_cast<float>(image) / 10; }};
}

// The two-scalar model on devices whose losses say which step they belong to.
class TrainingLoop : public ::testing::Test {
 protected:
  void start(const SessionOptions& options, const std::string& name = "replicated",
             const plugin::OptionValues& values = {}, const FakeOptions& fake = {}) {
    session_.reset();
    devices_ = fake_plugin(fake);
    strategy_ = strategy_plugin(host_, name, values);
    session_ = std::make_unique<runtime::Session>(two_scalars(), *strategy_,
                                                  open_devices(*devices_, kReplicas), options);
    events_.warmup_step = [this](const TrainingStep& step) { steps_.push_back(step); };
    events_.timed_step = events_.warmup_step;
  }

  TrainingSummary run(std::int64_t warmup, std::int64_t timed, std::int64_t first = 0) {
    return runtime::run_training(*session_, source_, constant_rate(0.01), {warmup, timed, first},
                                 events_);
  }

  std::vector<std::int64_t> numbers() const {
    std::vector<std::int64_t> result;
    for (const TrainingStep& step : steps_) result.push_back(step.number);
    return result;
  }

  plugin::PluginHost host_;
  std::unique_ptr<plugin::DevicePlugin> devices_;
  std::unique_ptr<plugin::StrategyPlugin> strategy_;
  std::unique_ptr<runtime::Session> session_;
  NumberSource source_ = tenths();
  runtime::TrainingEvents events_;
  std::vector<TrainingStep> steps_;
};

TEST_F(TrainingLoop, NumbersWarmUpBackwardsAndTimedStepsFromOne) {
  start(scalar_options());
  std::size_t finished_at_warmed_up = 0;
  events_.warmed_up = [&] { finished_at_warmed_up = steps_.size(); };
  const TrainingSummary summary = run(3, 4);
  EXPECT_THAT(numbers(), ElementsAre(-3, -2, -1, 1, 2, 3, 4));
  EXPECT_EQ(finished_at_warmed_up, 3u);
  EXPECT_EQ(summary.timed_steps, 4);
  EXPECT_FALSE(summary.stopped);
  EXPECT_EQ(source_.held(), 0u);
}

TEST_F(TrainingLoop, ReportsTheMeanLossOfTheStepsOwnBatches) {
  for (const plugin::OptionValues& values :
       {plugin::OptionValues{}, plugin::OptionValues{{"variable_consistency", "relaxed"}}}) {
    steps_.clear();
    start(scalar_options(), "replicated", values);
    run(2, 5, 40);  // labels are the numbers of the source's steps
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const auto label = static_cast<std::int32_t>(40 + i);
      const double expected = (fake_loss(0, i, label) + fake_loss(1, i, label)) / 2;
      EXPECT_DOUBLE_EQ(steps_[i].base_loss, expected) << "step " << i;
    }
  }
}

TEST_F(TrainingLoop, TimesStepsFromCompletionToCompletion) {
  start(scalar_options(), "replicated", {}, {.delay_microseconds = 2000});
  const TrainingSummary summary = run(2, 6);
  double total = 0;
  for (const TrainingStep& step : steps_) {
    EXPECT_GT(step.seconds, 0) << step.number;
    EXPECT_LT(step.seconds, 5) << step.number;  // the first one, too: not since the clock began
    if (step.number > 0) total += step.seconds;
  }
  EXPECT_NEAR(summary.total_seconds, total, 1e-9);
}

// A step's last operation may end behind the next step's; an end that goes back is no time.
TEST_F(TrainingLoop, AStepEndsAfterTheOneBeforeIt) {
  devices_ = fake_plugin({.shared_memory = true});
  strategy_ = trailing_strategy();
  session_ = std::make_unique<runtime::Session>(
      two_scalars(), *strategy_, open_devices(*devices_, kReplicas), scalar_options());
  std::vector<double> last_operations;
  events_.warmup_step = [&](const TrainingStep& step) { steps_.push_back(step); };
  events_.timed_step = events_.warmup_step;
  events_.wants_timed_trace = [](const TrainingStep&) { return true; };
  events_.timed_trace = [&](const runtime::StepTrace& step) {
    double end = 0;
    for (const runtime::OperationTime& it : step.operations) end = std::max(end, it.timing.end);
    last_operations.push_back(end);
  };
  const TrainingSummary summary = run(2, 8);
  EXPECT_FALSE(std::ranges::is_sorted(last_operations)) << "otherwise this tests nothing";
  double total = 0;
  for (const TrainingStep& step : steps_) {
    EXPECT_GT(step.seconds, 0) << step.number;
    if (step.number > 0) total += step.seconds;
  }
  EXPECT_NEAR(summary.total_seconds, total, 1e-9);
}

TEST_F(TrainingLoop, TracesTheStepBeforeTheLastWarmUpStepOrTheFirstTimedOne) {
  start(scalar_options());
  std::vector<std::size_t> traced_after;
  std::size_t operations = 0;
  events_.trace = [&](const runtime::StepTrace& step) {
    traced_after.push_back(steps_.size());
    operations = step.operations.size();
  };
  run(4, 3);
  EXPECT_THAT(traced_after, ElementsAre(2u));  // steps -4 and -3 are reported, this is -2
  EXPECT_EQ(operations, session_->lowered_plan().body.size());
  traced_after.clear();
  steps_.clear();
  run(1, 3);
  EXPECT_THAT(traced_after, ElementsAre(1u));  // the warm-up step is reported, this is step 1
}

TEST_F(TrainingLoop, StopsWhenAskedAndFinishesWhatIsOpen) {
  start(scalar_options());
  events_.stop_requested = [&] { return !steps_.empty() && steps_.back().number >= 3; };
  const TrainingSummary summary = run(2, 100);
  EXPECT_TRUE(summary.stopped);
  EXPECT_EQ(source_.held(), 0u);
  EXPECT_EQ(source_.acquired(), std::int64_t{kReplicas} * static_cast<std::int64_t>(steps_.size()));
  EXPECT_EQ(summary.timed_steps, steps_.back().number);
  EXPECT_LE(summary.timed_steps, 3 + session_->executor().steps_in_flight());
}

TEST_F(TrainingLoop, PausesWithNothingOpenAndGoesOn) {
  start(scalar_options());
  std::vector<std::int64_t> asked;
  std::vector<std::int64_t> paused;
  events_.pause_after = [&](const PausePoint& point) {
    asked.push_back(point.timed_step);
    return point.timed_step == 2 || point.timed_step == 5;
  };
  events_.paused = [&](const PausePoint& point) {
    EXPECT_EQ(source_.held(), 0u);
    EXPECT_EQ(steps_.back().number, point.timed_step);
    EXPECT_EQ(point.global_step, 40 + 3 + point.timed_step);
    paused.push_back(point.timed_step);
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    return true;
  };
  const TrainingSummary summary = run(3, 5, 40);
  EXPECT_THAT(asked, ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(paused, ElementsAre(2, 5));
  EXPECT_THAT(numbers(), ElementsAre(-3, -2, -1, 1, 2, 3, 4, 5));
  EXPECT_FALSE(summary.ended_early);
  EXPECT_EQ(summary.global_step, 48);
  double steps = 0;
  for (const TrainingStep& step : steps_) steps += step.number > 0 ? step.seconds : 0;
  EXPECT_GE(summary.total_seconds, steps + 0.06);
}

TEST_F(TrainingLoop, EndsWhenThePauseSaysSo) {
  start(scalar_options());
  events_.pause_after = [](const PausePoint& point) { return point.timed_step % 2 == 0; };
  events_.paused = [](const PausePoint& point) { return point.timed_step < 4; };
  const TrainingSummary summary = run(1, 100);
  EXPECT_TRUE(summary.ended_early);
  EXPECT_FALSE(summary.stopped);
  EXPECT_EQ(summary.timed_steps, 4);
  EXPECT_EQ(source_.held(), 0u);
}

TEST_F(TrainingLoop, PausingChangesNoLoss) {
  const auto losses = [&] {
    steps_.clear();
    start(scalar_options(), "replicated", {{"variable_consistency", "relaxed"}});
    run(0, 6);
    std::vector<double> result;
    for (const TrainingStep& step : steps_) result.push_back(step.base_loss);
    return result;
  };
  const std::vector<double> expected = losses();
  events_.pause_after = [](const PausePoint&) { return true; };
  EXPECT_EQ(losses(), expected);
}

TEST_F(TrainingLoop, CanStopDuringWarmUp) {
  start(scalar_options());
  events_.stop_requested = [] { return true; };
  const TrainingSummary summary = run(10, 10);
  EXPECT_TRUE(summary.stopped);
  EXPECT_EQ(summary.timed_steps, 0);
  EXPECT_EQ(source_.held(), 0u);
}

TEST_F(TrainingLoop, CountsTheTimeSpentWaitingForInput) {
  start(scalar_options());
  source_.before_acquire = [](std::int64_t step) {
    if (step == 1 || step == 3) std::this_thread::sleep_for(std::chrono::milliseconds(300));
  };
  const TrainingSummary summary = run(2, 3);
  // Two replicas wait 0.6 s; what the step before still ran meanwhile is no waiting.
  EXPECT_GE(steps_[1].input_wait_seconds, 0.4);
  EXPECT_GE(steps_[3].input_wait_seconds, 0.4);
  EXPECT_LT(steps_[4].input_wait_seconds, 0.25);
  double timed = 0;  // warm-up does not count
  for (const TrainingStep& step : steps_) timed += step.number > 0 ? step.input_wait_seconds : 0;
  EXPECT_DOUBLE_EQ(summary.input_wait_seconds, timed);
}

TEST_F(TrainingLoop, AccuracyIsAFractionOfTheStepsImages) {
  SessionOptions options = scalar_options();
  start(options);
  run(0, 1);
  EXPECT_FALSE(steps_[0].top_1.has_value());
  steps_.clear();
  options.accuracy = true;
  start(options);
  run(0, 2);
  // Fake devices count 1 and 2 hits in their first step, 2 and 4 in their second; 2 images each.
  EXPECT_DOUBLE_EQ(steps_[0].top_1.value(), 0.5);
  EXPECT_DOUBLE_EQ(steps_[0].top_5.value(), 1.0);
  EXPECT_DOUBLE_EQ(steps_[1].top_1.value(), 1.0);
}

TEST_F(TrainingLoop, TheTotalLossHasAnL2TermFromTheFirstStepOn) {
  SessionOptions options = scalar_options();
  options.optimizer.weight_decay = 0.5;
  start(options);
  run(0, 2);
  EXPECT_DOUBLE_EQ(steps_[0].total_loss - steps_[0].base_loss, 0.5 * (1 + 4) / 2);
}

TEST_F(TrainingLoop, AFailingDeviceEndsTheRunBeforeTheBatchesGo) {
  start(scalar_options(), "parameter_server", {},
        {.delay_microseconds = 200, .fail_device = 1, .fail_operation = 30});
  EXPECT_THROW(run(0, 50), Error);
  EXPECT_TRUE(session_->executor().drain());
}

// In a process of its own: what the device might touch is left to the end of it.
TEST_F(TrainingLoop, AHungDeviceLetsTheErrorOut) {
  const auto train = [this] {
    SessionOptions options = scalar_options();
    options.executor.deadline_seconds = 0.1;
    start(options, "replicated", {},
          {.hang_device = 0, .hang_operation = 9, .hang_milliseconds = 600000});
    ExitCode code = ExitCode::kOk;
    try {
      run(0, 50);
    } catch (const Error& error) {
      code = error.code();
    }
    session_.reset();  // does not wait for the device
    _exit(static_cast<int>(code));
  };
  EXPECT_EXIT(train(), ::testing::ExitedWithCode(static_cast<int>(ExitCode::kTimeout)), "");
}

TEST_F(TrainingLoop, AFailingInputEndsTheRun) {
  start(scalar_options());
  source_.before_acquire = [](std::int64_t step) {
    if (step == 4) fail(ExitCode::kFailed, "no more records");
  };
  EXPECT_THROW(run(0, 50), Error);
  EXPECT_GE(steps_.size(), 2u);
}

}  // namespace
}  // namespace convoy::testing
