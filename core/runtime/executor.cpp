#include "core/runtime/executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include "core/base/error.hpp"
#include "core/base/process/left_memory.hpp"
#include "core/plan/schedule/local_schedule.hpp"
#include "core/plan/schedule/spanning_collective.hpp"
#include "core/runtime/asynchronous/strand_gate.hpp"
#include "core/runtime/network/collective_groups.hpp"
#include "core/runtime/network/network_engine.hpp"

namespace convoy::runtime {
namespace {

// How long drain() waits for a device without progress: kGraceAfterTimeout if the deadline has
// passed, else kGrace.
constexpr std::chrono::steady_clock::duration kGraceAfterTimeout = std::chrono::seconds(2);
constexpr std::chrono::steady_clock::duration kGrace = std::chrono::seconds(60);
// Longest single wait in seconds, before the next check for lost hosts and operations that hang.
constexpr double kSingleWait = std::chrono::duration<double>(HangWatch::kLongestInterval).count();
// Interval at which the gate is polled while waiting.
constexpr std::chrono::microseconds kBetweenPumps{50};
// Longest time of one operation on a working device, in seconds.
constexpr double kLongestOperation = 60;

plan::StrandOrder order_for(const ExecutorParts& parts) {
  if (parts.strand == CONVOY_NONE) return {parts.schedule->submission, parts.schedule->phase_end};
  return plan::order_of(*parts.plan, *parts.schedule, parts.strand);
}

}  // namespace

Executor::Executor(ExecutorParts parts, const ExecutorOptions& options)
    : parts_(std::move(parts)),
      options_(options),
      order_(order_for(parts_)),
      place_in_order_(parts_.plan->body.size(), CONVOY_NONE),
      square_sums_(choose_square_sums(*parts_.plan)),
      state_(std::make_unique<QueuedState>()),
      queued_(parts_.schedule->lanes.size(), 0),
      watch_(queued_.size()) {
  plan_tag_ = static_cast<std::uint32_t>(plan::plan_hash(*parts_.plan));
  state_->optimizer = *parts_.optimizer;
  state_->timelines =
      parts_.timelines ? parts_.timelines : std::make_shared<LaneTimelines>(queued_.size());
  last_times_.reserve(order_.submission.size());
  for (std::uint32_t lane = 0; lane < queued_.size(); ++lane)
    if (parts_.strand == CONVOY_NONE || parts_.schedule->lanes[lane].strand == parts_.strand)
      lanes_.push_back(lane);
  ready_.reserve(lanes_.size());
  for (std::uint32_t at = 0; at < order_.submission.size(); ++at)
    place_in_order_[order_.submission[at]] = at;
  for (std::uint32_t s = 0; s < options_.iterations_in_flight; ++s)
    state_->slots.push_back(build_slot(parts_, order_, square_sums_.wanted, *state_));
}

Executor::~Executor() {
  if (!cancel("its session ended in the middle of a step")) leave_to_the_end(state_);
}

std::vector<std::uint32_t> Executor::replicas() const {
  std::set<std::uint32_t> replicas;
  for (const std::uint32_t i : order_.submission)
    if (plan::is_compute(parts_.plan->body[i].kind)) replicas.insert(parts_.plan->body[i].replica);
  return {replicas.begin(), replicas.end()};
}

// Lanes of a failed device still advance, so only one that hangs keeps this from ending.
bool Executor::drain() noexcept {
  using Clock = std::chrono::steady_clock;
  const auto grace = gave_up_ ? Clock::duration(0) : stands_still_ ? kGraceAfterTimeout : kGrace;
  const auto open = [&] {
    for (const std::uint32_t lane : lanes_)
      if (lane_value(lane) < queued_[lane]) return true;
    return value_of(state_->prologue_timeline) < state_->prologue.size();
  };
  std::uint64_t seen = progress();
  auto last_move = Clock::now();
  while (open()) {
    if (parts_.gate != nullptr) parts_.gate->pump_or_close();
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    const std::uint64_t now = progress();
    if (now != seen) last_move = Clock::now();
    seen = now;
    gave_up_ = Clock::now() - last_move > grace;
    if (gave_up_) return false;
  }
  return true;
}

std::uint64_t Executor::progress() const {
  std::uint64_t sum = value_of(state_->prologue_timeline);
  for (const std::uint32_t lane : lanes_) sum += lane_value(lane);
  return sum;
}

std::uint64_t Executor::lane_value(std::uint32_t lane) const {
  return value_of((*state_->timelines)[lane]);
}

void Executor::run_prologue() {
  Timeline& timeline = state_->prologue_timeline;
  for (const plan::Operation& operation : parts_.plan->prologue) {
    if (!plan::has_end_at(*parts_.plan, operation, parts_.host)) continue;
    auto work = std::make_unique<StepWork>();
    build_work(parts_, operation, state_->optimizer, *work);
    work->submission.timeline = &timeline.value;
    work->submission.value = state_->prologue.size() + 1;
    state_->prologue.push_back(std::move(work));
    hand_over(operation, device_of(operation), state_->prologue.back()->submission, 0);
    // The operations run one after the other, because the prologue runs only once and program order
    // defines its meaning.
    await_prologue(operation, {&timeline.value, state_->prologue.size()});
  }
  require_network();
}

// Waiting for a peer has no time limit, but operations of devices must end within their limits.
void Executor::await_prologue(const plan::Operation& operation, const convoy_wait& done) {
  if (operation.lane == plan::kNetworkLane) {
    while (!parts_.network->wait(done, options_.deadline_seconds)) continue;
    return require_network();
  }
  const double patience =
      is_foreign_kernel(operation) ? shortest_patience() : options_.deadline_seconds;
  while (!device_of(operation)->wait(done, patience))
    if (!awaits_peer(operation)) fail_hung(operation, " of the plan's prologue", patience);
}

// Submits the operation to this device or, over a channel, to the network engine.
void Executor::hand_over(const plan::Operation& operation, plugin::OpenDevice* device,
                         convoy_submission& submission, std::uint32_t channel) {
  number_update(operation, *parts_.memory, submission);
  if (operation.lane != plan::kNetworkLane) return device->submit(submission);
  const plan::NetworkEnd end = plan::network_end(*parts_.plan, operation, parts_.host);
  parts_.network->submit({&submission, end.peer, end.sends, plan_tag_, channel});
}

void Executor::require_network() const {
  if (parts_.network != nullptr) parts_.network->require_intact();
}

// Returns the device that runs an operation of the prologue, which has no lanes. Null for a message
// from another host.
plugin::OpenDevice* Executor::device_of(const plan::Operation& operation) const {
  return parts_.engines->at(plan::place_on_host(*parts_.plan, operation, parts_.host));
}

// Whether the operation can end only when another host does its part.
bool Executor::awaits_peer(const plan::Operation& operation) const {
  return operation.lane == plan::kNetworkLane || plan::spans_hosts(*parts_.plan, operation);
}

void Executor::interrupt_peers(const std::string& reason) noexcept {
  if (!awaits_peers()) return;
  parts_.network->interrupt(reason);
  if (parts_.groups != nullptr) parts_.groups->interrupt(reason);
}

bool Executor::cancel(const std::string& reason) noexcept {
  interrupt_peers(reason);
  if (parts_.gate != nullptr) parts_.gate->close();
  return drain();
}

bool Executor::awaits_peers() const {
  if (parts_.network == nullptr) return false;
  const auto awaits = [&](std::uint32_t index) { return awaits_peer(parts_.plan->body[index]); };
  for (const std::uint32_t lane : lanes_)
    if (lane_value(lane) < queued_[lane] &&
        std::ranges::any_of(parts_.schedule->lanes[lane].operations, awaits))
      return true;
  return value_of(state_->prologue_timeline) < state_->prologue.size();
}

// Sets the state as if the earlier phases of the first iteration had run.
void Executor::start_at(std::int64_t step, std::uint32_t phase) {
  CONVOY_CHECK_EQ(submitted_, 0);
  CONVOY_CHECK_LT(phase, parts_.plan->computes);
  submitted_ = phase;
  finished_ = phase;
  step_offset_ = step - phase;
  for (const std::uint32_t lane : lanes_) {
    const std::vector<std::uint32_t>& operations = parts_.schedule->lanes[lane].operations;
    queued_[lane] = std::ranges::count_if(
        operations, [&](std::uint32_t index) { return parts_.plan->body[index].phase < phase; });
    (*state_->timelines)[lane].value = queued_[lane];
  }
}

std::uint32_t Executor::phase() const {
  return static_cast<std::uint32_t>(submitted_ % parts_.plan->computes);
}

// A slot is used again once all steps of its iteration are finished.
std::int64_t Executor::steps_in_flight() const {
  return (std::int64_t{options_.iterations_in_flight} - 1) * parts_.plan->computes + 1;
}

void Executor::submit_step(const StepInput& input) {
  const std::int64_t computes = parts_.plan->computes;
  const std::int64_t iteration = submitted_ / computes;
  const auto phase = static_cast<std::uint32_t>(submitted_ % computes);
  CONVOY_CHECK_LT(iteration, finished_ / computes + std::int64_t{options_.iterations_in_flight});
  const std::uint32_t begin = phase == 0 ? 0 : order_.phase_end[phase - 1];
  for (std::uint32_t at = begin; at < order_.phase_end[phase]; ++at) submit(at, iteration, input);
  ++submitted_;
}

void Executor::submit(std::uint32_t at, std::int64_t iteration, const StepInput& input) {
  const std::uint32_t index = order_.submission[at];
  const plan::Operation& operation = parts_.plan->body[index];
  const plan::ScheduledOperation& scheduled = parts_.schedule->operations[index];
  StepWork& work = state_->slots[iteration % state_->slots.size()]->work[at];
  const auto value_at = [&](std::uint32_t lane, std::uint32_t position, std::int64_t of) {
    return of < 0 ? 0 : of * parts_.schedule->lanes[lane].operations.size() + position + 1;
  };
  for (std::size_t i = 0; i < scheduled.waits.size(); ++i) {
    const plan::LaneWait& wait = scheduled.waits[i];
    work.waits[i] = {&(*state_->timelines)[wait.lane].value,
                     value_at(wait.lane, wait.position, iteration - wait.distance)};
  }
  convoy_submission& it = work.submission;
  it.value = value_at(scheduled.lane, scheduled.position, iteration);
  it.step = static_cast<std::uint64_t>(step_offset_ + submitted_);
  it.learning_rate = input.learning_rate;
  if (plan::is_compute(operation.kind)) {
    const BatchPointers& batch = input.batches.at(operation.replica);
    work.compute.images = batch.images;
    work.compute.labels = batch.labels;
  }
  const plan::Lane& lane = parts_.schedule->lanes[scheduled.lane];
  if (parts_.gate != nullptr && parts_.gate->holds_back(scheduled.lane))
    parts_.gate->submit(index, it);
  else
    hand_over(operation, (*parts_.engines)[lane.place], it, channel_of(lane));
  queued_[scheduled.lane] = it.value;
}

// Each strand has one channel per priority, as far as there are enough channels. Lanes that share a
// channel keep the order of the whole schedule in it, at both ends.
std::uint32_t Executor::channel_of(const plan::Lane& lane) const {
  if (lane.lane != plan::kNetworkLane) return 0;
  const std::uint32_t strands = parts_.schedule->strands.count;
  const std::uint32_t levels = std::max(parts_.network->channels() / strands, 1u);
  return lane.strand + strands * std::min(lane.priority, levels - 1);
}

void Executor::wait_for(std::uint32_t lane, std::uint64_t value) {
  while (!wait_on_engine(lane, value)) {
    // Operations that are queued behind those that wait for a lost host complete without a result.
    require_network();
    const Stillness still = look();
    if (still.waits_for_peer || still.seconds < options_.deadline_seconds) continue;
    stands_still_ = true;
    fail(ExitCode::kTimeout, "no progress for {} s, and every queued operation waits for another",
         options_.deadline_seconds);
  }
}

// Kernels of a strategy that did not come with convoy have less time than devices.
bool Executor::is_foreign_kernel(const plan::Operation& operation) const {
  return operation.kind == plan::OperationKind::kCall && parts_.author != nullptr &&
         parts_.author->patience > 0;
}

double Executor::shortest_patience() const {
  const bool foreign = parts_.author != nullptr && parts_.author->patience > 0;
  return foreign ? std::min(parts_.author->patience, options_.deadline_seconds)
                 : options_.deadline_seconds;
}

// Waits until the lane reaches the value or the next look is due. Returns whether it was reached.
bool Executor::wait_on_engine(std::uint32_t lane, std::uint64_t value) {
  const convoy_wait point{&(*state_->timelines)[lane].value, value};
  if (parts_.gate != nullptr && !wait_at_gate(point)) return false;
  const std::uint32_t place = parts_.schedule->lanes[lane].place;
  if (parts_.schedule->lanes[lane].lane == plan::kNetworkLane)
    return parts_.network->wait(point, kSingleWait);
  try {
    return (*parts_.engines)[place]->wait(point, kSingleWait);
  } catch (const Error& error) {
    fail(error.code(), "{}: {}", parts_.plan->cluster->places[place].name, error.what());
  }
}

bool Executor::wait_at_gate(const convoy_wait& point) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + HangWatch::kLongestInterval;
  while (!plugin::holds(point) && Clock::now() < end) {
    require_network();
    if (!parts_.gate->pump()) std::this_thread::sleep_for(kBetweenPumps);
  }
  return plugin::holds(point);
}

