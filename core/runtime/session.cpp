#include "core/runtime/session.hpp"

#include <algorithm>
#include <set>
#include <thread>

#include "core/base/error.hpp"
#include "core/base/left_memory.hpp"
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

// The replicas on the devices that there are.
std::vector<std::uint32_t> replicas_with(const Cluster& cluster, const Engines& engines) {
  std::vector<std::uint32_t> replicas;
  for (std::uint32_t replica = 0; replica < cluster.replicas(); ++replica)
    if (engines[cluster.replica_place[replica]] != nullptr) replicas.push_back(replica);
  return replicas;
}

// The next stage begins at the end of one.
void require_period_begins(const Plan& plan, std::size_t stage, std::uint64_t step) {
  const std::uint64_t done = step - first_step_of(plan, stage);
  const std::uint32_t computes = computes_of(plan, stage);
  if (plan.later.empty() || done % computes == 0) return;
  fail(ExitCode::kFailed,
       "training cannot go on from step {}: the plan takes {} steps at a time there, and what it "
       "keeps between them is not known of another number of devices or several hosts; begin "
       "with a checkpoint of step {}, or with the devices that wrote this one",
       step, computes, step - done % computes);
}

}  // namespace

Session::Session(Graph graph, StrategyPlugin& strategy, const DevicePlugin& devices,
                 const SessionOptions& options)
    : Session(std::move(graph), &strategy,
              std::make_shared<OpenDevices>(devices, options.devices, options.threads), options,
              nullptr) {}

Session::Session(Graph graph, StrategyPlugin& strategy, std::shared_ptr<OpenDevices> devices,
                 const SessionOptions& options)
    : Session(std::move(graph), &strategy, std::move(devices), options, nullptr) {}

Session::Session(Graph graph, StrategyPlugin& strategy, std::shared_ptr<OpenDevices> devices,
                 const SessionOptions& options, const ClusterTask& task)
    : Session(std::move(graph), &strategy, std::move(devices), options, &task) {}

Session::Session(Graph graph, std::shared_ptr<OpenDevices> devices, const SessionOptions& options)
    : Session(std::move(graph), nullptr, std::move(devices), options, nullptr) {}

Session::Session(Graph graph, StrategyPlugin* strategy, std::shared_ptr<OpenDevices> devices,
                 const SessionOptions& options, const ClusterTask* task)
    : options_(options),
      graph_(std::move(graph)),
      forward_only_(strategy == nullptr),
      devices_(std::move(devices)),
      task_(task == nullptr ? std::nullopt : std::optional(*task)),
      cluster_(task_ ? *task_->cluster : devices_->cluster()),
      engines_(task_ ? engines_of(*task_, *devices_) : devices_->engines()),
      local_replicas_(replicas_with(cluster_, engines_)),
      groups_(groups_for(task_, engines_)),
      arena_(choose_storage(
          graph_, {cluster_, engines_, devices_->descriptions(), task_ ? task_->peers : nullptr},
          options, forward_only_)),
      view_(std::make_unique<GraphView>(graph_, arena_)) {
  options_.dtype = choose_compute_dtype(options_.dtype, devices_->descriptions());
  plan_ = make_plan_of(strategy, options_.bucket_elements);
  allocate_memory();
  initialize_parameters();  // before there are activations: it needs memory of its own for a moment
  compile();
  start();
}

Session::~Session() {
  abandon_hung_devices();
}

void Session::allocate_memory() {
  memory_ = std::make_unique<PlanMemory>(whole_plan(), engines_, options_.optimizer,
                                         graph_.state_elements());
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
  parts.decayed = decayed_ranges();
  parts.device_kernels = plan_->kernels.get();
  if (plan_->strategy != nullptr) parts.author = &plan_->strategy->settings();
  parts.kernel = [strategy = plan_->strategy](const std::string& name) {
    return strategy == nullptr ? HostKernel() : host_kernel_of(*strategy, name);
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
  for (const Lane& lane : schedule().lanes) here.insert(lane.strand);
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
  if (task_) local_ = schedule_of_task(plan_->step, stage_);
  make_executors();
}

void Session::start() {
  use_stage(0);
  try {
    executors_.front()->run_prologue();
  } catch (...) {
    abandon_hung_devices();  // the destructor will not run
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
  programs_.resize(replicas());
  for (const std::uint32_t replica : local_replicas_) {
    OpenDevice* device = engines_[cluster_.replica_place[replica]];
    const convoy_compilation what =
        compilation_of(*view_, options_, forward_only_, replica, replicas());
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

// One variable after the other: all of them together are as large as the model. The same on every
// host, whatever it holds of them.
void Session::initialize_parameters() {
  const int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  for (std::uint32_t i = 0; i < graph_.variables().size(); ++i) {
    const std::vector<float> values =
        initial_variable(graph_, i, options_.seed, options_.hash_initializer, threads);
    write_variable(i, values);
    if (!graph_.variables()[i].decayed) continue;
    for (const float value : values) initial_square_sum_ += static_cast<double>(value) * value;
  }
  if (graph_.state_elements() > 0) memory_->write_replica_state(initial_state(graph_));
}

bool Session::stage_begins_with(std::int64_t step) const {
  const Plan& plan = whole_plan();
  return step > 0 && std::ranges::any_of(plan.later, [&](const PlanStage& stage) {
           return stage.first_step == static_cast<std::uint64_t>(step);
         });
}

void Session::enter_stage(std::int64_t step) {
  use_stage(stage_at(whole_plan(), static_cast<std::uint64_t>(step)));
  executors_.front()->run_prologue();
  for (const auto& executor : executors_) executor->start_at(step, 0);
}

// The prologue of a stage that begins with the first step has not run, even with a complete state.
void Session::restart(std::int64_t first_step, std::optional<std::uint32_t> phase) {
  const auto step = static_cast<std::uint64_t>(first_step);
  const std::size_t stage = stage_at(whole_plan(), step);
  if (!phase) require_period_begins(whole_plan(), stage, step);
  for (std::size_t i = phase ? stage : 0; i <= stage; ++i) {
    if (i != stage_) use_stage(i);
    if (!phase || stage_begins_with(first_step)) executors_.front()->run_prologue();
  }
  for (const auto& executor : executors_) executor->start_at(first_step, phase.value_or(0));
  initial_square_sum_ = square_sum();
}

std::vector<convoy_decay_range> Session::decayed_ranges() const {
  std::vector<convoy_decay_range> ranges;
  for (std::size_t i = graph_.variables().size(); i-- > 0;) {
    if (!graph_.variables()[i].decayed) continue;
    const convoy_range range = arena_.range(i);
    ranges.push_back({range.first, range.count});
  }
  return ranges;
}

LossScale Session::loss_scale() const {
  for (const std::uint32_t buffer : loss_scale_buffers(whole_plan())) {
    if (engines_[whole_plan().buffers[buffer].place] == nullptr) continue;  // another host's
    const std::vector<float> values = memory_->read_buffer(buffer);
    return {values.at(0), values.at(1)};
  }
  return {};
}

void Session::set_loss_scale(const LossScale& value) {
  for (const std::uint32_t buffer : loss_scale_buffers(whole_plan()))
    memory_->write_buffer(buffer,
                          {static_cast<float>(value.scale), static_cast<float>(value.clean_steps)});
}

}  // namespace convoy::runtime
