// Strands of several tasks, which are threads of this process.
#include <gtest/gtest.h>

#include "tests/runtime/cluster_run.hpp"
#include "tests/runtime/lagging_strategy.hpp"

namespace convoy::testing::asynchronous_cluster_test {
namespace {

// The worker of the second host is slow; what both read lies on the first.
TEST(AsynchronousTasks, KeepTheBoundOfRelaxedReads) {
  constexpr std::int64_t kInFlight = 2;
  const auto lead = [](std::int64_t lag) {
    ClusterRunOptions options;
    options.hosts = {2, 1, true, "fake", {}};
    options.fake_devices = true;
    options.make_strategy = [lag] { return lagging_strategy(lag); };
    options.steps = 10;
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

}  // namespace
}  // namespace convoy::testing::asynchronous_cluster_test
