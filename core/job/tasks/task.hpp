#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/job/sizes.hpp"
#include "core/job/tasks/control_peers.hpp"
#include "core/job/tasks/operation_texts.hpp"
#include "core/job/tasks/task_links.hpp"
#include "core/job/tasks/task_trace.hpp"
#include "core/network/control_plane.hpp"
#include "core/plan/cluster.hpp"
#include "core/report/run_observer.hpp"
#include "core/runtime/network/cluster_task.hpp"
#include "core/runtime/open_devices.hpp"

namespace convoy::job {

// This process as one task of a run on several hosts: joined to the others over the control plane,
// later linked to them by transports. Called by the thread that runs the job.
class Task {
 public:
  // Joins the run: waits until all tasks have joined. Errors as network::ControlPlane;
  // observer.interruption() ends every wait.
  Task(network::TaskIdentity identity, const TaskOptions& options,
       const network::Introduction& introduction, report::RunObserver& observer);
  ~Task();
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  const network::TaskIdentity& identity() const { return identity_; }
  bool computes() const { return identity_.role == network::Role::kWorker; }
  bool is_chief() const { return identity_.is_chief(); }
  std::uint32_t workers() const { return static_cast<std::uint32_t>(identity_.workers); }
  std::uint32_t tasks() const {
    return static_cast<std::uint32_t>(identity_.workers + identity_.servers);
  }
  std::uint32_t rank() const { return rank_; }

  // Returns the blobs of all tasks by rank, or the chief's blob. All workers and servers call these
  // with the same names in the same order.
  std::vector<std::string> exchange(const std::string& what, std::string blob);
  std::string from_chief(const std::string& what, std::string blob);
  // The same for an answer that takes long. If this task is interrupted meanwhile, it tells the
  // others at once, so that the chief may stop what it does.
  std::string await_chief(const std::string& what, std::string blob);

  // Returns the chief's sizes, which hold for all tasks. `devices`: the number of this worker's
  // devices.
  Sizes chiefs_sizes(const Sizes& own, std::uint32_t devices);
  // Number of devices of each worker. Valid after chiefs_sizes().
  std::uint32_t devices_per_worker() const { return devices_per_worker_; }

  // Agrees with the others on the devices of the workers, opens transports and connects. Servers
  // call it with the device that serves them.
  void link(const Setup& setup, const std::shared_ptr<runtime::OpenDevices>& devices,
            const plugin::PluginLog& log);
  // Valid after link(). Refers to this task.
  runtime::ClusterTask cluster_task();
  const plan::Cluster& cluster() const { return cluster_; }
  // Returns the links as every task measured them before step 0: [from][to], by rank.
  const std::vector<std::vector<MeasuredLink>>& measured_links() const { return measured_links_; }
  // A machine on which tasks run: the ranks of its tasks, and the cores that they may use.
  struct SharedCores {
    std::vector<std::uint32_t> ranks;
    std::uint32_t cores = 0;
  };
  // Valid after link().
  const std::vector<SharedCores>& machines() const { return machines_; }
  // Returns the numbers of this task's replicas.
  std::vector<int> replicas() const;
  // Compares the lowered plans of all tasks. Error naming the first difference.
  void agree_on_plan(const plan::Plan& plan);

  // Compares the devices' current clock with the coordinator's. May wait for a heartbeat.
  CommonClock common_clock(const std::function<double()>& devices_now);

  // Called after a finished step. Updates heartbeats and prints notices of other tasks.
  void finished_step(std::int64_t step);
  // Called when this task does something other than steps, so that heartbeats name no operation
  // until the next finished step: nobody takes the task for stalled.
  void pauses();
  // Returns the other tasks, with the transport and the bytes sent and received.
  std::vector<PeerRecord> peers() const;
  // Returns a name such as "worker 1 (host7, pid 4711)".
  std::string name_of(std::uint32_t rank) const;
  // Ends the run of all tasks. Returns the texts of all tasks, by rank.
  std::vector<std::string> finish(const std::string& own);
  // For a controller, which does not take part in the run: waits until the run ends. Interrupting
  // the controller ends all tasks.
  void wait_for_end();
  // Returns whether this task or another one was interrupted, so that all end together. Tells the
  // others if this task was.
  bool wants_to_end();
  // Returns why a run was stopped. All tasks know the same task, signal and exit code.
  std::optional<network::Interruption> interruption() const { return control_->interruption(); }
  // Called when this task ends because of an error. Tells the others. Returns the error to end
  // with, which is the first cause if another task has caused the failure.
  Error explain(const Error& error);
  // The same, but before the operations in progress have ended, so that a loss is reported at once.
  void name_loss(const Error& error);
  // Returns whether that error is the loss of a task that may be replaced. Then call rejoin().
  bool goes_on() const { return goes_on_; }
  // Closes all links and waits until all tasks have joined again, the lost one as a new process
  // unless it was only silent. Errors as the constructor. Afterwards everything is exchanged again,
  // beginning with the sizes.
  void rejoin(const network::Introduction& introduction);
  // Returns the number of calls of rejoin().
  std::uint32_t restarts() const { return restarts_; }

 private:
  void take_rank();
  Error first_cause(const Error& error);
  network::ControlOptions control_options();
  network::SecurityOptions security() const;
  plan::Cluster agreed_cluster(const runtime::OpenDevices& devices);
  std::string agreed_refusal(const runtime::OpenDevices& devices, const std::string& own);
  TaskLinks::Options link_options(const std::shared_ptr<runtime::OpenDevices>& devices) const;
  void interrupt_links();
  void exchange_measurements();
  void exchange_cores();
  void print_notices();

  network::TaskIdentity identity_;
  TaskOptions options_;
  report::RunObserver& observer_;
  // Guards the four members below, because the control plane has threads.
  mutable std::mutex mutex_;
  std::vector<std::string> notices_;  // not printed yet
  OperationTexts operations_;
  // The step of the position that was reported to the control plane.
  std::uint64_t network_step_ = 0;
  runtime::NetworkEngine* engine_ = nullptr;
  std::atomic<bool> linked_ = false;
  std::optional<Error> explained_;  // the error with which this generation ends
  bool goes_on_ = false;
  std::uint32_t restarts_ = 0;
  std::unique_ptr<network::ControlPlane> control_;
  std::uint32_t rank_ = 0;
  std::uint32_t devices_per_worker_ = 0;
  std::unique_ptr<ControlPeers> peers_;
  plan::Cluster cluster_;
  std::unique_ptr<TaskLinks> links_;
  std::unique_ptr<runtime::CollectiveInterruption> interruption_;
  std::vector<std::vector<MeasuredLink>> measured_links_;
  std::vector<SharedCores> machines_;
};

// Returns the task that this process is, from its options, else from the variables of a launcher.
// Empty: the run has one process. Error kUsage if these contradict each other.
std::optional<network::TaskIdentity> identify(const JobOptions& options);

// Returns the chief's answer to a question to which each task has an answer of its own. In a run of
// one process (`task` is null), returns `own`. All tasks must ask it.
bool chiefs_answer(Task* task, const std::string& question, bool own);

// Returns a hash that is equal for tasks with the same program.
std::string program_hash();
// Returns the facts that tasks must agree on: options, model, plug-ins.
network::Introduction introduce(const Setup& setup);

}  // namespace convoy::job
