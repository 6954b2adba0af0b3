// Sessions of several tasks, which are threads of this process.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <thread>

#include "core/runtime/state/training_state.hpp"
#include "tests/devices/fake/fake_device.hpp"
#include "tests/runtime/cluster_run.hpp"
#include "tests/runtime/initial_parameters.hpp"
#include "tests/runtime/plugins.hpp"
#include "tests/runtime/staged_strategy.hpp"
#include "tests/support/interpreter.hpp"

namespace convoy::testing::cluster_session_test {
namespace {

using runtime::Session;

std::string describe(const StrategyVariant& variant, const plan::HostsDescription& hosts) {
  return fmt::format("{} on {} hosts of {} devices with {} servers", to_text(variant), hosts.hosts,
                     hosts.devices_per_host, hosts.server_hosts.size());
}

// Those that compute the mean gradient of all replicas, however they are spread.
std::vector<StrategyVariant> synchronous_variants() {
  return {{"distributed_all_reduce", {{"all_reduce_spec", "xring"}}},
          {"distributed_all_reduce", {{"all_reduce_spec", "xring#2"}}},
          {"distributed_all_reduce", {{"all_reduce_spec", "pscpu"}}},
          {"distributed_all_reduce", {{"all_reduce_spec", "pscpu/pscpu"}}},
          {"distributed_all_reduce", {{"all_reduce_spec", "xring:256:pscpu"}}},
          {"distributed_all_reduce",
           {{"all_reduce_spec", "xring"}, {"agg_small_grads_max_bytes", "512"}}},
          {"replicated", {{"all_reduce_spec", "xring"}}},
          {"replicated", {{"all_reduce_spec", "collective"}}},
          {"hierarchical"},
          {"bytescheduler", {{"partition_kb", "16"}}},
          {"bytescheduler", {{"partition_kb", "16"}, {"algorithm", "ring"}}},
          {"byteps"}};
}

ClusterRunOptions options_for(const StrategyVariant& variant, const plan::HostsDescription& hosts) {
  ClusterRunOptions options;
  options.hosts = hosts;
  options.strategy = variant.strategy;
  options.values = variant.values;
  return options;
}

void expect_same_losses(const std::vector<TrainingStep>& actual,
                        const std::vector<TrainingStep>& expected, const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(actual[i].total_loss, expected[i].total_loss, 1e-5 * expected[i].total_loss)
        << what << ", step " << i;
    EXPECT_NEAR(actual[i].base_loss, expected[i].base_loss, 1e-5 * expected[i].base_loss)
        << what << ", step " << i;
    EXPECT_EQ(actual[i].top_5, expected[i].top_5) << what << ", step " << i;
  }
}

// One host of four devices, two of two and four of one.
TEST(ClusterSessions, TrainAsOneHostDoesWithEverySynchronousStrategy) {
  const plan::HostsDescription one{1, 4, true, "cpu", {}};
  const TaskOutcome alone =
      run_alone(options_for({"replicated", {{"all_reduce_spec", "xring"}}}, one));
  EXPECT_LT(alone.steps.back().total_loss, 0.95 * alone.steps.front().total_loss);  // it does train
  for (const StrategyVariant& variant : synchronous_variants())
    for (const plan::HostsDescription& hosts : {plan::HostsDescription{2, 2, true, "cpu", {}},
                                                plan::HostsDescription{4, 1, true, "cpu", {}}}) {
      const std::string what = describe(variant, hosts);
      const std::vector<TaskOutcome> tasks = ClusterRun(options_for(variant, hosts)).run();
      for (std::size_t task = 0; task < tasks.size(); ++task) {
        ASSERT_EQ(tasks[task].error, "") << what << ", task " << task;
        expect_same_losses(tasks[task].steps, alone.steps, what);
        EXPECT_EQ(tasks[task].parameter_hash, tasks.front().parameter_hash) << what;
      }
    }
}

// Every strategy for several hosts, those that apply workers' gradients one after the other and
// those with stale values included.
std::vector<StrategyVariant> all_variants() {
  std::vector<StrategyVariant> variants = synchronous_variants();
  for (const char* place : {"cpu", "gpu"}) {
    variants.push_back({"parameter_server", {{"local_parameter_device", place}}});
    variants.push_back({"distributed_replicated", {{"local_parameter_device", place}}});
  }
  variants.push_back({"parameter_server", {{"staged_vars", "true"}}});
  variants.push_back({"parameter_server", {{"variable_placement", "round_robin"}}});
  variants.push_back({"distributed_replicated", {{"variable_placement", "bytes"}}});
  return variants;
}

// What of a task's memory differs from the interpreter's, or nothing.
std::string first_difference(const Session& session, std::uint32_t task, std::int64_t steps) {
  Interpreter interpreter(session.plan()->step.lowered(), interpreter_options(session, 0.05));
  interpreter.run(static_cast<std::uint64_t>(steps));
  const plan::Plan& plan = session.plan()->step.logical();
  for (std::uint32_t i = 0; i < plan.buffers.size(); ++i) {
    if (plan.buffers[i].kind == CONVOY_BUFFER_SCRATCH) continue;
    const bool here = session.cluster().places[plan.buffers[i].place].host == task;
    if (session.memory().stored(i).empty() == here && here) continue;
    if (!here && !session.memory().stored(i).empty()) return "memory of another host";
    const std::vector<float> actual = session.memory().read_buffer(i);
    const auto expected = interpreter.values(i);
    for (const runtime::StoredElements::Part& part : session.memory().stored(i).parts()) {
      const auto first = static_cast<std::ptrdiff_t>(part.range.first);
      const auto end = first + static_cast<std::ptrdiff_t>(part.range.count);
      if (!std::equal(actual.begin() + first, actual.begin() + end, expected.begin() + first))
        return plan.buffer_name(i);
    }
  }
  return "none";
}

TEST(ClusterSessions, FollowTheInterpreterToTheBit) {
  for (const StrategyVariant& variant : all_variants())
    for (const plan::HostsDescription& hosts :
         {plan::HostsDescription{2, 2, true, "fake", {}},
          plan::HostsDescription{2, 1, true, "fake", {2}},
          plan::HostsDescription{2, 2, true, "fake", {2, 3}}}) {
      ClusterRunOptions options = options_for(variant, hosts);
      options.fake_devices = true;
      options.steps = 5;
      options.network = {.longest_delay = 200e-6, .eager = true};
      options.trained = [&](std::uint32_t task, Session& session) {
        EXPECT_EQ(first_difference(session, task, options.steps), "none")
            << describe(variant, hosts) << ", task " << task;
      };
      for (const TaskOutcome& task : ClusterRun(options).run())
        ASSERT_EQ(task.error, "") << describe(variant, hosts);
    }
}

// Servers apply the gradients of workers one after the other, and each is an update for Adam.
TEST(ClusterSessions, CountTheUpdatesOfAllWorkers) {
  const plan::HostsDescription hosts{2, 2, true, "fake", {}};
  for (const StrategyVariant& variant :
       {StrategyVariant{"distributed_replicated"}, StrategyVariant{"parameter_server"}}) {
    ClusterRunOptions options = options_for(variant, hosts);
    options.fake_devices = true;
    options.steps = 5;
    options.optimizer = CONVOY_OPTIMIZER_ADAM;
    options.trained = [&](std::uint32_t task, Session& session) {
      EXPECT_EQ(first_difference(session, task, options.steps), "none")
          << describe(variant, hosts) << ", task " << task;
      EXPECT_EQ(runtime::read_training_state(session).updates, 10u) << describe(variant, hosts);
    };
    for (const TaskOutcome& task : ClusterRun(options).run())
      ASSERT_EQ(task.error, "") << describe(variant, hosts);
  }
}

// The plan changes before, in and behind the last of those steps, and in the middle of its second
// stage's period the run ends.
TEST(ClusterSessions, EnterTheStagesOfAPlanAsTheInterpreterDoes) {
  for (const std::int64_t first_step : {1, 4, 5, 9})
    for (const plan::HostsDescription& hosts : {plan::HostsDescription{2, 2, true, "fake", {}},
                                                plan::HostsDescription{3, 1, true, "fake", {}}}) {
      ClusterRunOptions options;
      options.hosts = hosts;
      options.make_strategy = [first_step] { return staged_strategy(first_step); };
      options.fake_devices = true;
      options.steps = 6;
      options.network = {.longest_delay = 200e-6, .eager = true};
      options.trained = [&](std::uint32_t task, Session& session) {
        EXPECT_EQ(first_difference(session, task, options.steps), "none")
            << first_step << ", " << hosts.hosts << " hosts, task " << task;
        EXPECT_EQ(session.stage(), first_step < options.steps ? 1u : 0u);
      };
      for (const TaskOutcome& task : ClusterRun(options).run()) ASSERT_EQ(task.error, "");
    }
}

// The same through a transport that is a plug-in.
TEST(ClusterSessions, TrainOverSharedMemory) {
  for (const StrategyVariant& variant :
       {StrategyVariant{"distributed_all_reduce", {{"all_reduce_spec", "xring"}}},
        StrategyVariant{"distributed_replicated"},
        StrategyVariant{"parameter_server", {{"staged_vars", "true"}}}})
    for (const plan::HostsDescription& hosts :
         {plan::HostsDescription{2, 2, true, "cpu", {}},
          plan::HostsDescription{2, 1, true, "cpu", {2, 3}}}) {
      ClusterRunOptions options = options_for(variant, hosts);
      const std::vector<TaskOutcome> expected = ClusterRun(options).run();
      options.transport = "shm";
      const std::vector<TaskOutcome> tasks = ClusterRun(options).run();
      for (std::size_t task = 0; task < tasks.size(); ++task) {
        ASSERT_EQ(tasks[task].error, "") << describe(variant, hosts) << ", task " << task;
        EXPECT_EQ(tasks[task].parameter_hash, expected[task].parameter_hash)
            << describe(variant, hosts);
        EXPECT_EQ(tasks[task].traffic[task == 0 ? 1 : 0].bytes_sent,
                  expected[task].traffic[task == 0 ? 1 : 0].bytes_sent);
      }
    }
}

TEST(ClusterSessions, OfServersHaveNoReplicasAndGetTheSameParametersAsAll) {
  const plan::HostsDescription hosts{2, 2, true, "cpu", {2, 3}};
  for (const StrategyVariant& variant :
       {StrategyVariant{"distributed_replicated"}, StrategyVariant{"parameter_server"}}) {
    ClusterRunOptions options = options_for(variant, hosts);
    options.prepared = [&](std::uint32_t task, Session& session) {
      EXPECT_EQ(session.local_replicas().size(), task < 2 ? 2u : 0u);
      std::uint64_t held = 0;
      const std::vector<MemoryUse> uses = session.memory_use();
      for (std::size_t place = 0; place < uses.size(); ++place)
        if (session.cluster().places[place].host != task) held += uses[place].total();
      EXPECT_EQ(held, 0u) << "memory of other hosts' places on task " << task;
    };
    const std::vector<TaskOutcome> tasks = ClusterRun(options).run();
    for (const TaskOutcome& task : tasks) {
      ASSERT_EQ(task.error, "");
      expect_same_losses(task.steps, tasks.front().steps, variant.strategy);
      EXPECT_EQ(task.parameter_hash, tasks.front().parameter_hash);
    }
    EXPECT_LT(tasks[0].steps.back().total_loss, 0.95 * tasks[0].steps.front().total_loss);
    EXPECT_EQ(tasks[2].steps.front().own_loss, 0);
    const TrainingStep& a = tasks[0].steps.front();
    EXPECT_NEAR(a.base_loss, (a.own_loss + tasks[1].steps.front().own_loss) / 2, 1e-12);
  }
}

// What goes to a checkpoint is whole on every task, and goes on as if nothing had happened.
TEST(ClusterSessions, HandTheirStateOverToOtherClusters) {
  const StrategyVariant variant{"distributed_replicated", {}};
  std::mutex mutex;
  std::map<std::uint32_t, runtime::TrainingState> states;
  ClusterRunOptions first = options_for(variant, {2, 2, true, "cpu", {2}});
  first.trained = [&](std::uint32_t task, Session& session) {
    runtime::TrainingState state = runtime::read_training_state(session);
    const std::lock_guard lock(mutex);
    states[task] = std::move(state);
  };
  const std::vector<TaskOutcome> before = ClusterRun(first).run();
  ASSERT_EQ(before.front().error, "");
  ASSERT_EQ(states.size(), 3u);
  for (const auto& [task, state] : states) {
    EXPECT_EQ(state.values.variables, states[0].values.variables);
    EXPECT_EQ(state.optimizer, states[0].optimizer);
    EXPECT_FALSE(state.complete);
  }
  ClusterRunOptions second = options_for(variant, {4, 1, true, "cpu", {}});
  second.prepared = [&](std::uint32_t, Session& session) {
    runtime::write_training_state(session, states[0], 6);
  };
  ClusterRunOptions whole = options_for(variant, {2, 2, true, "cpu", {2}});
  whole.steps = 12;
  const std::vector<TaskOutcome> after = ClusterRun(second).run();
  const std::vector<TaskOutcome> reference = ClusterRun(whole).run();
  ASSERT_EQ(after.front().error, "");
  ASSERT_EQ(reference.front().error, "");
  // The first step computes on the values before it, whoever applies them later.
  EXPECT_NEAR(after.front().steps.front().total_loss, reference.front().steps[6].total_loss,
              1e-5 * reference.front().steps[6].total_loss);
}

TEST(ClusterSessions, OfSixteenTasksTrain) {
  ClusterRunOptions options = options_for(
      {"distributed_all_reduce", {{"all_reduce_spec", "xring"}}}, {16, 1, true, "fake", {}});
  options.fake_devices = true;
  options.global_batch = 16;
  options.steps = 3;
  const std::vector<TaskOutcome> tasks = ClusterRun(options).run();
  for (const TaskOutcome& task : tasks) {
    ASSERT_EQ(task.error, "");
    EXPECT_EQ(task.parameter_hash, tasks.front().parameter_hash);
  }
}

TEST(ClusterSessions, StopAllAfterTheSameStepWhenOneWantsTo) {
  ClusterRunOptions options = options_for({"distributed_replicated"}, {2, 1, true, "cpu", {2}});
  options.steps = 1000;
  std::atomic<int> done{0};
  options.stepped = [&](std::uint32_t task, const TrainingStep&) { done += task == 1 ? 1 : 0; };
  options.stop_requested = [&](std::uint32_t task) { return task == 1 && done >= 3; };
  const std::vector<TaskOutcome> tasks = ClusterRun(options).run();
  for (const TaskOutcome& task : tasks) {
    ASSERT_EQ(task.error, "");
    EXPECT_TRUE(task.summary.stopped);
    EXPECT_EQ(task.steps.size(), tasks.front().steps.size());
    EXPECT_EQ(task.parameter_hash, tasks.front().parameter_hash);
  }
  EXPECT_LE(tasks.front().steps.size(), 8u);
}

TEST(ClusterSessions, CountTheirBytesAndWhomTheyWaitedFor) {
  ClusterRunOptions options = options_for({"distributed_replicated"}, {2, 1, true, "cpu", {2}});
  const std::vector<TaskOutcome> tasks = ClusterRun(options).run();
  for (const TaskOutcome& task : tasks) ASSERT_EQ(task.error, "");
  for (std::uint32_t worker : {0u, 1u}) {
    EXPECT_EQ(tasks[worker].traffic[2].bytes_sent, tasks[2].traffic[worker].bytes_received);
    EXPECT_EQ(tasks[worker].traffic[2].bytes_received, tasks[2].traffic[worker].bytes_sent);
    EXPECT_GT(tasks[worker].traffic[2].bytes_sent, 0u);
    EXPECT_EQ(tasks[worker].traffic[1 - worker].bytes_sent, 0u);
    const runtime::StepBreakdown& time = tasks[worker].summary.breakdown;
    EXPECT_NEAR(time.compute + time.aggregation + time.network + time.input_wait + time.executor,
                time.seconds, 1e-6 * time.seconds);
    EXPECT_GT(time.network, 0);
    ASSERT_TRUE(time.network_by_host.contains(2));
    EXPECT_FALSE(time.network_by_host.contains(1 - worker));
    EXPECT_NEAR(time.network_by_host.at(2), time.network, 1e-9);
  }
}

std::uint64_t updates_seen(const WorkerRecord& worker) {
  std::uint64_t times = 0;
  for (const auto& [updates, often] : worker.staleness) times += often;
  return times;
}

// With servers of their own and with those of workers, of which each direction between two workers
// carries both's messages.
TEST(ClusterSessions, TrainWithoutWaitingForEachOther) {
  const plugin::OptionValues asynchronous{{"cross_replica_sync", "false"}};
  for (const plan::HostsDescription& hosts : {plan::HostsDescription{2, 1, true, "cpu", {2}},
                                              plan::HostsDescription{2, 2, true, "cpu", {}},
                                              plan::HostsDescription{3, 1, true, "cpu", {3, 4}}}) {
    ClusterRunOptions options = options_for({"parameter_server", asynchronous}, hosts);
    options.global_batch = 12;
    options.steps = 60;
    options.learning_rate = 0.01;  // gradients may be old where tasks share busy cores
    options.network = {.longest_delay = 200e-6};
    const std::vector<TaskOutcome> tasks = ClusterRun(options).run();
    const std::string what = describe({"parameter_server", asynchronous}, hosts);
    for (const TaskOutcome& task : tasks) {
      ASSERT_EQ(task.error, "") << what;
      EXPECT_EQ(task.parameter_hash, tasks.front().parameter_hash) << what;
      EXPECT_EQ(task.summary.global_step, tasks.front().summary.global_step) << what;
    }
    EXPECT_LT(tasks[0].steps.back().total_loss, 0.9 * tasks[0].steps.front().total_loss) << what;
    const std::vector<WorkerRecord>& workers = tasks.front().summary.workers;
    ASSERT_EQ(workers.size(), hosts.hosts) << what;
    std::int64_t steps = 0;
    for (std::uint32_t worker = 0; worker < workers.size(); ++worker) {
      EXPECT_EQ(workers[worker].worker, worker);
      EXPECT_EQ(workers[worker].steps, static_cast<std::int64_t>(tasks[worker].steps.size()));
      EXPECT_GT(workers[worker].images_per_second, 0) << what << ", worker " << worker;
      EXPECT_GT(updates_seen(workers[worker]), 0u) << what << ", worker " << worker;
      steps += workers[worker].steps;
    }
    EXPECT_GE(steps, hosts.hosts * options.steps - 1) << what;
  }
}

TEST(ClusterSessions, AsynchronousAreSlowedByNoSlowWorker) {
  ClusterRunOptions options = options_for({"parameter_server", {{"cross_replica_sync", "false"}}},
                                          {2, 1, true, "cpu", {2}});
  options.steps = 60;
  options.stepped = [](std::uint32_t task, const TrainingStep&) {
    if (task == 1) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  };
  const std::vector<TaskOutcome> tasks = ClusterRun(options).run();
  for (const TaskOutcome& task : tasks) ASSERT_EQ(task.error, "");
  const std::vector<WorkerRecord>& workers = tasks.front().summary.workers;
  ASSERT_EQ(workers.size(), 2u);
  EXPECT_GT(workers[0].steps, 4 * workers[1].steps);
  EXPECT_GE(workers[0].steps + workers[1].steps, 119);
  // What the slow one reads is old when it applies what it has computed with it.
  ASSERT_FALSE(workers[1].staleness.empty());
  EXPECT_GT(workers[1].staleness.rbegin()->first, 3u);
}

TEST(ClusterSessions, AsynchronousEndTogetherWhenOneWantsTo) {
  ClusterRunOptions options = options_for({"parameter_server", {{"cross_replica_sync", "false"}}},
                                          {2, 1, true, "cpu", {2}});
  options.steps = 1000000;
  std::atomic<int> done{0};
  options.stepped = [&](std::uint32_t task, const TrainingStep&) { done += task == 1 ? 1 : 0; };
  options.stop_requested = [&](std::uint32_t task) { return task == 1 && done >= 3; };
  const std::vector<TaskOutcome> tasks = ClusterRun(options).run();
  for (const TaskOutcome& task : tasks) {
    ASSERT_EQ(task.error, "");
    EXPECT_TRUE(task.summary.stopped);
    EXPECT_EQ(task.parameter_hash, tasks.front().parameter_hash);
  }
}

}  // namespace
}  // namespace convoy::testing::cluster_session_test
