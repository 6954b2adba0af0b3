#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

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
#include "core/runtime/state/model_values.hpp"

namespace convoy::runtime {

// A model on devices with a strategy, ready to run steps: devices are open, storage is chosen, the
// plan is written, lowered and scheduled, memory is allocated, all copies of the parameters have
// the same initial values, and layers are compiled. The plug-ins must outlive it.
class Session {
 public:
  Session(Graph graph, StrategyPlugin& strategy, const DevicePlugin& devices,
          const SessionOptions& options);
  // Uses devices that are already open and may serve other sessions, too.
  Session(Graph graph, StrategyPlugin& strategy, std::shared_ptr<OpenDevices> devices,
          const SessionOptions& options);
  // One task of several hosts: plans for the whole cluster, and has memory, programs, batches and
  // losses of its own host's places and replicas alone. All tasks make their sessions at the same
  // time, with the same graph, strategy and options.
  Session(Graph graph, StrategyPlugin& strategy, std::shared_ptr<OpenDevices> devices,
          const SessionOptions& options, const ClusterTask& task);
  // Forward only: steps run inference and count hits, no strategy has a part in it.
  Session(Graph graph, std::shared_ptr<OpenDevices> devices, const SessionOptions& options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const SessionOptions& options() const { return options_; }
  const Graph& graph() const { return graph_; }
  bool forward_only() const { return forward_only_; }
  // How variables, gradients and optimizer state are stored.
  const Arena& arena() const { return arena_; }
  // The checker's report on the plan; undefined when forward only.
  const CheckReport& check() const { return plan_->step.check(); }
  const Plan& logical_plan() const { return plan_->step.logical(); }
  // The plan that runs now: for a plan with several stages, the current stage.
  const Plan& lowered_plan() const { return plan_->step.lowered(stage_); }
  std::size_t stage() const { return stage_; }
  // All stages.
  const Plan& whole_plan() const { return plan_->step.lowered(); }
  // This host's part of the schedule that runs now; the whole schedule on a single host.
  const Schedule& schedule() const { return local_ ? *local_ : plan_->step.schedule(stage_); }
  const std::shared_ptr<const PreparedPlan>& plan() const { return plan_; }
  const Cluster& cluster() const { return cluster_; }
  const std::vector<convoy_device_description>& devices() const { return devices_->descriptions(); }
  const std::shared_ptr<OpenDevices>& open_devices() const { return devices_; }
  std::uint32_t replicas() const { return cluster_.replicas(); }
  // The numbers of the replicas on this host, ascending.
  const std::vector<std::uint32_t>& local_replicas() const { return local_replicas_; }
  // The connection to other hosts; null when there is no other host.
  const ClusterTask* task() const { return task_ ? &*task_ : nullptr; }
  // For plans that are one strand.
  Executor& executor() { return *executors_.front(); }
  // Whether workers run their steps without waiting for each other, on any number of hosts.
  bool is_asynchronous() const { return schedule().strands.count > 1; }
  // The strands that this host has a part in, each with an executor of its own.
  std::span<const std::unique_ptr<Executor>> strands() const { return executors_; }
  // Between strands and devices; null where nothing needs it.
  StrandGate* gate() { return gate_.get(); }
  // Ends in the middle of steps: waits until no queued operation can touch memory any more; see
  // Executor::cancel().
  bool cancel(const std::string& reason) noexcept;
  PlanMemory& memory() { return *memory_; }
  const PlanMemory& memory() const { return *memory_; }
  // Bytes per place of the cluster: of the plan and of the compiled layers.
  std::vector<MemoryUse> memory_use() const;
  double now() { return devices_->now(); }
  // Per replica of this host, the times of its layers since the session began.
  std::vector<std::vector<convoy_profile_record>> profile() const;

  // Another plan for these devices and this storage. Error like a session's that begins with it.
  std::shared_ptr<const PreparedPlan> prepare(StrategyPlugin& strategy,
                                              std::uint64_t bucket_elements) const;
  // Training continues with this plan from the step with that number. Parameters, optimizer state,
  // batch norm statistics and the loss scale are kept, and so are devices and compiled layers. The
  // memory of both plans never exists at the same time. Call it between two steps with nothing
  // queued, and only for exchangeable plans, see why_not_exchangeable(). Error when there is not
  // enough memory for the plan; the session then keeps the previous one.
  void exchange_plan(std::shared_ptr<const PreparedPlan> plan, std::int64_t next_step);

  // Whether another stage of the plan begins with the step of this number.
  bool stage_begins_with(std::int64_t step) const;
  // Runs the prologue of the stage that begins with that step and continues with this stage. Call
  // it between two steps with nothing queued.
  void enter_stage(std::int64_t step);

  // The loss scale after the last finished step, and another one for the next step; only while no
  // step is open. Without loss scaling it is always 1, and setting it has no effect.
  LossScale loss_scale() const;
  void set_loss_scale(const LossScale& value);

  // The sum of w^2 over decayed elements before the first step.
  double initial_square_sum() const { return initial_square_sum_; }
  // The trained parameters of one variable, plain (OIHW, OI or N), as of the last finished step. On
  // several hosts all tasks make the same call at the same time, and each gets the whole variable.
  std::vector<float> read_variable(std::size_t variable) const;
  // Visits the same values a few rows at a time, without a copy of the whole.
  void visit_variable(std::size_t variable,
                      const std::function<void(std::span<const float>)>& visit) const;
  // Writes plain values to every copy of a variable; only before the first step.
  void write_variable(std::size_t variable, std::span<const float> values);
  // Replica 0's batch norm statistics, empty without any, likewise.
  std::vector<float> read_statistics() const;
  // All variables and the statistics, likewise.
  ModelValues read_values() const;
  // One slot of optimizer state of a range of the arena, as it is stored; likewise.
  std::vector<float> read_optimizer_state(std::uint32_t slot, const ElementRange& range) const;
  // How many updates the optimizer's state has had: the most that any element has had, on any host;
  // likewise.
  std::uint64_t updates() const;
  // Replaces the parameters of every replica from the next step on. Forward only, because a
  // strategy may keep copies that this function does not change. See require_values_of.
  void write_values(const ModelValues& values);

  // One variable's values as they lie in its storage, with `padding` where no element lies, and
  // back.
  std::vector<float> packed(std::size_t variable, const std::vector<float>& values,
                            float padding) const;
  std::vector<float> plain(std::size_t variable, std::vector<float> storage) const;
  // Call it before the first step, after other values were written to memory(). Sets the number of
  // that step and the phase of the plan's body with which it begins. Without a phase, it begins
  // with the first phase, after the plan's prologue and those of all stages up to its own; Error
  // kFailed if a plan with several stages would be in the middle of a period then.
  void restart(std::int64_t first_step, std::optional<std::uint32_t> phase);

 private:
  struct Release {
    OpenDevice* device = nullptr;
    void operator()(void* program) const { device->release(program); }
  };
  using Program = std::unique_ptr<void, Release>;

  Session(Graph graph, StrategyPlugin* strategy, std::shared_ptr<OpenDevices> devices,
          const SessionOptions& options, const ClusterTask* task);
  // The state that passes from one plan to the next between two steps of training.
  struct HandedOver;

  std::shared_ptr<const PreparedPlan> make_plan_of(StrategyPlugin* strategy,
                                                   std::uint64_t bucket_elements) const;
  void require_promises(const PreparedPlan& plan) const;
  void require_network_reach(const PreparedPlan& plan) const;
  void prepare_collectives(const StepPlan& plan) const;
  void require_orders(const StepPlan& plan) const;
  // This task's share of the schedule; there must be a task.
  Schedule schedule_of_task(const StepPlan& plan, std::size_t stage) const;
  void prepare_on_this_host(const Plan& lowered) const;
  void allocate_memory();
  void compile();
  void start();
  void use_stage(std::size_t stage);
  ExecutorParts executor_parts();
  void make_executors();
  HandedOver hand_over() const;
  void adopt(const HandedOver& state, std::shared_ptr<const PreparedPlan> plan,
             std::int64_t next_step);
  void abandon_hung_devices();
  void initialize_parameters();
  double square_sum() const;  // of w^2 over decayed elements
  void read_parameters(const ElementRange& range, float* values) const;
  void take_from_holders(const ElementRange& range, float* values) const;
  std::vector<convoy_decay_range> decayed_ranges() const;

  SessionOptions options_;
  Graph graph_;
  bool forward_only_;
  std::shared_ptr<OpenDevices> devices_;
  std::optional<ClusterTask> task_;
  const Cluster& cluster_;
  Engines engines_;
  std::vector<std::uint32_t> local_replicas_;
  std::unique_ptr<CollectiveGroups> groups_;  // null: no collective reaches other hosts
  Arena arena_;
  std::unique_ptr<GraphView> view_;  // compiled layers refer to it
  std::shared_ptr<const PreparedPlan> plan_;
  std::size_t stage_ = 0;  // of the plan, that training is in
  std::optional<Schedule> local_;
  std::unique_ptr<PlanMemory> memory_;
  double initial_square_sum_ = 0;
  std::vector<Program> programs_;  // per replica; null for other hosts'
  std::unique_ptr<StrandGate> gate_;
  std::vector<std::unique_ptr<Executor>> executors_;  // per strand with a part here; at least one
};

}  // namespace convoy::runtime
