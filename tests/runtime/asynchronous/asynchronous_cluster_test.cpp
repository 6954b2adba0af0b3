// Strands of several tasks, which are threads of this process.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>

#include "tests/runtime/cluster_run.hpp"
#include "tests/runtime/lagging_strategy.hpp"

namespace convoy::testing::asynchronous_cluster_test {
namespace {

using runtime::PausePoint;

// The worker of the second host is slow; what both read lies on the first.
TEST(AsynchronousTasks, KeepTheBoundOfRelaxedReads) {
  constexpr std::int64_t kInFlight = 2;
  const auto lead = [](std::int64_t lag) {
    ClusterRunOptions options;
    options.hosts = {2, 1, true, "fake", {}};
    options.fake_devices = true;
    options.make_strategy = [lag] { return lagging_strategy(lag); };
    // Enough for a lead where the other steps of a busy machine take nearly as long as the slow
    // one.
    options.steps = lag < 0 ? 60 : 10;
    const std::vector<TaskOutcome> tasks = ClusterRun(options).run();
    for (const TaskOutcome& task : tasks) EXPECT_EQ(task.error, "") << "lag " << lag;
    const std::vector<WorkerRecord>& workers = tasks.front().summary.workers;
    EXPECT_EQ(workers.size(), 2u);
    return workers.size() < 2 ? 0 : workers[0].steps - workers[1].steps;
  };
  EXPECT_LE(lead(1), 1 + kInFlight);
  EXPECT_LE(lead(4), 4 + kInFlight);
  EXPECT_GT(lead(-1), 4 + kInFlight);
}

// The first worker waits for an update of the other, which comes late, and has its own time then.
TEST(AsynchronousTasks, OperationsHaveTheirTimeOnceTheyMayRun) {
  ClusterRunOptions options;
  options.hosts = {2, 1, true, "fake", {}};
  options.fake_devices = true;
  options.delay_microseconds = 20000;
  options.deadline_seconds = 1;
  options.make_strategy = [] { return lagging_strategy(0); };
  options.steps = 5;
  const std::vector<TaskOutcome> tasks =
      run_with_a_stop(options, 1, 2, std::chrono::milliseconds(1700));
  for (const TaskOutcome& task : tasks) EXPECT_EQ(task.error, "");
  EXPECT_GT(longest_step(tasks[0]), 1);
}

// Each keeps variables of the other and has two devices.
TEST(AsynchronousTasks, ServeEachOther) {
  ClusterRunOptions options;
  options.hosts = {2, 2, true, "fake", {}};
  options.fake_devices = true;
  options.strategy = "parameter_server";
  options.values = {{"cross_replica_sync", "false"}};
  options.steps = 20;
  options.network = {.longest_delay = 100e-6};
  const std::vector<TaskOutcome> tasks = ClusterRun(options).run();
  for (const TaskOutcome& task : tasks) {
    ASSERT_EQ(task.error, "");
    EXPECT_EQ(task.parameter_hash, tasks.front().parameter_hash);
    EXPECT_EQ(task.summary.workers.size(), 2u);
  }
}

ClusterRunOptions with_a_server(std::int64_t steps) {
  ClusterRunOptions options;
  options.hosts = {2, 1, true, "fake", {2}};
  options.fake_devices = true;
  options.strategy = "parameter_server";
  options.values = {{"cross_replica_sync", "false"}};
  options.steps = steps;
  return options;
}

// What a task saw of a pause: where it was, whether it saves, and the parameters.
struct Pause {
  std::int64_t step;
  bool save_asked;
  std::string before;
  std::string after;
  bool operator==(const Pause&) const = default;
};

// The chief wants one every 20 steps, and somebody asks the second worker for a checkpoint.
TEST(AsynchronousTasks, PauseTogetherWithNothingUnderWay) {
  ClusterRunOptions options = with_a_server(60);
  std::int64_t due = 20;  // of the chief's thread
  options.wants_pause = [&](std::uint32_t, const PausePoint& at) { return at.timed_step >= due; };
  std::array<std::vector<Pause>, 3> pauses;
  std::atomic<bool> ask{false};
  options.save_requested = [&](std::uint32_t task) { return task == 1 && ask.exchange(false); };
  options.paused = [&](std::uint32_t task, const PausePoint& at, runtime::Session& session) {
    const std::string before = session.values().parameter_hash();
    pauses[task].push_back(
        {at.global_step, at.save_asked, before, session.values().parameter_hash()});
    if (task != 0) return true;
    ask = due == 20;
    while (due <= at.timed_step) due += 20;
    return true;
  };
  const std::vector<TaskOutcome> tasks = ClusterRun(options).run();
  for (const TaskOutcome& task : tasks) {
    ASSERT_EQ(task.error, "");
    EXPECT_EQ(task.parameter_hash, tasks.front().parameter_hash);
    EXPECT_EQ(task.summary.global_step, tasks.front().summary.global_step);
  }
  ASSERT_GE(pauses[0].size(), 2u);
  EXPECT_EQ(pauses[1], pauses[0]);
  EXPECT_EQ(pauses[2], pauses[0]);
  for (const Pause& pause : pauses[0]) EXPECT_EQ(pause.before, pause.after) << pause.step;
  EXPECT_GE(pauses[0].front().step, 20);
  EXPECT_NE(pauses[0].front().before, pauses[0].back().before) << "no steps follow";
  EXPECT_TRUE(std::ranges::any_of(pauses[0], &Pause::save_asked));
  EXPECT_GE(tasks[0].summary.workers[0].steps + tasks[0].summary.workers[1].steps, 2 * 60 - 1);
}

TEST(AsynchronousTasks, EndWhereAPauseSaysSo) {
  ClusterRunOptions options = with_a_server(100000);
  options.wants_pause = [](std::uint32_t, const PausePoint& at) { return at.timed_step >= 5; };
  options.paused = [](std::uint32_t, const PausePoint&, runtime::Session&) { return false; };
  for (const TaskOutcome& task : ClusterRun(options).run()) {
    EXPECT_EQ(task.error, "");
    EXPECT_TRUE(task.summary.ended_early);
    EXPECT_LT(task.summary.global_step, 100000);
  }
}

}  // namespace
}  // namespace convoy::testing::asynchronous_cluster_test
