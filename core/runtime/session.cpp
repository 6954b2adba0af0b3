#include "core/runtime/session.hpp"

#include <algorithm>
#include <set>
#include <thread>

#include "core/base/error.hpp"
#include "core/graph/layout.hpp"
#include "core/plan/device_collective.hpp"
#include "core/plan/forward_plan.hpp"
#include "core/plan/fuse_updates.hpp"
#include "core/plan/lower.hpp"
#include "core/plan/make_plan.hpp"
#include "core/runtime/compute_dtype.hpp"
#include "core/runtime/deterministic.hpp"
#include "core/runtime/initial_values.hpp"
#include "core/runtime/model_map.hpp"
#include "core/runtime/supported.hpp"

namespace convoy {

Session::Session(Graph graph, StrategyPlugin& strategy, const DevicePlugin& devices,
                 const SessionOptions& options)
    : Session(std::move(graph), &strategy,
              std::make_shared<OpenDevices>(devices, options.devices, options.threads), options) {}

Session::Session(Graph graph, StrategyPlugin& strategy, std::shared_ptr<OpenDevices> devices,
                 const SessionOptions& options)
    : Session(std::move(graph), &strategy, std::move(devices), options) {}

Session::Session(Graph graph, std::shared_ptr<OpenDevices> devices, const SessionOptions& options)
    : Session(std::move(graph), nullptr, std::move(devices), options) {}

Session::Session(Graph graph, StrategyPlugin* strategy, std::shared_ptr<OpenDevices> devices,
                 const SessionOptions& options)
    : options_(options),
      graph_(std::move(graph)),
      forward_only_(strategy == nullptr),
      devices_(std::move(devices)),
      cluster_(devices_->cluster()),
      engines_(devices_->engines()) {
  options_.dtype = choose_compute_dtype(options_.dtype, devices_->descriptions());
  choose_layout();
  make_plans(strategy);
  require_supported(lowered_, engines_);
  prepare_collectives();
  if (strategy != nullptr) require_promises(strategy->manifest());
  memory_ =
      std::make_unique<PlanMemory>(lowered_, engines_, options_.optimizer, graph_.state_elements());
  initialize_parameters();  // before there are activations: it needs memory of its own for a moment
  compile();
  start(strategy);
}

Session::~Session() {
  abandon_hung_devices();
}

void Session::start(StrategyPlugin* strategy) {
  ExecutorParts parts;
  parts.plan = &lowered_;
  parts.schedule = &schedule_;
  parts.engines = &engines_;
  parts.memory = memory_.get();
  parts.optimizer = &options_.optimizer;
  for (const Program& program : programs_) parts.programs.push_back(program.get());
  parts.decayed = decayed_ranges();
  parts.kernel = [strategy](const std::string& name) -> convoy_host_kernel {
    if (strategy == nullptr) return nullptr;
    const auto kernel = strategy->kernel(name, CONVOY_KERNEL_HOST);
    return kernel ? kernel->function : nullptr;
  };
  executor_ = std::make_unique<Executor>(std::move(parts), options_.executor);
  try {
    executor_->run_prologue();
  } catch (...) {
    abandon_hung_devices();  // there is no destructor to come
    throw;
  }
}

// Closing a device that hangs would hang, and whatever it still does must find its memory: both are
// left to the end of the process.
void Session::abandon_hung_devices() {
  if (executor_->drain()) return;
  static_cast<void>(executor_.release());
  for (Program& program : programs_) static_cast<void>(program.release());
  static_cast<void>(memory_.release());
  static_cast<void>(view_.release());
  devices_->abandon();
}

convoy_compilation Session::compilation(const GraphView& view, std::uint32_t replica) const {
  convoy_compilation what{};
  what.struct_size = sizeof(what);
  what.graph = view.c_graph();
  what.batch = options_.batch;
  what.flags = (options_.dropout ? std::uint32_t{CONVOY_COMPILE_DROPOUT} : 0u) |
               (options_.winograd ? 0u : std::uint32_t{CONVOY_COMPILE_DIRECT_CONVOLUTIONS}) |
               (options_.accuracy ? std::uint32_t{CONVOY_COMPILE_ACCURACY} : 0u) |
               (options_.profile ? std::uint32_t{CONVOY_COMPILE_PROFILE} : 0u) |
               (forward_only_ ? std::uint32_t{CONVOY_COMPILE_INFERENCE} : 0u);
  what.replica = replica;
  what.replicas = replicas();
  what.seed = options_.seed;
  what.dtype = options_.dtype;
  return what;
}

// One storage for all: what every device proposes, or the plain one when they differ.
void Session::choose_layout() {
  const Arena plain(graph_);
  const GraphView plain_view(graph_, plain);
  std::optional<std::vector<convoy_layout>> common;
  for (std::uint32_t replica = 0; replica < replicas(); ++replica) {
    std::vector<convoy_layout> proposed =
        engines_[cluster_.replica_place[replica]]->propose_layout(compilation(plain_view, replica));
    if (common && !std::equal(common->begin(), common->end(), proposed.begin(), proposed.end(),
                              same_layout)) {
      common.reset();
      break;
    }
    common = std::move(proposed);
  }
  if (common)
    arena_.emplace(graph_, std::move(*common));
  else
    arena_.emplace(graph_);
  view_ = std::make_unique<GraphView>(graph_, *arena_);
}

void Session::make_plans(StrategyPlugin* strategy) {
  map_ = make_arena_map(graph_, *arena_, options_.bucket_elements);
  if (strategy == nullptr) {
    logical_ = make_forward_plan(cluster_, map_);
  } else {
    logical_ = make_plan(strategy->manifest().name, cluster_, map_,
                         [&](const convoy_planner& planner) { strategy->plan(planner); });
    check_claim(strategy->manifest());
  }
  const Plan guarded = strategy == nullptr ? logical_ : guard(logical_, check_, options_.guard);
  const bool joins = strategy != nullptr && devices_->all_have(CONVOY_DEVICE_JOINS_UPDATES);
  lowered_ = lower(joins ? fuse_updates(guarded) : guarded);
  schedule_ = make_schedule(lowered_);
}

// A strategy that computes something else than it claims never trains.
void Session::check_claim(const Manifest& strategy) {
  check_ = check_plan(logical_);
  if (check_.verdict == Verdict::kWrong && !check_.findings.empty())
    fail(ExitCode::kFailed,
         "the plan of strategy {} is wrong: {} (convoy check {} shows all of it)", strategy.name,
         check_.findings.front().text, strategy.name);
  if (strategy.claim.empty() || satisfies(check_, strategy.claim)) return;
  fail(ExitCode::kFailed,
       "strategy {} claims to be {}, but its plan is {}; convoy check {} shows why", strategy.name,
       strategy.claim, check_.verdict_text(), strategy.name);
}

// Of the options that depend on what the plan turned out to be.
void Session::require_promises(const Manifest& strategy) {
  if (options_.deterministic) require_deterministic(strategy.name, check_, devices());
  if (check_.exact == Verdict::kIndependent && options_.optimizer.gradient_scale != 1)
    fail(ExitCode::kUsage,
         "--gradient_scale=sum does not go with --variable_update={}: every device trains alone "
         "there and nothing is summed; leave it out",
         strategy.name);
}

// Every group of devices once, before there is anything to wait for.
void Session::prepare_collectives() {
  require_collective_order(lowered_, schedule_);
  std::set<std::vector<std::uint32_t>> prepared;
  for (const auto* section : {&lowered_.prologue, &lowered_.body})
    for (const Operation& operation : *section) {
      if (!is_collective(operation.kind)) continue;
      const std::vector<std::uint32_t> places = participants(operation, lowered_);
      if (!prepared.insert(places).second) continue;
      std::vector<OpenDevice*> devices;
      for (const std::uint32_t place : places) devices.push_back(engines_.at(place));
      const auto reason = engines_.at(operation.place)->refuses_to_unite(devices, true);
      if (reason)
        fail(ExitCode::kUnavailable, "operation {} ({}) of the plan cannot be prepared: {}",
             operation.id, operation_name(operation.kind), *reason);
    }
}

void Session::compile() {
  for (std::uint32_t replica = 0; replica < replicas(); ++replica) {
    OpenDevice* device = engines_[cluster_.replica_place[replica]];
    programs_.emplace_back(device->compile(compilation(*view_, replica)), Release{device});
  }
}

std::vector<MemoryUse> Session::memory_use() const {
  std::vector<MemoryUse> use = memory_->use();
  for (std::uint32_t replica = 0; replica < programs_.size(); ++replica) {
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
  for (const Program& program : programs_)
    records.push_back(program.get_deleter().device->profile(program.get()));
  return records;
}

// One variable after the other: all of them together are as large as the model.
void Session::initialize_parameters() {
  const int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  for (std::uint32_t i = 0; i < graph_.variables().size(); ++i)
    write_variable(i,
                   initial_variable(graph_, i, options_.seed, options_.hash_initializer, threads));
  initial_square_sum_ = square_sum();
  if (graph_.state_elements() > 0) memory_->write_replica_state(initial_state(graph_));
}

void Session::restart(std::int64_t first_step, std::optional<std::uint32_t> phase) {
  if (!phase) executor_->run_prologue();
  executor_->start_at(first_step, phase.value_or(0));
  initial_square_sum_ = square_sum();
}

std::vector<convoy_decay_range> Session::decayed_ranges() const {
  std::vector<convoy_decay_range> ranges;
  for (std::size_t i = graph_.variables().size(); i-- > 0;) {
    if (!graph_.variables()[i].decayed) continue;
    const convoy_range range = arena_->range(i);
    ranges.push_back({range.first, range.count});
  }
  return ranges;
}

// The first buffer that a backward reads besides parameters.
std::optional<std::uint32_t> Session::loss_scale_buffer() const {
  for (const Operation& operation : lowered_.body)
    if (is_compute(operation.kind) && (operation.flags & CONVOY_OP_LOSS_SCALED) != 0)
      return operation.reads.back().buffer;
  return std::nullopt;
}

LossScale Session::loss_scale() const {
  const std::optional<std::uint32_t> buffer = loss_scale_buffer();
  if (!buffer) return {};
  const std::vector<float> values = memory_->read_buffer(*buffer);
  return {values.at(0), values.at(1)};
}

void Session::set_loss_scale(const LossScale& value) {
  const std::optional<std::uint32_t> buffer = loss_scale_buffer();
  if (!buffer) return;
  memory_->write_buffer(*buffer,
                        {static_cast<float>(value.scale), static_cast<float>(value.clean_steps)});
}

}  // namespace convoy
