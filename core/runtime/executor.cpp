#include "core/runtime/executor.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <thread>

#include "core/base/error.hpp"

namespace convoy {

// One operation in one iteration slot, with everything its submission points to.
struct Executor::Work {
  convoy_submission submission{};
  convoy_compute compute{};
  convoy_update update{};
  convoy_timing timing{};
  double square_sum = 0;
  std::vector<convoy_wait> waits;
  std::vector<convoy_region> reads;
  std::vector<convoy_region> writes;
  std::vector<convoy_decay_range> decayed;
};

// Everything of one iteration; iterations take turns.
struct Executor::Slot {
  std::vector<Work> work;                                       // per operation of the body
  std::vector<std::vector<double>> losses;                      // [phase][replica]
  std::vector<std::vector<std::array<std::uint64_t, 2>>> hits;  // likewise
};

Executor::Executor(ExecutorParts parts, const ExecutorOptions& options)
    : parts_(std::move(parts)),
      options_(options),
      timelines_(parts_.schedule->lanes.size()),
      queued_(timelines_.size(), 0) {
  choose_square_sums();
  const Plan& plan = *parts_.plan;
  for (std::uint32_t s = 0; s < options_.iterations_in_flight; ++s) {
    auto slot = std::make_unique<Slot>();
    slot->losses.assign(plan.computes, std::vector<double>(plan.cluster->replicas()));
    slot->hits.resize(plan.computes);
    for (auto& hits : slot->hits) hits.resize(plan.cluster->replicas());
    slot->work.resize(plan.body.size());
    for (std::size_t i = 0; i < plan.body.size(); ++i) {
      Work& work = slot->work[i];
      const Operation& operation = plan.body[i];
      build(operation, work);
      const ScheduledOperation& scheduled = parts_.schedule->operations[i];
      work.submission.urgency = scheduled.urgency;
      work.submission.timeline = &timelines_[scheduled.lane].value;
      work.waits.resize(scheduled.waits.size());
      work.submission.waits = work.waits.data();
      work.submission.wait_count = work.waits.size();
      if (is_compute(operation.kind)) {
        work.compute.loss = &slot->losses[operation.phase][operation.replica];
        work.compute.hits = slot->hits[operation.phase][operation.replica].data();
      }
      if (operation.kind == OperationKind::kApply)
        build_update(operation, work, wants_square_sum_[i]);
    }
    slots_.push_back(std::move(slot));
  }
}

// Leaves only when nothing that was queued points into this object any more: lanes of a failed
// device still advance. One that hangs for ever is abandoned with the process.
Executor::~Executor() {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::seconds(30);
  for (std::size_t lane = 0; lane < timelines_.size(); ++lane) {
    const std::atomic_ref<std::uint64_t> timeline(timelines_[lane].value);
    while (timeline.load(std::memory_order_acquire) < queued_[lane]) {
      if (Clock::now() > deadline) std::terminate();
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }
}

// The L2 term needs every decayed element once: of several updates of one range (one per replica)
// the first counts.
void Executor::choose_square_sums() {
  const Plan& plan = *parts_.plan;
  wants_square_sum_.assign(plan.body.size(), false);
  square_sum_complete_.assign(plan.computes, false);
  for (std::uint32_t phase = 0; phase < plan.computes; ++phase) {
    std::map<std::uint64_t, std::uint64_t> covered;  // first -> end, disjoint
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < plan.body.size(); ++i) {
      const Operation& operation = plan.body[i];
      if (operation.kind != OperationKind::kApply || operation.phase != phase) continue;
      const PlanSpan& span = operation.writes.front();
      const auto after = covered.lower_bound(span.first + span.count);
      if (after != covered.begin() && std::prev(after)->second > span.first) continue;
      covered[span.first] = span.first + span.count;
      total += span.count;
      wants_square_sum_[i] = true;
    }
    square_sum_complete_[phase] = total == plan.arena->elements;
  }
}

void Executor::build(const Operation& operation, Work& work) {
  for (const PlanSpan& span : operation.reads) work.reads.push_back(parts_.memory->region(span));
  for (const PlanSpan& span : operation.writes) work.writes.push_back(parts_.memory->region(span));
  convoy_submission& it = work.submission;
  it.struct_size = sizeof(it);
  it.kind = static_cast<std::uint32_t>(operation.kind);
  it.lane = operation.lane;
  it.reduction = operation.reduction;
  it.scalar = operation.scalar;
  it.reads = work.reads.data();
  it.read_count = work.reads.size();
  it.writes = work.writes.data();
  it.write_count = work.writes.size();
  it.sizes = operation.sizes;
  it.timing = &work.timing;
  if (operation.kind == OperationKind::kCall) {
    it.host_kernel = parts_.kernel ? parts_.kernel(operation.kernel) : nullptr;
    if (it.host_kernel == nullptr)
      fail(ExitCode::kFailed,
           "the plan calls kernel '{}' on {}, but the strategy has no host function of that name",
           operation.kernel, parts_.plan->cluster->places[operation.place].name);
  }
  if (!is_compute(operation.kind)) return;
  convoy_compute& compute = work.compute;
  compute.struct_size = sizeof(compute);
  compute.program = parts_.programs.at(operation.replica);
  compute.segment = operation.segment;
  compute.parameters = parts_.memory->base(operation.reads.front().buffer);
  if (operation.kind == OperationKind::kBackward)
    compute.gradients = parts_.memory->base(operation.writes.front().buffer);
  compute.state = parts_.memory->replica_state(operation.replica);
  it.compute = &compute;
}

void Executor::build_update(const Operation& operation, Work& work, bool wants_square_sum) {
  const PlanSpan& span = operation.writes.front();
  work.decayed = decay_ranges(span);
  convoy_update& update = work.update;
  update.struct_size = sizeof(update);
  update.optimizer = parts_.optimizer;
  update.contributions = operation.contributions;
  for (std::uint32_t slot = 0; slot < 2; ++slot) {
    float* state = parts_.memory->optimizer_state(span.buffer, slot);
    update.state[slot] = state == nullptr ? nullptr : state + span.first;
  }
  update.decayed = work.decayed.data();
  update.decayed_count = work.decayed.size();
  update.square_sum = wants_square_sum ? &work.square_sum : nullptr;
  work.submission.update = &update;
}

std::vector<convoy_decay_range> Executor::decay_ranges(const PlanSpan& span) const {
  std::vector<convoy_decay_range> result;
  for (const convoy_decay_range& range : parts_.decayed) {
    const std::uint64_t first = std::max(range.first, span.first);
    const std::uint64_t end = std::min(range.first + range.count, span.first + span.count);
    if (first < end) result.push_back({first - span.first, end - first});
  }
  return result;
}

void Executor::run_prologue() {
  Timeline timeline;
  std::vector<std::unique_ptr<Work>> works;
  for (const Operation& operation : parts_.plan->prologue) {
    auto work = std::make_unique<Work>();
    build(operation, *work);
    if (operation.kind == OperationKind::kApply) build_update(operation, *work, false);
    work->submission.timeline = &timeline.value;
    work->submission.value = timeline.value + 1;
    OpenDevice& engine = *(*parts_.engines)[operation.place];
    engine.submit(work->submission);
    // One after the other: the prologue runs once, its order is its meaning.
    const convoy_wait done{&timeline.value, work->submission.value};
    if (!engine.wait(done, options_.deadline_seconds))
      fail(ExitCode::kTimeout, "operation {} ({}) of the plan's prologue did not end within {} s",
           operation.id, operation_name(operation.kind), options_.deadline_seconds);
    works.push_back(std::move(work));
  }
}

std::int64_t Executor::steps_in_flight() const {
  return std::int64_t{options_.iterations_in_flight} * parts_.plan->computes;
}

void Executor::submit_step(const StepInput& input) {
  const std::int64_t computes = parts_.plan->computes;
  const std::int64_t iteration = submitted_ / computes;
  const auto phase = static_cast<std::uint32_t>(submitted_ % computes);
  // The slot is free once its previous iteration is finished as a whole.
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
  Work& work = slots_[iteration % slots_.size()]->work[index];
  const auto value_of = [&](std::uint32_t lane, std::uint32_t position, std::int64_t of) {
    return of < 0 ? 0 : of * parts_.schedule->lanes[lane].operations.size() + position + 1;
  };
  for (std::size_t i = 0; i < scheduled.waits.size(); ++i) {
    const LaneWait& wait = scheduled.waits[i];
    work.waits[i] = {&timelines_[wait.lane].value,
                     value_of(wait.lane, wait.position, iteration - wait.distance)};
  }
  convoy_submission& it = work.submission;
  it.value = value_of(scheduled.lane, scheduled.position, iteration);
  it.step = static_cast<std::uint64_t>(submitted_);
  it.learning_rate = input.learning_rate;
  if (is_compute(operation.kind)) {
    const BatchPointers& batch = input.batches.at(operation.replica);
    work.compute.images = batch.images;
    work.compute.labels = batch.labels;
  }
  (*parts_.engines)[operation.place]->submit(it);
  queued_[scheduled.lane] = it.value;
}

void Executor::wait_for(std::uint32_t lane, std::uint64_t value) {
  const Lane& waited = parts_.schedule->lanes[lane];
  const convoy_wait point{&timelines_[lane].value, value};
  if ((*parts_.engines)[waited.place]->wait(point, options_.deadline_seconds)) return;
  const std::atomic_ref<std::uint64_t> timeline(timelines_[lane].value);
  const std::size_t next = timeline.load() % waited.operations.size();
  const Operation& operation = parts_.plan->body[waited.operations[next]];
  fail(ExitCode::kTimeout,
       "no progress for {} s: {} waits in operation {} ({}); a device may be hung or stopped",
       options_.deadline_seconds, parts_.plan->cluster->places[waited.place].name, operation.id,
       operation_name(operation.kind));
}

// The value that a lane reaches with its last operation of the phase; 0 when it has none.
std::uint64_t Executor::last_value(std::uint32_t lane, std::uint32_t phase,
                                   const Slot& slot) const {
  const std::vector<std::uint32_t>& operations = parts_.schedule->lanes[lane].operations;
  for (std::size_t i = operations.size(); i-- > 0;)
    if (parts_.plan->body[operations[i]].phase == phase)
      return slot.work[operations[i]].submission.value;
  return 0;
}

StepResult Executor::finish_step() {
  CONVOY_CHECK_LT(finished_, submitted_);
  const std::int64_t computes = parts_.plan->computes;
  const std::int64_t iteration = finished_ / computes;
  const auto phase = static_cast<std::uint32_t>(finished_ % computes);
  StepResult result;
  result.step = finished_;
  ++finished_;  // also when waiting fails: the step is not waited for twice
  Slot& slot = *slots_[iteration % slots_.size()];
  const Schedule& schedule = *parts_.schedule;
  const std::uint32_t begin = phase == 0 ? 0 : schedule.phase_end[phase - 1];
  for (std::uint32_t lane = 0; lane < schedule.lanes.size(); ++lane) {
    const std::uint64_t value = last_value(lane, phase, slot);
    if (value > 0) wait_for(lane, value);
  }
  double square_sum = 0;
  for (std::uint32_t i = begin; i < schedule.phase_end[phase]; ++i) {
    const Work& work = slot.work[schedule.submission[i]];
    result.end = std::max(result.end, work.timing.end);
    if (wants_square_sum_[schedule.submission[i]]) square_sum += work.square_sum;
  }
  result.losses = slot.losses[phase];
  result.hits = slot.hits[phase];
  if (square_sum_complete_[phase]) result.square_sum = square_sum;
  last_slot_ = &slot;
  last_phase_ = phase;
  return result;
}

std::vector<OperationTime> Executor::last_times() const {
  std::vector<OperationTime> times;
  if (last_slot_ == nullptr) return times;
  const Schedule& schedule = *parts_.schedule;
  const std::uint32_t begin = last_phase_ == 0 ? 0 : schedule.phase_end[last_phase_ - 1];
  for (std::uint32_t i = begin; i < schedule.phase_end[last_phase_]; ++i) {
    const std::uint32_t index = schedule.submission[i];
    times.push_back({parts_.plan->body[index].id, last_slot_->work[index].timing});
  }
  return times;
}

}  // namespace convoy
