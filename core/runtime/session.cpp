#include "core/runtime/session.hpp"

#include <algorithm>
#include <set>

#include "core/base/error.hpp"
#include "core/base/process/left_memory.hpp"
#include "core/base/process/processors.hpp"
#include "core/plan/stages.hpp"
#include "core/runtime/compute_dtype.hpp"
#include "core/runtime/state/initial_values.hpp"
#include "core/runtime/storage.hpp"

namespace convoy::runtime {
namespace {

std::unique_ptr<CollectiveGroups> groups_for(const std::optional<ClusterTask>& task,
                                             const Engines& engines) {
  if (!task || !task->cluster->device_collectives) return nullptr;
  CONVOY_CHECK(task->interruption != nullptr);
  return std::make_unique<CollectiveGroups>(task->host, engines, *task->interruption);
}

// Returns the replicas whose devices are open here.
std::vector<std::uint32_t> replicas_with(const plan::Cluster& cluster, const Engines& engines) {
  std::vector<std::uint32_t> replicas;
  for (std::uint32_t replica = 0; replica < cluster.replicas(); ++replica)
    if (engines[cluster.replica_place[replica]] != nullptr) replicas.push_back(replica);
  return replicas;
}

// A stage begins only at the end of a period of the previous one.
void require_period_begins(const plan::Plan& plan, std::size_t stage, std::uint64_t step) {
  const std::uint64_t done = step - plan::first_step_of(plan, stage);
  const std::uint32_t computes = plan::computes_of(plan, stage);
  if (plan.later.empty() || done % computes == 0) return;
  fail(ExitCode::kFailed,
       "training cannot go on from step {}: the plan takes {} steps at a time there, and what it "
       "keeps between them is not known of another number of devices or several hosts; begin "
       "with a checkpoint of step {}, or with the devices that wrote this one",
       step, computes, step - done % computes);
}

}  // namespace

Session::Session(graph::Graph graph, plugin::StrategyPlugin& strategy,
                 std::shared_ptr<OpenDevices> devices, const SessionOptions& options,
                 const std::optional<ClusterTask>& task)
    : Session(std::move(graph), &strategy, std::move(devices), options, task) {}

Session::Session(graph::Graph graph, std::shared_ptr<OpenDevices> devices,
                 const SessionOptions& options)
    : Session(std::move(graph), nullptr, std::move(devices), options, {}) {}

Session::Session(graph::Graph graph, plugin::StrategyPlugin* strategy,
                 std::shared_ptr<OpenDevices> devices, const SessionOptions& options,
                 const std::optional<ClusterTask>& task)
    : options_(options),
      graph_(std::move(graph)),
      devices_(std::move(devices)),
      task_(task),
      cluster_(task_ ? *task_->cluster : devices_->cluster()),
      engines_(task_ ? engines_of(*task_, *devices_) : devices_->engines()),
      local_replicas_(replicas_with(cluster_, engines_)),
      groups_(groups_for(task_, engines_)),
      arena_(choose_storage(
          graph_, {cluster_, engines_, devices_->descriptions(), task_ ? task_->peers : nullptr},
          options, strategy == nullptr)),
      view_(std::make_unique<graph::GraphView>(graph_, arena_)) {
  options_.dtype = choose_compute_dtype(options_.dtype, devices_->descriptions());
  plan_ = prepare_plan(site(), strategy, options_.bucket_elements);
  allocate_memory();
  initialize_parameters();  // before activations exist, because it needs memory of its own for a
                            // moment
  compile();
  start();
}

Session::~Session() {
  abandon_hung_devices();
}

PlanSite Session::site() const {
  return {graph_, arena_, cluster_, options_, devices_, engines_, groups_.get(), task()};
}

void Session::allocate_memory() {
  const plan::Plan& plan = plan_->step.lowered();
  memory_ =
      std::make_unique<PlanMemory>(plan, engines_, options_.optimizer, graph_.state_elements());
  values_.emplace(graph_, arena_, plan, *memory_, task());
}

ExecutorParts Session::executor_parts() {
  ExecutorParts parts;
  if (task_) {
    parts.host = task_->host;
    parts.network = task_->network;
  }
  parts.plan = &lowered_plan();
  parts.schedule = &schedule();
  parts.engines = &engines_;
  parts.groups = groups_.get();
  parts.memory = memory_.get();
  parts.optimizer = &options_.optimizer;
  for (const Program& program : programs_) parts.programs.push_back(program.get());
  parts.decayed = graph::decayed_ranges(graph_, arena_);
  parts.device_kernels = plan_->kernels.get();
  if (plan_->strategy != nullptr) parts.author = &plan_->strategy->settings();
  parts.kernel = [strategy = plan_->strategy](const std::string& name) {
    return strategy == nullptr ? plan::HostKernel() : host_kernel_of(*strategy, name);
  };
  return parts;
}

void Session::make_executors() {
  ExecutorParts parts = executor_parts();
  executors_.clear();
  gate_.reset();
  parts.timelines = std::make_shared<LaneTimelines>(schedule().lanes.size());
  auto gate =
      std::make_unique<StrandGate>(lowered_plan(), schedule(), engines_, *memory_, parts.timelines);
  if (gate->is_needed()) gate_ = std::move(gate);
  parts.gate = gate_.get();
  std::set<std::uint32_t> here;
  for (const plan::Lane& lane : schedule().lanes) here.insert(lane.strand);
  if (here.size() > 1 || is_asynchronous())
    for (const std::uint32_t strand : here) {
      parts.strand = strand;
      executors_.push_back(std::make_unique<Executor>(parts, options_.executor));
    }
  if (executors_.empty())
    executors_.push_back(std::make_unique<Executor>(std::move(parts), options_.executor));
}

void Session::use_stage(std::size_t stage) {
  stage_ = stage;
  memory_->hold_values_as(lowered_plan());
  local_.reset();
  if (task_) local_ = schedule_of_host(plan_->step, stage_, task_->host);
  make_executors();
}

void Session::start() {
  use_stage(0);
  try {
    executors_.front()->run_prologue();
  } catch (...) {
    abandon_hung_devices();  // because the destructor does not run
    throw;
  }
}

bool Session::cancel(const std::string& reason) noexcept {
  bool still = true;
  for (const auto& executor : executors_) still = executor->cancel(reason) && still;
  return still;
}

// Closing a hanging device would hang, and its running operations still need their memory. So
// neither is freed until the process ends.
void Session::abandon_hung_devices() {
  if (cancel("its session ended in the middle of a step")) return;
  for (auto& executor : executors_) leave_to_the_end(executor);
  executors_.clear();
  leave_to_the_end(gate_);
  for (Program& program : programs_) leave_to_the_end(program);
  leave_to_the_end(groups_);
  leave_to_the_end(memory_);
  leave_to_the_end(view_);
  devices_->abandon();
}

void Session::compile() {
  programs_.resize(cluster_.replicas());
  for (const std::uint32_t replica : local_replicas_) {
    plugin::OpenDevice* device = engines_[cluster_.replica_place[replica]];
    const convoy_compilation what =
        compilation_of(*view_, options_, forward_only(), replica, cluster_.replicas());
    programs_[replica] = Program(device->compile(what), Release{device});
  }
}

std::vector<MemoryUse> Session::memory_use() const {
  std::vector<MemoryUse> use = memory_->use();
  for (const std::uint32_t replica : local_replicas_) {
    const Program& program = programs_[replica];
    const auto memory = program.get_deleter().device->program_memory(program.get());
    if (!memory) continue;
    MemoryUse& place = use.at(cluster_.replica_place[replica]);
    place.activations += memory->activations;
    place.scratch += memory->scratch;
  }
  return use;
}

std::vector<std::vector<convoy_profile_record>> Session::profile() const {
  std::vector<std::vector<convoy_profile_record>> records;
  for (const std::uint32_t replica : local_replicas_) {
    const Program& program = programs_[replica];
    records.push_back(program.get_deleter().device->profile(program.get()));
  }
  return records;
}

// Initialises one variable after the other, because all of them together are as large as the model.
// Every host computes the same values, whatever part of them it holds.
void Session::initialize_parameters() {
  const int threads = static_cast<int>(count_usable_processors());
  for (std::uint32_t i = 0; i < graph_.variables().size(); ++i) {
    const std::vector<float> values =
        initial_variable(graph_, i, options_.seed, options_.hash_initializer, threads);
    values_->write_variable(i, values);
    if (!graph_.variables()[i].decayed) continue;
    for (const float value : values) initial_square_sum_ += static_cast<double>(value) * value;
  }
  if (graph_.state_elements() > 0) memory_->write_replica_state(initial_state(graph_));
}

void Session::enter_stage(std::int64_t step) {
  use_stage(plan::stage_at(plan_->step.lowered(), static_cast<std::uint64_t>(step)));
  executors_.front()->run_prologue();
  for (const auto& executor : executors_) executor->start_at(step, 0);
}

// With a complete state, the prologue of a stage that begins with the first step still has to run.
void Session::restart(std::int64_t first_step, std::optional<std::uint32_t> phase) {
  const auto step = static_cast<std::uint64_t>(first_step);
  const plan::Plan& plan = plan_->step.lowered();
  const std::size_t stage = plan::stage_at(plan, step);
  if (!phase) require_period_begins(plan, stage, step);
  for (std::size_t i = phase ? stage : 0; i <= stage; ++i) {
    if (i != stage_) use_stage(i);
    if (!phase || plan::stage_begins_with(plan, step)) executors_.front()->run_prologue();
  }
  for (const auto& executor : executors_) executor->start_at(first_step, phase.value_or(0));
  initial_square_sum_ = values_->square_sum();
}

std::shared_ptr<const PreparedPlan> Session::prepare(plugin::StrategyPlugin& strategy,
                                                     std::uint64_t bucket_elements) const {
  CONVOY_CHECK(!forward_only());
  return prepare_plan(site(), &strategy, bucket_elements);
}

std::optional<Error> Session::exchange_plan(std::shared_ptr<const PreparedPlan> plan,
                                            std::int64_t next_step) {
  const StoredValues::Snapshot state = values_->snapshot();
  const std::shared_ptr<const PreparedPlan> before = plan_;
  try {
    adopt(state, std::move(plan), next_step);
    return std::nullopt;
  } catch (const Error& error) {
    if (devices_->are_abandoned() || error.code() == ExitCode::kTimeout) throw;
    adopt(state, before, next_step);
    return error;
  }
}

// The prologue runs on these values as it does on those of a new session.
void Session::adopt(const StoredValues::Snapshot& state, std::shared_ptr<const PreparedPlan> plan,
                    std::int64_t next_step) {
  executors_.clear();
  gate_.reset();
  values_.reset();
  memory_.reset();
  plan_ = std::move(plan);
  options_.bucket_elements = plan_->bucket_elements;
  allocate_memory();
  values_->restore(state);
  start();
  for (const auto& executor : executors_) executor->start_at(next_step, 0);
  if (options_.guard.automatic_loss_scale) values_->set_loss_scale(state.loss_scale);
}

}  // namespace convoy::runtime
