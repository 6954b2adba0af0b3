#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
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
#include "core/runtime/open_devices.hpp"
#include "core/runtime/session.hpp"

namespace convoy::job {

// This process as one task of a run on several hosts: joined to the others over the control plane,
// later linked to them by transports. Called by the thread that runs the job.
class Task {
 public:
  // Joins: waits until all tasks have come. Error as network::ControlPlane; observer.interruption()
  // ends every wait.
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

  // The blobs of all by rank, or the chief's; all workers and servers call these with the same
  // names in the same order.
  std::vector<std::string> exchange(const std::string& what, std::string blob);
  std::string from_chief(const std::string& what, std::string blob);

  // The chief's sizes, which hold for all; `devices`: this worker's.
  Sizes chiefs_sizes(const Sizes& own, std::uint32_t devices);
  // How many devices each worker has; known once the sizes are.
  std::uint32_t devices_per_worker() const { return devices_per_worker_; }

  // Agrees with the others on what the workers' devices are, opens transports and connects.
  // Servers, too, with the device that serves them.
  void link(const Catalog& catalog, PluginHost& host,
            const std::shared_ptr<runtime::OpenDevices>& devices, const PluginLog& log);
  // From then on; refers to this task.
  runtime::ClusterTask cluster_task();
  const Cluster& cluster() const { return cluster_; }
  // What every task measured of its links before step 0: [from][to], by rank.
  const std::vector<std::vector<MeasuredLink>>& measured_links() const { return measured_links_; }
  // The numbers of this task's replicas.
  std::vector<int> replicas() const;
  // All tasks are about to run the same, else Error naming the first difference.
  void agree_on_plan(const runtime::Session& session);

  // Relates the devices' clock, as it is now, to the coordinator's. May wait for a heartbeat.
  CommonClock common_clock(const std::function<double()>& devices_now);

  // After a finished step: for heartbeats, and to print what others had to say.
  void finished_step(std::int64_t step);
  // The other tasks, how they are reached and what went there and back.
  std::vector<PeerRecord> peers() const;
  // "worker 1 (host7, pid 4711)".
  std::string name_of(std::uint32_t rank) const;
  // All tasks are through. Gives what each of them had to say, by rank.
  std::vector<std::string> finish(const std::string& own);
  // For a controller, which has no part in the run: waits until it ends. Whoever interrupts it ends
  // all tasks.
  void wait_for_end();
  // Whether this task or another one was interrupted, so that all end together. An interruption of
  // this task is told to the others.
  bool wants_to_end();
  // Why a run was stopped, as all tasks know it: the same task, signal and exit code.
  std::optional<network::Interruption> interruption() const { return control_->interruption(); }
  // This task ends because of an error: tells the others, and gives the error to end with: what is
  // known of the run's first cause, if that is another task's.
  Error explain(const Error& error);
  // The same before what is under way has ended, which may take a while: a loss is told at once.
  void name_loss(const Error& error);
  // Whether the error that was explained is the loss of a task that may be replaced: rejoin then.
  bool goes_on() const { return goes_on_; }
  // Lets go of all links and waits until all tasks have come again, one of them anew; errors as the
  // constructor's. Everything after it is said once more, beginning with the sizes.
  void rejoin(const network::Introduction& introduction);
  // How often it did.
  std::uint32_t restarts() const { return restarts_; }

 private:
  void take_rank();
  Error first_cause(const Error& error);
  network::ControlOptions control_options();
  network::SecurityOptions security() const;
  Cluster agreed_cluster(const runtime::OpenDevices& devices);
  std::string agreed_refusal(const runtime::OpenDevices& devices, const std::string& own);
  TaskLinks::Options link_options(const std::shared_ptr<runtime::OpenDevices>& devices) const;
  void interrupt_links();
  void exchange_measurements();
  void print_notices();

  network::TaskIdentity identity_;
  TaskOptions options_;
  report::RunObserver& observer_;
  mutable std::mutex mutex_;          // of the four below: the control plane has threads
  std::vector<std::string> notices_;  // not yet printed
  OperationTexts operations_;
  std::uint64_t network_step_ = 0;  // the step of the position that the control plane knows
  runtime::NetworkEngine* engine_ = nullptr;
  std::atomic<bool> linked_ = false;
  std::optional<Error> explained_;  // how this generation ends
  bool goes_on_ = false;
  std::uint32_t restarts_ = 0;
  std::unique_ptr<network::ControlPlane> control_;
  std::uint32_t rank_ = 0;
  std::uint32_t devices_per_worker_ = 0;
  std::unique_ptr<ControlPeers> peers_;
  Cluster cluster_;
  std::unique_ptr<TaskLinks> links_;
  std::unique_ptr<runtime::CollectiveInterruption> interruption_;
  std::vector<std::vector<MeasuredLink>> measured_links_;
};

// Which task of a run this process is, by its options, else by the variables that a launcher has
// set. Empty: the run has one process. Error kUsage when they contradict each other.
std::optional<network::TaskIdentity> identify(const JobOptions& options);

// The same for all tasks that run the same program, and of a plug-in that has the same file.
std::string program_hash();
std::string file_hash(const std::filesystem::path& path);
// What a worker brings: the options that must agree, the model, the plug-ins that take part.
network::Introduction introduce(const Setup& setup);

}  // namespace convoy::job
