#include "core/runtime/executor.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "core/base/error.hpp"
#include "core/plan/local_schedule.hpp"
#include "core/runtime/network_engine.hpp"

namespace convoy {
namespace {

// How long drain() waits for a device that has not moved: one that just ran into the deadline, and
// any other.
constexpr std::chrono::steady_clock::duration kGraceAfterTimeout = std::chrono::seconds(2);
constexpr std::chrono::steady_clock::duration kGrace = std::chrono::seconds(60);

}  // namespace

Executor::Executor(ExecutorParts parts, const ExecutorOptions& options)
    : parts_(std::move(parts)),
      options_(options),
      square_sums_(choose_square_sums(*parts_.plan)),
      state_(std::make_unique<QueuedState>()),
      queued_(parts_.schedule->lanes.size(), 0) {
  plan_tag_ = static_cast<std::uint32_t>(plan_hash(*parts_.plan));
  state_->optimizer = *parts_.optimizer;
  state_->timelines.resize(queued_.size());
  last_times_.reserve(parts_.plan->body.size());
  for (std::uint32_t s = 0; s < options_.iterations_in_flight; ++s)
    state_->slots.push_back(build_slot(parts_, square_sums_.wanted, *state_));
}

Executor::~Executor() {
  if (!cancel("its session ended in the middle of a step")) static_cast<void>(state_.release());
}

// Lanes of a failed device still advance, so only one that hangs keeps this from ending.
bool Executor::drain() noexcept {
  using Clock = std::chrono::steady_clock;
  const auto grace = gave_up_ ? Clock::duration(0) : stands_still_ ? kGraceAfterTimeout : kGrace;
  const auto open = [&] {
    for (std::size_t lane = 0; lane < queued_.size(); ++lane)
      if (value_of(state_->timelines[lane]) < queued_[lane]) return true;
    return value_of(state_->prologue_timeline) < state_->prologue.size();
  };
  std::uint64_t seen = progress();
  auto last_move = Clock::now();
  while (open()) {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    const std::uint64_t now = progress();
    if (now != seen) last_move = Clock::now();
    seen = now;
    gave_up_ = Clock::now() - last_move > grace;
    if (gave_up_) return false;
  }
  return true;
}

// Grows whenever any queued operation ends.
std::uint64_t Executor::progress() const {
  std::uint64_t sum = value_of(state_->prologue_timeline);
  for (const Timeline& timeline : state_->timelines) sum += value_of(timeline);
  return sum;
}

void Executor::run_prologue() {
  Timeline& timeline = state_->prologue_timeline;
  for (const Operation& operation : parts_.plan->prologue) {
    if (!has_end_at(*parts_.plan, operation, parts_.host)) continue;
    auto work = std::make_unique<StepWork>();
    build_work(parts_, operation, state_->optimizer, *work);
    work->submission.timeline = &timeline.value;
    work->submission.value = state_->prologue.size() + 1;
    state_->prologue.push_back(std::move(work));
    hand_over(operation, state_->prologue.back()->submission);
    // One after the other: the prologue runs once, its order is its meaning.
    await_prologue(operation, {&timeline.value, state_->prologue.size()});
  }
  require_network();
}

// A peer may take its time; of what the devices do, the end is in sight.
void Executor::await_prologue(const Operation& operation, const convoy_wait& done) {
  if (operation.lane == kNetworkLane) {
    while (!parts_.network->wait(done, options_.deadline_seconds)) continue;
    return require_network();
  }
  if ((*parts_.engines)[operation.place]->wait(done, options_.deadline_seconds)) return;
  stands_still_ = true;
  fail(ExitCode::kTimeout, "operation {} ({}) of the plan's prologue on {} did not end in {} s",
       operation.id, operation_name(operation.kind),
       parts_.plan->cluster->places[operation.place].name, options_.deadline_seconds);
}

// To whoever runs it, a device or the network.
void Executor::hand_over(const Operation& operation, const convoy_submission& submission) {
  if (operation.lane != kNetworkLane) return (*parts_.engines)[operation.place]->submit(submission);
  const NetworkEnd end = network_end(*parts_.plan, operation, parts_.host);
  parts_.network->submit({&submission, end.peer, end.sends, plan_tag_});
}

void Executor::require_network() const {
  if (parts_.network != nullptr) parts_.network->require_intact();
}

bool Executor::cancel(const std::string& reason) noexcept {
  if (awaits_network()) parts_.network->interrupt(reason);
  return drain();
}

bool Executor::awaits_network() const {
  if (parts_.network == nullptr) return false;
  for (std::size_t lane = 0; lane < queued_.size(); ++lane)
    if (value_of(state_->timelines[lane]) < queued_[lane] &&
        parts_.schedule->lanes[lane].lane == kNetworkLane)
      return true;
  return value_of(state_->prologue_timeline) < state_->prologue.size();
}

// As if the earlier phases of the first iteration had run.
void Executor::start_at(std::int64_t step, std::uint32_t phase) {
  CONVOY_CHECK_EQ(submitted_, 0);
  CONVOY_CHECK_LT(phase, parts_.plan->computes);
  submitted_ = phase;
  finished_ = phase;
  step_offset_ = step - phase;
  for (std::uint32_t lane = 0; lane < queued_.size(); ++lane) {
    const std::vector<std::uint32_t>& operations = parts_.schedule->lanes[lane].operations;
    queued_[lane] = std::ranges::count_if(
        operations, [&](std::uint32_t index) { return parts_.plan->body[index].phase < phase; });
    state_->timelines[lane].value = queued_[lane];
  }
}

std::uint32_t Executor::phase() const {
  return static_cast<std::uint32_t>(submitted_ % parts_.plan->computes);
}

// A slot is taken again once all steps of its iteration are finished.
std::int64_t Executor::steps_in_flight() const {
  return (std::int64_t{options_.iterations_in_flight} - 1) * parts_.plan->computes + 1;
}

void Executor::submit_step(const StepInput& input) {
  const std::int64_t computes = parts_.plan->computes;
  const std::int64_t iteration = submitted_ / computes;
  const auto phase = static_cast<std::uint32_t>(submitted_ % computes);
  CONVOY_CHECK_LT(iteration, finished_ / computes + std::int64_t{options_.iterations_in_flight});
  const Schedule& schedule = *parts_.schedule;
  const std::uint32_t begin = phase == 0 ? 0 : schedule.phase_end[phase - 1];
  for (std::uint32_t i = begin; i < schedule.phase_end[phase]; ++i)
    submit(schedule.submission[i], iteration, input);
  ++submitted_;
}

void Executor::submit(std::uint32_t index, std::int64_t iteration, const StepInput& input) {
  const Operation& operation = parts_.plan->body[index];
  const ScheduledOperation& scheduled = parts_.schedule->operations[index];
  StepWork& work = state_->slots[iteration % state_->slots.size()]->work[index];
  const auto value_at = [&](std::uint32_t lane, std::uint32_t position, std::int64_t of) {
    return of < 0 ? 0 : of * parts_.schedule->lanes[lane].operations.size() + position + 1;
  };
  for (std::size_t i = 0; i < scheduled.waits.size(); ++i) {
    const LaneWait& wait = scheduled.waits[i];
    work.waits[i] = {&state_->timelines[wait.lane].value,
                     value_at(wait.lane, wait.position, iteration - wait.distance)};
  }
  convoy_submission& it = work.submission;
  it.value = value_at(scheduled.lane, scheduled.position, iteration);
  it.step = static_cast<std::uint64_t>(step_offset_ + submitted_);
  it.learning_rate = input.learning_rate;
  if (is_compute(operation.kind)) {
    const BatchPointers& batch = input.batches.at(operation.replica);
    work.compute.images = batch.images;
    work.compute.labels = batch.labels;
  }
  hand_over(operation, it);
  queued_[scheduled.lane] = it.value;
}

void Executor::wait_for(std::uint32_t lane, std::uint64_t value) {
  for (;;) {
    const std::uint64_t before = progress();
    if (wait_on_engine(lane, value)) return;
    if (progress() == before) require_hope();
  }
}

bool Executor::wait_on_engine(std::uint32_t lane, std::uint64_t value) {
  const convoy_wait point{&state_->timelines[lane].value, value};
  const std::uint32_t place = parts_.schedule->lanes[lane].place;
  if (parts_.schedule->lanes[lane].lane == kNetworkLane)
    return parts_.network->wait(point, options_.deadline_seconds);
  try {
    return (*parts_.engines)[place]->wait(point, options_.deadline_seconds);
  } catch (const Error& error) {
    fail(error.code(), "{}: {}", parts_.plan->cluster->places[place].name, error.what());
  }
}

// The culprit is the operation that may run but does not end; all others wait for it. One that
// waits for another host is none: whether that one lives is not for us to say.
void Executor::require_hope() {
  const Schedule& schedule = *parts_.schedule;
  bool awaits_peer = false;
  for (std::uint32_t lane = 0; lane < queued_.size(); ++lane) {
    const std::uint64_t done = value_of(state_->timelines[lane]);
    if (done >= queued_[lane]) continue;
    const std::vector<std::uint32_t>& operations = schedule.lanes[lane].operations;
    const std::uint32_t index = operations[done % operations.size()];
    const StepSlot& slot = *state_->slots[done / operations.size() % state_->slots.size()];
    const std::vector<convoy_wait>& waits = slot.work[index].waits;
    if (!std::all_of(waits.begin(), waits.end(), holds)) continue;
    const Operation& operation = parts_.plan->body[index];
    awaits_peer = awaits_peer || operation.lane == kNetworkLane;
    if (operation.lane == kNetworkLane) continue;
    stands_still_ = true;
    fail(ExitCode::kTimeout,
         "no progress for {} s: operation {} ({}) on {} does not end; the device may be hung or "
         "stopped",
         options_.deadline_seconds, operation.id, operation_name(operation.kind),
         parts_.plan->cluster->places[operation.place].name);
  }
  if (awaits_peer) return;
  stands_still_ = true;
  fail(ExitCode::kTimeout, "no progress for {} s, and every queued operation waits for another",
       options_.deadline_seconds);
}

// The value that a lane reaches with its last operation of the phase; 0 when it has none.
std::uint64_t Executor::last_value(std::uint32_t lane, std::uint32_t phase,
                                   const StepSlot& slot) const {
  const std::vector<std::uint32_t>& operations = parts_.schedule->lanes[lane].operations;
  for (std::size_t i = operations.size(); i-- > 0;)
    if (parts_.plan->body[operations[i]].phase == phase)
      return slot.work[operations[i]].submission.value;
  return 0;
}

void Executor::collect_norms(const StepWork& work, const Operation& operation) {
  if (operation.kind == OperationKind::kAdaptLossScale) result_.loss_scale = work.result;
  if (operation.variable == CONVOY_NONE) return;
  result_.gradient_square_sums.resize(parts_.plan->arena->variables.size());
  result_.gradient_square_sums[operation.variable] += work.result;
}

const StepResult& Executor::finish_step() {
  CONVOY_CHECK_LT(finished_, submitted_);
  const std::int64_t computes = parts_.plan->computes;
  const std::int64_t iteration = finished_ / computes;
  const auto phase = static_cast<std::uint32_t>(finished_ % computes);
  result_.step = step_offset_ + finished_;
  ++finished_;  // also when waiting fails: the step is not waited for twice
  StepSlot& slot = *state_->slots[iteration % state_->slots.size()];
  for (std::uint32_t lane = 0; lane < parts_.schedule->lanes.size(); ++lane) {
    const std::uint64_t value = last_value(lane, phase, slot);
    if (value > 0) wait_for(lane, value);
  }
  require_network();
  collect(slot, phase);
  return result_;
}

// Everything is assigned to what the step before left, so that its memory serves again.
void Executor::collect(StepSlot& slot, std::uint32_t phase) {
  const Schedule& schedule = *parts_.schedule;
  result_.end = 0;
  result_.square_sum.reset();
  result_.loss_scale.reset();
  result_.gradient_square_sums.clear();
  last_times_.clear();
  double square_sum = 0;
  for (std::uint32_t i = phase == 0 ? 0 : schedule.phase_end[phase - 1];
       i < schedule.phase_end[phase]; ++i) {
    const std::uint32_t index = schedule.submission[i];
    const StepWork& work = slot.work[index];
    const Operation& operation = parts_.plan->body[index];
    result_.end = std::max(result_.end, work.timing.end);
    if (square_sums_.wanted[index]) square_sum += work.square_sum;
    collect_norms(work, operation);
    last_times_.push_back({operation.id, work.timing});
  }
  result_.losses = slot.losses[phase];
  result_.hits = slot.hits[phase];
  if (square_sums_.complete[phase]) result_.square_sum = square_sum;
}

}  // namespace convoy
