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
#include "core/runtime/cluster_task.hpp"
#include "core/runtime/executor.hpp"
#include "core/runtime/memory.hpp"
#include "core/runtime/model_values.hpp"
#include "core/runtime/open_devices.hpp"
#include "core/runtime/prepared_plan.hpp"
#include "core/runtime/session_options.hpp"
#include "core/runtime/strand_gate.hpp"

namespace convoy {

// A model on devices under a strategy, ready to take steps: devices open, storage chosen, plan
// written, lowered and scheduled, memory allocated, parameters initialised alike everywhere, layers
// compiled. The plug-ins must outlive it.
class Session {
 public:
  Session(Graph graph, StrategyPlugin& strategy, const DevicePlugin& devices,
          const SessionOptions& options);
  // On devices that are open already and may serve other sessions too.
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
  // What the checker proved of the plan; meaningless when forward only.
  const CheckReport& check() const { return plan_->step.check(); }
  const Plan& logical_plan() const { return plan_->step.logical(); }
  // What runs now: of a plan with several stages, the one that training is in.
  const Plan& lowered_plan() const { return plan_->step.lowered(stage_); }
  std::size_t stage() const { return stage_; }
  // All stages.
  const Plan& whole_plan() const { return plan_->step.lowered(); }
  // What this host does of what runs now: everything, unless there are other hosts.
  const Schedule& schedule() const { return local_ ? *local_ : plan_->step.schedule(stage_); }
  const std::shared_ptr<const PreparedPlan>& plan() const { return plan_; }
  const Cluster& cluster() const { return cluster_; }
  const std::vector<convoy_device_description>& devices() const { return devices_->descriptions(); }
  const std::shared_ptr<OpenDevices>& open_devices() const { return devices_; }
  std::uint32_t replicas() const { return cluster_.replicas(); }
  // The numbers of the replicas on this host, ascending.
  const std::vector<std::uint32_t>& local_replicas() const { return local_replicas_; }
  // What joins this host to others; null when there is no other host.
  const ClusterTask* task() const { return task_ ? &*task_ : nullptr; }
  // For plans that are one strand.
  Executor& executor() { return *executors_.front(); }
  // Whether workers go through the steps without waiting for each other, on however many hosts.
  bool is_asynchronous() const { return schedule().strands.count > 1; }
  // The strands that this host has a part in, each with an executor of its own.
  std::span<const std::unique_ptr<Executor>> strands() const { return executors_; }
  // Between strands and devices; null where nothing needs it.
  StrandGate* gate() { return gate_.get(); }
  // Ends in the middle of steps: waits until nothing that was queued can touch memory any more;
  // see Executor::cancel().
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
  // Training goes on with this plan from the step with that number: parameters, optimizer state,
  // batch norm statistics and loss scale pass over, devices and compiled layers stay, and never is
  // there memory for both plans. Between two steps, nothing being queued, and only for plans that
  // are exchangeable, see why_not_exchangeable(). Error when the plan finds no memory: then the
  // session still has the one before.
  void exchange_plan(std::shared_ptr<const PreparedPlan> plan, std::int64_t next_step);

  // Whether another stage of the plan begins with the step of this number.
  bool stage_begins_with(std::int64_t step) const;
  // Training goes on with the stage that begins with that step, after its prologue. Between two
  // steps, nothing being queued.
  void enter_stage(std::int64_t step);

  // The loss scale after the last finished step, and another one for the next step; only while no
  // step is open. Without loss scaling it is 1 for ever, and setting it does nothing.
  LossScale loss_scale() const;
  void set_loss_scale(const LossScale& value);

  // The sum of w^2 over decayed elements before the first step.
  double initial_square_sum() const { return initial_square_sum_; }
  // The trained parameters of one variable, plain (OIHW, OI or N), as of the last finished step. On
  // several hosts all tasks read the same at the same time, and each gets it whole.
  std::vector<float> read_variable(std::size_t variable) const;
  // Visits the same values a few rows at a time, without a copy of the whole.
  void visit_variable(std::size_t variable,
                      const std::function<void(std::span<const float>)>& visit) const;
  // Makes plain values those of every copy of a variable; only before the first step.
  void write_variable(std::size_t variable, std::span<const float> values);
  // Replica 0's batch norm statistics, empty without any, likewise.
  std::vector<float> read_statistics() const;
  // All variables and the statistics, likewise.
  ModelValues read_values() const;
  // One slot of optimizer state of a range of the arena, as it is stored; likewise.
  std::vector<float> read_optimizer_state(std::uint32_t slot, const ElementRange& range) const;
  // Replaces what every replica computes with, from the next step on. Forward only, because a
  // strategy may keep copies that this does not reach. See require_values_of.
  void write_values(const ModelValues& values);

  // One variable's values as they lie in its storage, with `padding` where no element lies, and
  // back.
  std::vector<float> packed(std::size_t variable, const std::vector<float>& values,
                            float padding) const;
  std::vector<float> plain(std::size_t variable, std::vector<float> storage) const;
  // Before the first step, when other values were written to memory(): the number of that step and
  // the phase of the plan's body with which it begins. Without a phase it is the first, after the
  // plan's prologue, that of its stage and those before; Error kFailed where that would be in the
  // middle of a period of a plan with several stages.
  void restart(std::int64_t first_step, std::optional<std::uint32_t> phase);

 private:
  struct Release {
    OpenDevice* device = nullptr;
    void operator()(void* program) const { device->release(program); }
  };
  using Program = std::unique_ptr<void, Release>;

  Session(Graph graph, StrategyPlugin* strategy, std::shared_ptr<OpenDevices> devices,
          const SessionOptions& options, const ClusterTask* task);
  // What a plan hands over to the next between two steps of training.
  struct HandedOver;

  std::shared_ptr<const PreparedPlan> make_plan_of(StrategyPlugin* strategy,
                                                   std::uint64_t bucket_elements) const;
  void require_promises(const PreparedPlan& plan) const;
  void require_network_reach(const PreparedPlan& plan) const;
  void prepare_collectives(const StepPlan& plan) const;
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
  Arena arena_;
  std::unique_ptr<GraphView> view_;  // layers are compiled with it, and hold on to it
  std::shared_ptr<const PreparedPlan> plan_;
  std::size_t stage_ = 0;  // of the plan, that training is in
  std::optional<Schedule> local_;
  std::unique_ptr<PlanMemory> memory_;
  double initial_square_sum_ = 0;
  std::vector<Program> programs_;  // per replica; null for other hosts'
  std::unique_ptr<StrandGate> gate_;
  std::vector<std::unique_ptr<Executor>> executors_;  // per strand with a part here; at least one
};

}  // namespace convoy