// Returns the next operation of each lane whose waits all hold.
std::span<const Executor::Ready> Executor::operations_that_may_run() {
  const plan::Schedule& schedule = *parts_.schedule;
  ready_.clear();
  for (const std::uint32_t lane : lanes_) {
    const std::uint64_t done = lane_value(lane);
    if (done >= queued_[lane]) continue;
    const std::vector<std::uint32_t>& operations = schedule.lanes[lane].operations;
    const std::uint32_t index = operations[done % operations.size()];
    const StepSlot& slot = *state_->slots[done / operations.size() % state_->slots.size()];
    const std::vector<convoy_wait>& waits = slot.work[place_in_order_[index]].waits;
    if (!std::all_of(waits.begin(), waits.end(), plugin::holds)) continue;
    ready_.push_back({lane, done + 1, &parts_.plan->body[index]});
  }
  return ready_;
}

// The operation that hangs is one that may run but does not end; all others wait for it. An
// operation that waits for another host does not count, because only the control plane knows
// whether that host lives.
Stillness Executor::look() {
  watch_.look(std::chrono::steady_clock::now(), progress());
  const std::span<const Ready> ready = operations_that_may_run();
  Stillness still{watch_.still()};
  for (const auto& [lane, value, operation] : ready) {
    const bool waits = awaits_peer(*operation);
    still.waits_for_peer = still.waits_for_peer || waits;
    if (waits) continue;
    const double seconds = watch_.may_run(lane, value);
    const double before = has_begun(*operation, ready) ? 0 : kLongestOperation;
    if (seconds >= options_.deadline_seconds ||
        (is_foreign_kernel(*operation) && seconds >= shortest_patience() + before))
      fail_hung(*operation, "", seconds);
  }
  return still;
}

