#include "core/runtime/step_work.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/plan/schedule/local_schedule.hpp"
#include "core/plan/schedule/spanning_collective.hpp"
#include "core/runtime/device_kernels.hpp"
#include "core/runtime/network/collective_groups.hpp"

namespace convoy::runtime {
namespace {

// The decayed part of a span, relative to its first element.
std::vector<convoy_decay_range> decay_ranges(const std::vector<convoy_decay_range>& decayed,
                                             const plan::PlanSpan& span) {
  std::vector<convoy_decay_range> result;
  for (const convoy_decay_range& range : decayed) {
    const plan::ElementRange inside =
        plan::common({range.first, range.count}, plan::range_of(span));
    if (inside.count > 0) result.push_back({inside.first - span.first, inside.count});
  }
  return result;
}

convoy_update make_update(const plan::Operation& operation, const convoy_optimizer& optimizer,
                          const StepWork& work) {
  auto update = make_sized<convoy_update>();
  update.optimizer = &optimizer;
  update.contributions = operation.contributions;
  update.decayed = work.decayed.data();
  update.decayed_count = work.decayed.size();
  return update;
}

// Called when all updates are added, because the vector must not move them afterwards.
void submit_updates(StepWork& work) {
  for (const convoy_update& update : work.updates) work.update_pointers.push_back(&update);
  work.submission.updates = work.update_pointers.data();
  work.submission.update_count = work.update_pointers.size();
}

void build_update(const ExecutorParts& parts, const plan::Operation& operation,
                  const convoy_optimizer& optimizer, StepWork& work) {
  work.decayed = decay_ranges(parts.decayed, operation.writes.front());
  for (const plan::PlanSpan& span : operation.writes) {
    convoy_update update = make_update(operation, optimizer, work);
    for (std::uint32_t slot = 0; slot < 2; ++slot)
      update.state[slot] = parts.memory->optimizer_state(span, slot);
    work.updates.push_back(update);
  }
  submit_updates(work);
}

// The norm of a gradient alone needs no decayed ranges, and is not in the arena's index space.
void build_norm(const ExecutorParts& parts, const plan::Operation& operation,
                const convoy_optimizer& optimizer, StepWork& work) {
  if (plan::element_reads(operation) > 1)
    work.decayed = decay_ranges(parts.decayed, operation.reads[1]);
  work.updates.push_back(make_update(operation, optimizer, work));
  submit_updates(work);
}

void build_compute(const ExecutorParts& parts, const plan::Operation& operation, StepWork& work) {
  convoy_compute& compute = work.compute;
  compute.struct_size = sizeof(compute);
  compute.program = parts.programs.at(operation.replica);
  compute.segment = operation.segment;
  compute.parameters = parts.memory->base(operation.reads.front().buffer);
  if (operation.kind == plan::OperationKind::kBackward)
    compute.gradients = parts.memory->base(operation.writes.front().buffer);
  compute.state = parts.memory->replica_state(operation.replica);
  if ((operation.flags & CONVOY_OP_LOSS_SCALED) != 0)
    compute.loss_scale = static_cast<const float*>(work.reads.back().data);
  work.submission.compute = &compute;
}

plan::HostKernel find_kernel(const ExecutorParts& parts, const plan::Operation& operation) {
  const plan::HostKernel kernel =
      parts.kernel ? parts.kernel(operation.details->kernel) : plan::HostKernel();
  if (!kernel)
    fail(ExitCode::kFailed,
         "the plan calls kernel '{}' on {}, but the strategy has no host function of that name",
         operation.details->kernel, parts.plan->cluster->places[operation.place].name);
  return kernel;
}

void enter_kernel(const ExecutorParts& parts, const plan::Operation& operation,
                  convoy_submission& submission) {
  if (parts.device_kernels != nullptr)
    submission.device_kernel =
        parts.device_kernels->find(parts.engines->at(operation.place), operation.details->kernel);
  if (submission.device_kernel == nullptr) find_kernel(parts, operation).enter(submission);
}

convoy_region region_here(const ExecutorParts& parts, const plan::PlanSpan& span) {
  const std::uint32_t place = parts.plan->place_of(span);
  if (parts.engines->at(place) != nullptr) return parts.memory->region(span);
  return {nullptr, span.count, span.dtype, place};  // belongs to another host
}

// Adds all spans, with the rank of each. Spans of other hosts have no memory.
void build_spanning(const ExecutorParts& parts, const plan::Operation& operation, StepWork& work) {
  const std::vector<std::uint32_t> places = ranked_places(*parts.plan, operation);
  const auto add = [&](const plan::SpanList& spans, std::vector<convoy_region>& regions) {
    for (const plan::PlanSpan& span : spans) {
      regions.push_back(region_here(parts, span));
      const auto at = std::ranges::lower_bound(places, parts.plan->place_of(span));
      work.ranks.push_back(static_cast<std::uint32_t>(at - places.begin()));
    }
  };
  add(operation.reads, work.reads);
  add(operation.writes, work.writes);
  CONVOY_CHECK(parts.groups != nullptr);
  work.submission.collective_group = parts.groups->find(*parts.plan, operation);
  CONVOY_CHECK(work.submission.collective_group != nullptr);
  work.submission.ranks = work.ranks.data();
}

// Only one end of a transfer over the network is on this host.
void add_regions(const ExecutorParts& parts, const plan::Operation& operation, StepWork& work) {
  if (plan::spans_hosts(*parts.plan, operation)) return build_spanning(parts, operation, work);
  const bool crosses = operation.lane == plan::kNetworkLane;
  const bool sends = crosses && plan::network_end(*parts.plan, operation, parts.host).sends;
  if (!crosses || sends)
    for (const plan::PlanSpan& span : operation.reads)
      work.reads.push_back(parts.memory->region(span));
  if (!crosses || !sends)
    for (const plan::PlanSpan& span : operation.writes)
      work.writes.push_back(parts.memory->region(span));
}

}  // namespace

std::uint32_t device_lane(const plan::Lane& lane) {
  constexpr std::uint32_t kKinds = CONVOY_LANE_UPDATE + 1;
  return lane.lane == plan::kNetworkLane ? lane.lane : lane.lane + kKinds * lane.priority;
}

void build_work(const ExecutorParts& parts, const plan::Operation& operation,
                const convoy_optimizer& optimizer, StepWork& work) {
  add_regions(parts, operation, work);
  convoy_submission& it = work.submission;
  it.struct_size = sizeof(it);
  it.kind = static_cast<std::uint32_t>(operation.kind);
  it.lane = operation.lane;
  it.reduction = operation.reduction;
  it.flags = operation.flags;
  it.operation = operation.id;
  it.scalar = operation.scalar;
  it.reads = work.reads.data();
  it.read_count = work.reads.size();
  it.writes = work.writes.data();
  it.write_count = work.writes.size();
  it.sizes = operation.details->sizes;
  it.timing = &work.timing;
  if (operation.kind == plan::OperationKind::kCall) enter_kernel(parts, operation, it);
  if (operation.kind == plan::OperationKind::kApply)
    build_update(parts, operation, optimizer, work);
  if (operation.kind == plan::OperationKind::kNorm) build_norm(parts, operation, optimizer, work);
  if (plan::is_compute(operation.kind)) build_compute(parts, operation, work);
}

void number_update(const plan::Operation& operation, PlanMemory& memory,
                   convoy_submission& submission) {
  if (operation.kind == plan::OperationKind::kApply)
    submission.step = memory.update_counts().count(operation);
}

std::unique_ptr<StepSlot> build_slot(const ExecutorParts& parts, const plan::StrandOrder& order,
                                     const std::vector<bool>& wants_square_sum,
                                     QueuedState& state) {
  const plan::Plan& plan = *parts.plan;
  auto slot = std::make_unique<StepSlot>();
  slot->losses.assign(plan.computes, std::vector<double>(plan.cluster->replicas()));
  slot->hits.resize(plan.computes);
  for (auto& hits : slot->hits) hits.resize(plan.cluster->replicas());
  slot->work.resize(order.submission.size());
  for (std::size_t at = 0; at < order.submission.size(); ++at) {
    const std::uint32_t i = order.submission[at];
    StepWork& work = slot->work[at];
    const plan::Operation& operation = plan.body[i];
    build_work(parts, operation, state.optimizer, work);
    const plan::ScheduledOperation& scheduled = parts.schedule->operations[i];
    work.submission.urgency = scheduled.urgency;
    work.submission.lane = device_lane(parts.schedule->lanes[scheduled.lane]);
    work.submission.timeline = &(*state.timelines)[scheduled.lane].value;
    work.waits.resize(scheduled.waits.size());
    work.submission.waits = work.waits.data();
    work.submission.wait_count = work.waits.size();
    if (plan::is_compute(operation.kind)) {
      work.compute.loss = &slot->losses[operation.phase][operation.replica];
      work.compute.hits = slot->hits[operation.phase][operation.replica].data();
    }
    if (operation.variable != CONVOY_NONE || operation.kind == plan::OperationKind::kAdaptLossScale)
      work.submission.result = &work.result;
    if (wants_square_sum[i]) work.updates.front().square_sum = &work.square_sum;
  }
  return slot;
}

}  // namespace convoy::runtime
