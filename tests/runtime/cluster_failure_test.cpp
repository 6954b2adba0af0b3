// What tasks say when others are lost, stopped or slow.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include "tests/runtime/cluster_run.hpp"

namespace convoy::testing::cluster_failure_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

ClusterRunOptions distributed(std::int64_t steps) {
  ClusterRunOptions options;
  options.hosts = {2, 1, true, "cpu", {2}};
  options.strategy = "distributed_replicated";
  options.fake_devices = true;
  options.steps = steps;
  return options;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

TEST(ClusterFailure, OfATaskEndsTheOthersWithPeerStepAndOperation) {
  for (const std::uint32_t victim : {1u, 2u}) {
    ClusterRunOptions options = distributed(100000);
    ClusterRun* run = nullptr;
    std::atomic<bool> killed{false};
    std::chrono::steady_clock::time_point since;
    options.stepped = [&](std::uint32_t task, const TrainingStep& step) {
      if (task != 0 || step.number < 5 || killed.exchange(true)) return;
      since = std::chrono::steady_clock::now();
      run->network().kill(victim, "its process has ended (signal 9)");
    };
    ClusterRun it(options);
    run = &it;
    const std::vector<TaskOutcome> tasks = it.run();
    EXPECT_LT(seconds_since(since), 2);
    for (const std::uint32_t task : {0u, 1u, 2u}) EXPECT_EQ(tasks[task].code, ExitCode::kTimeout);
    // Workers exchange with the server only, and it with both.
    const TaskOutcome& survivor = victim == 2 ? tasks[0] : tasks[2];
    EXPECT_THAT(survivor.error, AllOf(HasSubstr(fmt::format("task {} is lost at step", victim)),
                                      HasSubstr("in operation "), HasSubstr("signal 9")))
        << "victim " << victim;
    EXPECT_GE(tasks[0].steps.size(), 5u);
  }
}

// The survivors' devices are in the middle of what takes 4 s when the victim dies.
TEST(ClusterFailure, IsToldBeforeWhatIsUnderWayHasEnded) {
  constexpr auto kStill = std::chrono::seconds(1);  // no step for so long: the devices are at it
  ClusterRunOptions options = distributed(100000);
  options.hang_operation = 200;
  options.hang_milliseconds = 4000;
  std::atomic<std::chrono::steady_clock::time_point> newest{std::chrono::steady_clock::now()};
  options.stepped = [&](std::uint32_t, const TrainingStep&) {
    newest = std::chrono::steady_clock::now();
  };
  std::array<std::string, 3> told;
  std::array<std::chrono::steady_clock::time_point, 3> when;
  options.failing = [&](std::uint32_t task, const Error& error) {
    told[task] = error.what();
    when[task] = std::chrono::steady_clock::now();
  };
  ClusterRun run(options);
  std::thread killer([&] {
    while (std::chrono::steady_clock::now() - newest.load() < kStill)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    run.network().kill(1, "its process has ended (signal 9)");
  });
  const std::vector<TaskOutcome> tasks = run.run();
  killer.join();
  EXPECT_GT(seconds_since(when[2]), 1) << "the server waits for its device";
  EXPECT_THAT(told[2], AllOf(HasSubstr("task 1 is lost at step"), HasSubstr("signal 9")));
  EXPECT_EQ(told[2], tasks[2].error);
}

TEST(ClusterFailure, IsNoTaskThatStandsStillForLongerThanTheDeadline) {
  ClusterRunOptions options = distributed(20);
  options.deadline_seconds = 0.5;  // less, and a busy machine's own operations exceed it
  const std::vector<TaskOutcome> undisturbed = ClusterRun(options).run();
  const std::vector<TaskOutcome> tasks =
      run_with_a_stop(options, 2, 5, std::chrono::milliseconds(1500));
  for (const TaskOutcome& task : tasks) {
    EXPECT_EQ(task.error, "");
    EXPECT_EQ(task.parameter_hash, undisturbed.front().parameter_hash);
  }
  EXPECT_GT(longest_step(tasks[0]), 0.75);
}

TEST(ClusterFailure, OfAPrologueNamesThePeerToo) {
  ClusterRunOptions options = distributed(5);
  options.strategy = "parameter_server";
  options.values = {{"staged_vars", "true"}};
  ClusterRun run(options);
  run.network().drop_after(2, 0, 0);
  std::thread killer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    run.network().kill(2, "its process has ended");
  });
  const std::vector<TaskOutcome> tasks = run.run();
  killer.join();
  EXPECT_EQ(tasks[0].code, ExitCode::kTimeout);
  EXPECT_THAT(tasks[0].error, HasSubstr("task 2 is lost at step 0, in operation"));
}

TEST(ClusterFailure, OfAnEventEndsEverybody) {
  ClusterRunOptions options = distributed(100000);
  options.stepped = [](std::uint32_t task, const TrainingStep& step) {
    if (task == 0 && step.number == 3) fail(ExitCode::kFailed, "the disk is full");
  };
  const std::vector<TaskOutcome> tasks = ClusterRun(options).run();
  EXPECT_EQ(tasks[0].code, ExitCode::kFailed);
  EXPECT_EQ(tasks[0].error, "the disk is full");
  for (const std::uint32_t task : {1u, 2u}) EXPECT_EQ(tasks[task].code, ExitCode::kTimeout);
}

}  // namespace
}  // namespace convoy::testing::cluster_failure_test