// A device may run one operation at a time. So an operation has certainly begun only if no other
// operation, of this strand or another, may run on the device.
bool Executor::has_begun(const plan::Operation& operation, std::span<const Ready> ready) const {
  return parts_.strand == CONVOY_NONE && std::ranges::all_of(ready, [&](const Ready& other) {
           return other.operation == &operation || awaits_peer(*other.operation) ||
                  other.operation->place != operation.place;
         });
}

// Names the cause: a plug-in that did not come with convoy, or else the device.
void Executor::fail_hung(const plan::Operation& operation, const char* part, double seconds) {
  stands_still_ = true;
  const std::string& place = parts_.plan->cluster->places[operation.place].name;
  const plugin::PluginSettings& device = (*parts_.engines)[operation.place]->settings();
  constexpr const char* kMend = "fix it, or remove it from the plug-in path";
  if (is_foreign_kernel(operation))
    fail(ExitCode::kUnavailable, "{}: its kernel '{}' on {} has not ended after {:.3g} s; {}",
         parts_.author->label, operation.details->kernel, place, seconds, kMend);
  const std::string text =
      fmt::format("no progress for {:.3g} s: operation {} ({}){} on {} does not end", seconds,
                  operation.id, plan::operation_name(operation.kind), part, place);
  if (device.patience > 0) fail(ExitCode::kUnavailable, "{}: {}; {}", device.label, text, kMend);
  fail(ExitCode::kTimeout, "{}; the device may be hung or stopped", text);
}

