#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/plan/host_cluster.hpp"
#include "core/runtime/session.hpp"
#include "core/runtime/training_loop.hpp"
#include "tests/support/in_process_network.hpp"
#include "tests/support/in_process_peers.hpp"

namespace convoy::testing {

// A training of several tasks, each a thread of this process with a session of its own.
struct ClusterRunOptions {
  plan::HostsDescription hosts;
  std::string strategy;
  plugin::OptionValues values = {};
  // One that is no file, in place of those two.
  std::function<std::unique_ptr<plugin::StrategyPlugin>()> make_strategy = {};
  std::int64_t steps = 6;
  double learning_rate = 0.05;
  convoy_optimizer_kind optimizer = CONVOY_OPTIMIZER_MOMENTUM;
  std::uint32_t global_batch = 8;
  bool fake_devices = false;  // which share memory, or do not
  bool shared_memory = true;
  std::uint32_t delay_microseconds = 20;  // the longest of their operations
  // Of each task's first fake device: the operation that takes so long.
  std::uint32_t hang_operation = 0;
  std::uint32_t hang_milliseconds = 0;
  InProcessOptions network = {};
  std::string transport = {};  // a plug-in of the build tree ("shm") instead of that network
  double deadline_seconds = 60;
  // On the task's thread: before training, and after it while the network is there.
  std::function<void(std::uint32_t task, runtime::Session&)> prepared = {};
  std::function<void(std::uint32_t task, runtime::Session&)> trained = {};
  // After every step, on the task's thread.
  std::function<void(std::uint32_t task, const TrainingStep&)> stepped = {};
  std::function<bool(std::uint32_t task)> stop_requested = {};
  // As TrainingEvents has them, per task; a pause may read the session.
  std::function<bool(std::uint32_t task, const runtime::PausePoint&)> wants_pause = {};
  std::function<bool(std::uint32_t task, const runtime::PausePoint&, runtime::Session&)> paused =
      {};
  std::function<bool(std::uint32_t task)> save_requested = {};
  // When an error ends the steps, on the task's thread.
  std::function<void(std::uint32_t task, const Error&)> failing = {};
};

struct TaskOutcome {
  std::vector<TrainingStep> steps;
  std::string parameter_hash;
  runtime::TrainingSummary summary;
  std::vector<runtime::NetworkTraffic> traffic;
  ExitCode code = ExitCode::kOk;
  std::string error;
};

class ClusterRun {
 public:
  explicit ClusterRun(ClusterRunOptions options);

  // Per task, once all of them have ended.
  std::vector<TaskOutcome> run();

  const plan::Cluster& cluster() const { return cluster_; }
  InProcessNetwork& network() { return network_; }

 private:
  void run_task(std::uint32_t task, TaskOutcome& outcome);
  std::unique_ptr<plugin::OpenTransport> open_transport(std::uint32_t task,
                                                        const plugin::TransportPlugin* plugin);

  ClusterRunOptions options_;
  plan::Cluster cluster_;
  InProcessNetwork network_;
  InProcessPeers peers_;
};

// Runs it; the network of task `stopped` stands still for a while after this step of task 0.
std::vector<TaskOutcome> run_with_a_stop(ClusterRunOptions options, std::uint32_t stopped,
                                         std::int64_t step, std::chrono::milliseconds pause);

// In seconds.
double longest_step(const TaskOutcome& task);

// The cluster of these tasks, whose devices have no collectives of their own.
plan::Cluster make_task_cluster(const ClusterRunOptions& options);

// The same training by one task that has all devices.
TaskOutcome run_alone(const ClusterRunOptions& options);

}  // namespace convoy::testing
