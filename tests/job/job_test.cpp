#include <convoy/job.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tests/scratch_folder.hpp"

namespace convoy::job_test {
namespace {

using ::testing::HasSubstr;

JobOptions small_job() {
  JobOptions options;
  options.model = "lenet";
  options.device = "cpu";
  options.num_devices = 2;
  options.threads_per_device = 1;
  options.batch_size = 2;
  options.num_batches = 3;
  options.num_warmup_batches = 1;
  options.variable_update = "replicated";
  options.plugin_options["all_reduce_spec"] = "xring";
  options.learning_rate.init_learning_rate = 1e-4;
  options.print_parameter_hash = true;
  options.plugin_path = CONVOY_OWN_PLUGINS;
  return options;
}

struct Watcher : JobObserver {
  void timed_step(const TrainingStep& step) override { losses.push_back(step.total_loss); }
  void notice(const std::string& text) override { notices.push_back(text); }
  bool stop_requested() override { return losses.size() >= stop_after; }

  std::size_t stop_after = 1000;
  std::vector<double> losses;
  std::vector<std::string> notices;
};

ExitCode failure_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_STRNE(error.what(), "");
    return error.code();
  }
  return ExitCode::kOk;
}

TEST(Job, TrainsWhatItPlans) {
  Job job(small_job());
  const PlannedJob planned = job.plan();
  EXPECT_TRUE(planned.right);
  EXPECT_EQ(planned.verdict, "synchronous");
  EXPECT_THAT(planned.strategy, HasSubstr("--all_reduce_spec=xring"));
  EXPECT_THAT(planned.logical, HasSubstr("apply"));
  EXPECT_THAT(planned.lowered, HasSubstr("cpu:1"));
  Watcher watcher;
  const JobResult result = job.run(watcher);
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_EQ(result.plan_hash, planned.hash);
  EXPECT_EQ(result.strategy, "replicated");
  EXPECT_EQ(result.devices.size(), 2u);
  EXPECT_EQ(result.global_batch, 4);
  ASSERT_EQ(result.steps.size(), 3u);
  ASSERT_EQ(watcher.losses.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(result.steps[i].total_loss, watcher.losses[i]);
    EXPECT_TRUE(std::isfinite(watcher.losses[i]));
  }
  EXPECT_EQ(result.parameter_hash, Job(small_job()).run().parameter_hash);
}

TEST(Job, KeepsStepsOnlyForWhoWantsThem) {
  JobOptions options = small_job();
  options.keep_steps = false;
  Watcher watcher;
  const JobResult result = Job(options).run(watcher);
  EXPECT_EQ(watcher.losses.size(), 3u);
  EXPECT_TRUE(result.steps.empty());
  EXPECT_GT(result.step_times.p50, 0);
}

TEST(Job, EndsWhenItsObserverSaysSo) {
  JobOptions options = small_job();
  options.num_batches = 1000;
  Watcher watcher;
  watcher.stop_after = 2;
  const JobResult result = Job(options).run(watcher);
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.exit_status, 130);
  EXPECT_GE(result.steps.size(), 2u);
  EXPECT_LT(result.steps.size(), 10u);
}

// Whatever it is.
struct Thrower : JobObserver {
  explicit Thrower(std::function<void()> action) : action_(std::move(action)) {}
  void timed_step(const TrainingStep&) override { action_(); }

  std::function<void()> action_;
};

// The record that a job leaves which ends with this exception.
template <typename Exception>
nlohmann::json record_of_failure(const Exception& exception) {
  JobOptions options = small_job();
  options.output_file = scratch_folder("failed_job") + "/run.json";
  Thrower thrower([&] { throw exception; });
  EXPECT_THROW(Job(options).run(thrower), Exception);
  std::ifstream stream(options.output_file);
  EXPECT_TRUE(stream.good()) << "no record";
  return nlohmann::json::parse(stream, nullptr, /*allow_exceptions=*/false);
}

TEST(Job, LeavesARecordAlsoWhenItFailsUnforeseen) {
  const nlohmann::json memory = record_of_failure(std::bad_alloc());
  ASSERT_TRUE(memory.is_object());
  EXPECT_EQ(memory.at("exit_status"), 3);
  EXPECT_THAT(memory.at("error").get<std::string>(), HasSubstr("no more memory"));
  EXPECT_EQ(memory.at("steps").size(), 1u);
  const nlohmann::json defect = record_of_failure(std::logic_error("a defect"));
  ASSERT_TRUE(defect.is_object());
  EXPECT_EQ(defect.at("exit_status"), 1);
  EXPECT_EQ(defect.at("error"), "a defect");
}