// The value that a lane reaches with its last operation of the phase; 0 when it has none.
std::uint64_t Executor::last_value(std::uint32_t lane, std::uint32_t phase,
                                   const StepSlot& slot) const {
  const std::vector<std::uint32_t>& operations = parts_.schedule->lanes[lane].operations;
  for (std::size_t i = operations.size(); i-- > 0;)
    if (parts_.plan->body[operations[i]].phase == phase)
      return slot.work[place_in_order_[operations[i]]].submission.value;
  return 0;
}

void Executor::collect_norms(const StepWork& work, const plan::Operation& operation) {
  if (operation.kind == plan::OperationKind::kAdaptLossScale) result_.loss_scale = work.result;
  if (operation.variable == CONVOY_NONE) return;
  result_.gradient_square_sums.resize(parts_.plan->arena->variables.size());
  result_.gradient_square_sums[operation.variable] += work.result;
}

bool Executor::step_is_finished() const {
  CONVOY_CHECK_LT(finished_, submitted_);
  const std::int64_t computes = parts_.plan->computes;
  const StepSlot& slot = *state_->slots[finished_ / computes % state_->slots.size()];
  const auto phase = static_cast<std::uint32_t>(finished_ % computes);
  return std::ranges::all_of(lanes_, [&](std::uint32_t lane) {
    return lane_value(lane) >= last_value(lane, phase, slot);
  });
}

