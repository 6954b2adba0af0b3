#include "tests/runtime/cluster_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "core/train/optimizer.hpp"
#include "tests/devices/fake/fake_device.hpp"
#include "tests/runtime/plugins.hpp"
#include "tests/runtime/small_models.hpp"
#include "tests/runtime/training.hpp"
#include "tests/support/test_engine.hpp"

namespace convoy::testing {
namespace {

using runtime::PausePoint;
using runtime::Session;

std::unique_ptr<plugin::DevicePlugin> devices_for(plugin::PluginHost& host,
                                                  const ClusterRunOptions& options) {
  if (!options.fake_devices) return cpu_plugin(host);
  return fake_plugin({.delay_microseconds = options.delay_microseconds,
                      .shared_memory = options.shared_memory,
                      .hang_device = options.hang_milliseconds > 0 ? 0 : -1,
                      .hang_operation = options.hang_operation,
                      .hang_milliseconds = options.hang_milliseconds});
}

runtime::SessionOptions session_options_for(const ClusterRunOptions& options,
                                            std::uint32_t replicas) {
  OptimizerOptions optimizer;
  optimizer.kind = options.optimizer;
  optimizer.weight_decay = 0.001;
  runtime::SessionOptions session;
  session.batch = options.global_batch / replicas;
  session.hash_initializer = true;
  session.accuracy = true;
  session.bucket_elements = 512;
  session.optimizer = train::make_optimizer(optimizer, replicas);
  session.executor.deadline_seconds = options.deadline_seconds;
  return session;
}

void train_session(const ClusterRunOptions& options, std::uint32_t task, Session& session,
                   TaskOutcome& outcome) {
  const auto source = hash_images(session.cluster().replicas(), options.global_batch);
  runtime::TrainingEvents events;
  events.timed_step = [&](const TrainingStep& step) {
    outcome.steps.push_back(step);
    if (options.stepped) options.stepped(task, step);
  };
  if (options.wants_pause)
    events.wants_pause = [&](const PausePoint& at) { return options.wants_pause(task, at); };
  if (options.save_requested) events.save_requested = [&] { return options.save_requested(task); };
  if (options.paused) {
    events.pause_after = [](const PausePoint&) { return true; };
    events.paused = [&](const PausePoint& at) { return options.paused(task, at, session); };
  }
  if (options.failing) events.failing = [&](const Error& error) { options.failing(task, error); };
  if (options.stop_requested) events.stop_requested = [&] { return options.stop_requested(task); };
  outcome.summary = runtime::run_training(session, *source, constant_rate(options.learning_rate),
                                          {0, options.steps, 0}, events);
  outcome.parameter_hash = session.values().parameter_hash();
}

}  // namespace

// Fake devices have one lane of each kind.
plan::Cluster make_task_cluster(const ClusterRunOptions& options) {
  plan::HostsDescription hosts = options.hosts;
  hosts.device_priorities = !options.fake_devices;
  plan::Cluster cluster = plan::make_hosts(hosts);
  cluster.device_collectives = false;
  return cluster;
}

ClusterRun::ClusterRun(ClusterRunOptions options)
    : options_(std::move(options)),
      cluster_(make_task_cluster(options_)),
      network_(cluster_.hosts, options_.network),
      peers_(cluster_.hosts) {}

std::vector<TaskOutcome> ClusterRun::run() {
  std::vector<TaskOutcome> outcomes(cluster_.hosts);
  std::vector<std::thread> threads;
  for (std::uint32_t task = 0; task < cluster_.hosts; ++task)
    threads.emplace_back([this, task, &outcomes] { run_task(task, outcomes[task]); });
  for (std::thread& thread : threads) thread.join();
  return outcomes;
}

// Connected, or about to be, to all others: their addresses go over the control plane.
std::unique_ptr<plugin::OpenTransport> ClusterRun::open_transport(
    std::uint32_t task, const plugin::TransportPlugin* plugin) {
  if (plugin == nullptr) return network_.open(task);
  auto run = make_sized<convoy_transport_run>();
  run.rank = task;
  run.ranks = cluster_.hosts;
  run.channels = cluster_.hosts;
  run.peer_seconds = 4;
  run.join_seconds = 10;
  auto transport = std::make_unique<plugin::OpenTransport>(*plugin, run);
  const std::vector<std::string> addresses = peers_.of(task).exchange(transport->address());
  for (std::uint32_t peer = 0; peer < cluster_.hosts; ++peer)
    if (peer != task && transport->refuses_to_connect(peer, addresses[peer]))
      fail(ExitCode::kUnavailable, "{} refuses the address of a task", options_.transport);
  return transport;
}

void ClusterRun::run_task(std::uint32_t task, TaskOutcome& outcome) {
  try {
    plugin::PluginHost host;
    const auto plugin = devices_for(host, options_);
    const auto strategy = options_.make_strategy
                              ? options_.make_strategy()
                              : strategy_plugin(host, options_.strategy, options_.values);
    const bool computes = task < options_.hosts.hosts;
    const auto devices = open_devices(*plugin, computes ? options_.hosts.devices_per_host : 1);
    const auto kind =
        options_.transport.empty() ? nullptr : transport_plugin(host, options_.transport);
    const auto transport = open_transport(task, kind.get());
    runtime::NetworkEngine engine(
        options_of_task(task, cluster_.hosts, *transport, [&] { return devices->now(); }));
    Session session(small_network(), *strategy, devices,
                    session_options_for(options_, cluster_.replicas()),
                    runtime::ClusterTask{&cluster_, task, &engine, &peers_.of(task)});
    if (options_.prepared) options_.prepared(task, session);
    train_session(options_, task, session, outcome);
    if (options_.trained) options_.trained(task, session);
    outcome.traffic = engine.traffic();
  } catch (const Error& error) {
    outcome.code = error.code();
    outcome.error = error.what();
    peers_.lose(fmt::format("task {} ended: {}", task, error.what()));
  }
}

std::vector<TaskOutcome> run_with_a_stop(ClusterRunOptions options, std::uint32_t stopped,
                                         std::int64_t step, std::chrono::milliseconds pause) {
  ClusterRun* run = nullptr;
  std::thread waker;
  options.stepped = [&](std::uint32_t task, const TrainingStep& done) {
    if (task != 0 || done.number != step) return;
    run->network().stop(stopped);
    waker = std::thread([&] {
      std::this_thread::sleep_for(pause);
      run->network().go_on(stopped);
    });
  };
  ClusterRun it(options);
  run = &it;
  std::vector<TaskOutcome> tasks = it.run();
  if (waker.joinable()) waker.join();
  return tasks;
}

double longest_step(const TaskOutcome& task) {
  double longest = 0;
  for (const TrainingStep& step : task.steps) longest = std::max(longest, step.seconds);
  return longest;
}

TaskOutcome run_alone(const ClusterRunOptions& options) {
  TaskOutcome outcome;
  plugin::PluginHost host;
  const auto plugin = devices_for(host, options);
  const auto strategy = strategy_plugin(host, options.strategy, options.values);
  const std::uint32_t replicas = options.hosts.hosts * options.hosts.devices_per_host;
  Session session(small_network(), *strategy, open_devices(*plugin, replicas),
                  session_options_for(options, replicas));
  train_session(options, 0, session, outcome);
  return outcome;
}

}  // namespace convoy::testing
