// The part of Session that makes plans and passes from one to another.
#include <set>

#include "core/base/error.hpp"
#include "core/plan/lower/device_collective.hpp"
#include "core/plan/schedule/local_schedule.hpp"
#include "core/plan/schedule/spanning_collective.hpp"
#include "core/plan/stages.hpp"
#include "core/runtime/claim.hpp"
#include "core/runtime/model_map.hpp"
#include "core/runtime/session.hpp"
#include "core/runtime/supported.hpp"

namespace convoy::runtime {
// In the order of storage, since all plans of a session share that.
struct Session::HandedOver {
  std::vector<float> parameters;
  std::vector<std::vector<float>> optimizer;   // per slot
  std::uint64_t updates = 0;                   // that it has had
  std::vector<std::vector<float>> statistics;  // per replica of this host; empty without any
  LossScale loss_scale;
};

std::shared_ptr<const PreparedPlan> Session::make_plan_of(StrategyPlugin* strategy,
                                                          std::uint64_t bucket_elements) const {
  ArenaMap map = make_arena_map(graph_, arena_, bucket_elements);
  std::shared_ptr<PreparedPlan> made;
  if (strategy == nullptr) {
    made.reset(new PreparedPlan{nullptr, bucket_elements, {cluster_, std::move(map)}, nullptr});
  } else {
    made.reset(new PreparedPlan{
        strategy,
        bucket_elements,
        {cluster_, std::move(map), author_of(*strategy), {.guard = options_.guard}},
        nullptr});
    require_claim(strategy->manifest(), made->step.logical(), made->step.check());
    for (const Operation* call : called_kernels(made->step.logical()))
      require_form(*strategy, call->details->kernel, devices_->kernel_forms());
  }
  require_network_reach(*made);
  require_supported(made->step.lowered(), engines_);
  prepare_collectives(made->step);
  require_promises(*made);
  if (strategy != nullptr)
    made->kernels =
        std::make_unique<DeviceKernels>(made->step.lowered(), engines_, *strategy, devices_);
  return made;
}

// Checks options whose validity depends on the plan.
void Session::require_promises(const PreparedPlan& plan) const {
  if (plan.strategy == nullptr) return;
  const std::string& name = plan.strategy->manifest().name;
  if (options_.deterministic) require_deterministic(name, plan.step.check(), devices());
  if (plan.step.check().exact == Verdict::kIndependent && options_.optimizer.gradient_scale != 1)
    fail(ExitCode::kUsage,
         "--gradient_scale=sum does not go with --variable_update={}: every device trains alone "
         "there and nothing is summed; leave it out",
         name);
}

// Checks that the network can carry the messages between this host and others.
void Session::require_network_reach(const PreparedPlan& plan) const {
  if (!task_) return;
  const std::uint32_t strands = plan.step.schedule().strands.count;
  if (strands > task_->network->channels())
    fail(ExitCode::kUsage,
         "strategy {} has {} workers that do not wait for each other, and messages of each need a "
         "channel of their own, but there are {}; take fewer workers, or --cross_replica_sync=true",
         plan.strategy->manifest().name, strands, task_->network->channels());
}

// Every group of devices once, before there is anything to wait for.
void Session::prepare_collectives(const StepPlan& plan) const {
  require_orders(plan);
  prepare_on_this_host(plan.lowered());
  if (groups_) groups_->open(plan.lowered(), *task_->peers, task_->join_timeout);
}

// On several hosts, every host looks at its own lanes.
void Session::require_orders(const StepPlan& plan) const {
  for (std::size_t stage = 0; stage < plan.stages(); ++stage) {
    if (!task_)
      require_collective_order(plan.lowered(stage), plan.schedule(stage));
    else if (groups_)
      require_collective_order(plan.lowered(stage), schedule_of_task(plan, stage));
  }
}

Schedule Session::schedule_of_task(const StepPlan& plan, std::size_t stage) const {
  const Plan& lowered = plan.lowered(stage);
  return local_schedule(lowered, find_dependencies(lowered), plan.schedule(stage), task_->host);
}

void Session::prepare_on_this_host(const Plan& lowered) const {
  std::set<std::vector<std::uint32_t>> prepared;
  for (const std::vector<Operation>* section : sections_of(lowered))
    for (const Operation& operation : *section) {
      if (!is_collective(operation.kind) || spans_hosts(lowered, operation)) continue;
      if (engines_.at(operation.place) == nullptr) continue;
      const std::vector<std::uint32_t> places = participants(operation, lowered);
      if (!prepared.insert(places).second) continue;
      std::vector<OpenDevice*> devices;
      devices.reserve(places.size());
      for (const std::uint32_t place : places) devices.push_back(engines_.at(place));
      const auto reason = engines_.at(operation.place)->collective_refusal(devices, true);
      if (reason)
        fail(ExitCode::kUnavailable, "operation {} ({}) of the plan cannot be prepared: {}",
             operation.id, operation_name(operation.kind), *reason);
    }
}

std::shared_ptr<const PreparedPlan> Session::prepare(StrategyPlugin& strategy,
                                                     std::uint64_t bucket_elements) const {
  CONVOY_CHECK(!forward_only_);
  return make_plan_of(&strategy, bucket_elements);
}

void Session::exchange_plan(std::shared_ptr<const PreparedPlan> plan, std::int64_t next_step) {
  const HandedOver state = hand_over();
  const std::shared_ptr<const PreparedPlan> before = plan_;
  try {
    adopt(state, std::move(plan), next_step);
  } catch (const Error& error) {
    if (error.code() != ExitCode::kTimeout) adopt(state, before, next_step);
    throw;
  }
}

Session::HandedOver Session::hand_over() const {
  HandedOver state;
  const ElementRange all{0, arena_.elements()};
  state.parameters.resize(all.count);
  read_parameters(all, state.parameters.data());
  for (std::uint32_t slot = 0; slot < memory_->state_slots(); ++slot)
    state.optimizer.push_back(read_optimizer_state(slot, all));
  state.updates = updates();
  if (graph_.state_elements() > 0)
    for (const std::uint32_t replica : local_replicas_)
      state.statistics.push_back(memory_->read_replica_state(replica));
  state.loss_scale = loss_scale();
  return state;
}

// The prologue runs on the values as it does on those of a new session.
void Session::adopt(const HandedOver& state, std::shared_ptr<const PreparedPlan> plan,
                    std::int64_t next_step) {
  executors_.clear();
  gate_.reset();
  memory_.reset();
  plan_ = std::move(plan);
  options_.bucket_elements = plan_->bucket_elements;
  allocate_memory();
  memory_->write_parameters(state.parameters);
  for (std::uint32_t slot = 0; slot < state.optimizer.size(); ++slot)
    memory_->write_optimizer_state(slot, 0, state.optimizer[slot]);
  memory_->update_counts().fill(state.updates);
  for (std::size_t i = 0; i < state.statistics.size(); ++i)
    memory_->write_replica_state(local_replicas_[i], state.statistics[i]);
  start();
  for (const auto& executor : executors_) executor->start_at(next_step, 0);
  if (options_.guard.automatic_loss_scale) set_loss_scale(state.loss_scale);
}

}  // namespace convoy::runtime