const StepResult& Executor::finish_step() {
  CONVOY_CHECK_LT(finished_, submitted_);
  const std::int64_t computes = parts_.plan->computes;
  const std::int64_t iteration = finished_ / computes;
  const auto phase = static_cast<std::uint32_t>(finished_ % computes);
  result_.step = step_offset_ + finished_;
  ++finished_;  // also when waiting fails: the step is not waited for twice
  StepSlot& slot = *state_->slots[iteration % state_->slots.size()];
  for (const std::uint32_t lane : lanes_) {
    const std::uint64_t value = last_value(lane, phase, slot);
    if (value > 0) wait_for(lane, value);
  }
  require_network();
  collect(slot, phase);
  return result_;
}

// Assigns to the vectors of the previous step, so that their memory is reused.
void Executor::collect(StepSlot& slot, std::uint32_t phase) {
  result_.end = 0;
  result_.square_sum.reset();
  result_.loss_scale.reset();
  result_.gradient_square_sums.clear();
  last_times_.clear();
  double square_sum = 0;
  for (std::uint32_t at = phase == 0 ? 0 : order_.phase_end[phase - 1];
       at < order_.phase_end[phase]; ++at) {
    const std::uint32_t index = order_.submission[at];
    const StepWork& work = slot.work[at];
    const plan::Operation& operation = parts_.plan->body[index];
    result_.end = std::max(result_.end, work.timing.end);
    if (square_sums_.wanted[index]) square_sum += work.square_sum;
    collect_norms(work, operation);
    last_times_.push_back({operation.id, work.timing});
  }
  result_.losses = slot.losses[phase];
  result_.hits = slot.hits[phase];
  if (square_sums_.complete[phase]) result_.square_sum = square_sum;
}

}  // namespace convoy::runtime