// What arrives at a host does not wait for what leaves it: else a ring of hosts waits in turn.
TEST(Job, HostsThatExchangeWithTheirNeighboursTakeAsLongHoweverManyTheyAre) {
  JobOptions options = small_job();
  options.device = "auto";
  options.num_devices = 1;
  options.variable_update = "gossip";
  options.plugin_options.clear();
  options.machine.platform = "l40sx8";
  const auto seconds = [&](std::uint32_t hosts) {
    options.machine.hosts = hosts;
    return Job(options).simulate().step_seconds;
  };
  EXPECT_LT(seconds(12), 1.1 * seconds(4));
}

TEST(Job, SimulatesDescribedMachines) {
  JobOptions options = small_job();
  options.device = "auto";
  options.num_devices = 8;
  options.machine.platform = "dgx1-p100";
  const SimulatedJob eight = Job(options).simulate();
  EXPECT_EQ(eight.machine, "dgx1-p100");
  EXPECT_EQ(eight.devices, 8u);
  EXPECT_GT(eight.step_seconds, eight.compute_seconds);
  EXPECT_NEAR(eight.images_per_second, 16 / eight.step_seconds, 1e-6 * eight.images_per_second);
  EXPECT_EQ(eight.plan_hash, Job(options).plan().hash);
  options.num_devices = 1;
  EXPECT_LT(Job(options).simulate().step_seconds, eight.step_seconds);
}

TEST(Job, ChoosesAStrategyByItself) {
  JobOptions options = small_job();
  options.variable_update = "auto";
  options.plugin_options.clear();
  options.auto_mode = AutoMode::kSimulate;
  Watcher watcher;
  const JobResult result = Job(options).run(watcher);
  EXPECT_NE(result.strategy, "auto");
  EXPECT_THAT(watcher.notices, ::testing::Contains(HasSubstr("--variable_update=auto takes")));
  EXPECT_THAT(result.notices, ::testing::Contains(HasSubstr("--variable_update=auto takes")));
}

TEST(Job, SaysWhatIsWrongAsTheProgramDoes) {
  JobOptions both = small_job();
  both.num_epochs = 1;
  EXPECT_EQ(failure_of([&] { Job job(both); }), ExitCode::kUsage);
  JobOptions unknown = small_job();
  unknown.model = "lenett";
  EXPECT_EQ(failure_of([&] { Job(unknown).plan(); }), ExitCode::kUnavailable);
  unknown = small_job();
  unknown.machine.platform = "dgx1-p100";  // whose devices are no processors
  EXPECT_EQ(failure_of([&] { Job(unknown).simulate(); }), ExitCode::kUsage);
  unknown.device = "auto";
  unknown.machine.platform = "dgx9";
  EXPECT_EQ(failure_of([&] { Job(unknown).simulate(); }), ExitCode::kUsage);
}

// What the flags of the command line refuse; a display_every of 0 ended the process.
TEST(Job, RefusesNumbersAndWordsThatFlagsRefuse) {
  const std::vector<std::function<void(JobOptions&)>> faults = {
      [](JobOptions& it) { it.batch_size = 0; },
      [](JobOptions& it) { it.num_devices = 0; },
      [](JobOptions& it) { it.num_warmup_batches = -1; },
      [](JobOptions& it) { it.display_every = 0; },
      [](JobOptions& it) { it.display_perf_ewma = 7; },
      [](JobOptions& it) { it.bucket_mb = std::nan(""); },
      [](JobOptions& it) { it.prefetch_depth = -5; },
      [](JobOptions& it) { it.threads_per_device = 4'000'000'000; },
      [](JobOptions& it) { it.plugin_timeout = -1; },
      [](JobOptions& it) { it.optimizer.gradient_clip = -1; },
      [](JobOptions& it) { it.evaluation.triggers.every_steps = 0; },
      [](JobOptions& it) { it.data_format = "CHWN"; },
      [](JobOptions& it) { it.loss_type_to_report = "loss"; },
  };
  for (std::size_t i = 0; i < faults.size(); ++i) {
    JobOptions options = small_job();
    faults[i](options);
    EXPECT_EQ(failure_of([&] { Job job(options); }), ExitCode::kUsage) << "fault " << i;
  }
}

TEST(Job, NamesAnOptionThatNoPluginHas) {
  JobOptions options = small_job();
  options.plugin_options["all_reduce_spek"] = "xring";
  try {
    Job(options).plan();
    FAIL() << "the option was ignored";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    EXPECT_THAT(error.what(), HasSubstr("did you mean all_reduce_spec?"));
  }
}

}  // namespace
}  // namespace convoy::job_test
