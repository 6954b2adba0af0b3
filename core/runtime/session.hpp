#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/graph/graph.hpp"
#include "core/graph/graph_view.hpp"
#include "core/plugin/device_plugin.hpp"
#include "core/plugin/strategy_plugin.hpp"
#include "core/runtime/asynchronous/strand_gate.hpp"
#include "core/runtime/executor.hpp"
#include "core/runtime/memory.hpp"
#include "core/runtime/network/cluster_task.hpp"
#include "core/runtime/open_devices.hpp"
#include "core/runtime/prepared_plan.hpp"
#include "core/runtime/session_options.hpp"
#include "core/runtime/state/stored_values.hpp"

namespace convoy::runtime {

// A model on devices with a strategy, ready to run steps: devices are open, storage is chosen, the
// plan is written, lowered and scheduled, memory is allocated, all copies of the parameters have
// the same initial values, and layers are compiled. The plug-ins must outlive it.
class Session {
 public:
  // Trains. The devices may serve other sessions, too. As one task of several hosts, it plans for
  // the whole cluster, but has memory, programs, batches and losses only for the places and
  // replicas of its own host. All tasks make their sessions at the same time, with the same graph,
  // strategy and options. Error when the plan cannot run on the devices, or when the options forbid
  // it.
  Session(graph::Graph graph, plugin::StrategyPlugin& strategy,
          std::shared_ptr<OpenDevices> devices, const SessionOptions& options,
          const std::optional<ClusterTask>& task = {});
  // Runs only forward: steps run inference and count hits, and no strategy takes part.
  Session(graph::Graph graph, std::shared_ptr<OpenDevices> devices, const SessionOptions& options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const SessionOptions& options() const { return options_; }
  const graph::Graph& graph() const { return graph_; }
  // The storage of variables, gradients and optimizer state.
  const graph::Arena& arena() const { return arena_; }
  const std::shared_ptr<OpenDevices>& devices() const { return devices_; }
  // The cluster of all hosts.
  const plan::Cluster& cluster() const { return cluster_; }
  // The connection to other hosts; null when there is no other host.
  const ClusterTask* task() const { return task_ ? &*task_ : nullptr; }
  // The numbers of the replicas on this host, ascending.
  const std::vector<std::uint32_t>& local_replicas() const { return local_replicas_; }

  const std::shared_ptr<const PreparedPlan>& plan() const { return plan_; }
  bool forward_only() const { return plan_->strategy == nullptr; }
  // The stage of the plan that runs now, and its part of the lowered plan.
  std::size_t stage() const { return stage_; }
  const plan::Plan& lowered_plan() const { return plan_->step.lowered(stage_); }
  // This host's part of its schedule; the whole schedule on a single host.
  const plan::Schedule& schedule() const { return local_ ? *local_ : plan_->step.schedule(stage_); }
  // Whether workers run their steps without waiting for each other, on any number of hosts.
  bool is_asynchronous() const { return schedule().strands.count > 1; }

  // For plans with a single strand.
  Executor& executor() { return *executors_.front(); }
  // The strands that this host has a part in, each with an executor of its own.
  std::span<const std::unique_ptr<Executor>> strands() const { return executors_; }
  // The gate between strands and devices; null if nothing needs it.
  StrandGate* gate() { return gate_.get(); }
  // Ends in the middle of steps: waits until no queued operation can touch memory any more; see
  // Executor::cancel().
  bool cancel(const std::string& reason) noexcept;

  PlanMemory& memory() { return *memory_; }
  const PlanMemory& memory() const { return *memory_; }
  StoredValues& values() { return *values_; }
  const StoredValues& values() const { return *values_; }
  // The sum of w^2 over decayed elements before the first step.
  double initial_square_sum() const { return initial_square_sum_; }
  // Bytes per place of the cluster, for the plan and for the compiled layers.
  std::vector<MemoryUse> memory_use() const;
  // Returns, per replica of this host, the times of its layers since the session began.
  std::vector<std::vector<convoy_profile_record>> profile() const;

  // Prepares another plan for these devices and this storage. Error as for a session that begins
  // with it.
  std::shared_ptr<const PreparedPlan> prepare(plugin::StrategyPlugin& strategy,
                                              std::uint64_t bucket_elements) const;
  // Continues training with this plan from the step with that number. Keeps parameters, optimizer
  // state, batch norm statistics and the loss scale, and also devices and compiled layers. The
  // memory of both plans never exists at the same time. Call it between two steps with nothing
  // queued, and only for exchangeable plans, see why_not_exchangeable(). Returns why the
  // session keeps its previous plan, for example because there is not enough memory for this one;
  // nothing when it has the new plan. Error when it can go on with neither: a device hangs, or the
  // previous plan does not fit any more.
  std::optional<Error> exchange_plan(std::shared_ptr<const PreparedPlan> plan,
                                     std::int64_t next_step);
  // Runs the prologue of the stage that begins with that step and continues with this stage. Call
  // it between two steps with nothing queued.
  void enter_stage(std::int64_t step);
  // Call it before the first step, after other values were written to memory(). Sets the number of
  // that step and the phase of the plan's body with which it begins. Without a phase, it begins
  // with the first phase, after the plan's prologue and those of all stages up to its own; Error
  // kFailed if a plan with several stages would be in the middle of a period then.
  void restart(std::int64_t first_step, std::optional<std::uint32_t> phase);

 private:
  struct Release {
    plugin::OpenDevice* device = nullptr;
    void operator()(void* program) const { device->release(program); }
  };
  using Program = std::unique_ptr<void, Release>;

  Session(graph::Graph graph, plugin::StrategyPlugin* strategy,
          std::shared_ptr<OpenDevices> devices, const SessionOptions& options,
          const std::optional<ClusterTask>& task);
  PlanSite site() const;
  void allocate_memory();
  void initialize_parameters();
  void compile();
  void start();
  void use_stage(std::size_t stage);
  ExecutorParts executor_parts();
  void make_executors();
  void adopt(const StoredValues::Snapshot& state, std::shared_ptr<const PreparedPlan> plan,
             std::int64_t next_step);
  void abandon_hung_devices();

  SessionOptions options_;
  graph::Graph graph_;
  std::shared_ptr<OpenDevices> devices_;
  std::optional<ClusterTask> task_;
  const plan::Cluster& cluster_;
  Engines engines_;
  std::vector<std::uint32_t> local_replicas_;
  std::unique_ptr<CollectiveGroups> groups_;  // null: no collective reaches other hosts
  graph::Arena arena_;
  std::unique_ptr<graph::GraphView> view_;  // compiled layers refer to it
  std::shared_ptr<const PreparedPlan> plan_;
  std::size_t stage_ = 0;  // the stage of the plan that training is in
  std::optional<plan::Schedule> local_;
  std::unique_ptr<PlanMemory> memory_;
  std::optional<StoredValues> values_;  // the values in memory_
  double initial_square_sum_ = 0;
  std::vector<Program> programs_;  // per replica; null for other hosts'
  std::unique_ptr<StrandGate> gate_;
  std::vector<std::unique_ptr<Executor>> executors_;  // per strand with a part here; at least one
};

}  // namespace convoy::runtime
