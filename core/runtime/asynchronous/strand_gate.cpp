#include "core/runtime/asynchronous/strand_gate.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/runtime/step_work.hpp"

namespace convoy::runtime {
namespace {

bool any_overlap(const plan::SpanList& some, const plan::SpanList& others) {
  return std::any_of(some.begin(), some.end(), [&](const plan::PlanSpan& a) {
    return std::any_of(others.begin(), others.end(),
                       [&](const plan::PlanSpan& b) { return plan::overlap(a, b); });
  });
}

}  // namespace

StrandGate::StrandGate(const plan::Plan& lowered, const plan::Schedule& local,
                       const Engines& engines, PlanMemory& memory,
                       std::shared_ptr<std::vector<Timeline>> timelines)
    : plan_(lowered),
      schedule_(local),
      memory_(memory),
      timelines_(std::move(timelines)),
      lanes_(local.lanes.size()),
      staleness_(lowered, local) {
  using Queue = std::pair<plugin::OpenDevice*, std::uint32_t>;
  std::map<Queue, std::set<std::uint32_t>> strands;
  std::set<Queue> gated;
  for (std::uint32_t i = 0; i < lanes_.size(); ++i) {
    const plan::Lane& lane = local.lanes[i];
    lanes_[i].kind = device_lane(lane);
    if (lane.lane == plan::kNetworkLane) continue;
    lanes_[i].engine = engines[lane.place];
    const Queue queue{lanes_[i].engine, lanes_[i].kind};
    strands[queue].insert(lane.strand);
    if (strands[queue].size() > 1 ||
        std::ranges::any_of(lane.operations, [&](std::uint32_t it) { return locks(it); }))
      gated.insert(queue);
  }
  for (GatedLane& lane : lanes_) lane.is_gated = gated.contains({lane.engine, lane.kind});
}

bool StrandGate::is_needed() const {
  return std::ranges::any_of(lanes_, &GatedLane::is_gated);
}

bool StrandGate::locks(std::uint32_t operation) const {
  const plan::Operation& it = plan_.body[operation];
  return plan::is_loose(it) && !plan::is_compute(it.kind);
}

void StrandGate::submit(std::uint32_t operation, convoy_submission& submission) {
  lanes_[schedule_.operations[operation].lane].queue.push_back({operation, &submission});
}

// Lanes take turns in being first, so that no strand locks out another one forever.
bool StrandGate::pump() {
  std::erase_if(locks_, [](const Lock& lock) { return plugin::holds(lock.done); });
  if (is_closed_) {
    drop_queued();
    return false;
  }
  bool moved = false;
  const auto count = static_cast<std::uint32_t>(lanes_.size());
  for (std::uint32_t i = 0; i < count; ++i) moved |= pump((turn_ + i) % count);
  turn_ = (turn_ + 1) % std::max(count, 1u);
  return moved;
}

void StrandGate::pump_or_close() noexcept {
  try {
    pump();
  } catch (...) {
    close();
  }
}

bool StrandGate::pump(std::uint32_t lane) {
  std::deque<Queued>& queue = lanes_[lane].queue;
  bool moved = false;
  while (!queue.empty() && is_ready(lane, queue.front())) {
    hand_over(lane);
    moved = true;
  }
  return moved;
}

bool StrandGate::is_ready(std::uint32_t lane, const Queued& next) const {
  const convoy_submission& it = *next.submission;
  if (!std::all_of(it.waits, it.waits + it.wait_count, plugin::holds)) return false;
  if (!locks(next.operation)) return true;
  // No operation locks while its lane still runs one without a lock. So a lock lasts no longer than
  // updates and copies take.
  const GatedLane& own = lanes_[lane];
  if (!own.last_locks && value_of((*timelines_)[lane]) < own.handed) return false;
  return std::ranges::none_of(locks_, [&](const Lock& lock) {
    return !same_queue(lock.lane, lane) &&
           conflict(plan_.body[lock.operation], plan_.body[next.operation]);
  });
}

// A device's lane runs in order, so an operation behind another one there does not have to wait
// here.
bool StrandGate::same_queue(std::uint32_t a, std::uint32_t b) const {
  return lanes_[a].engine == lanes_[b].engine && lanes_[a].kind == lanes_[b].kind;
}

bool StrandGate::conflict(const plan::Operation& a, const plan::Operation& b) const {
  return any_overlap(a.writes, b.writes) || any_overlap(a.writes, b.reads) ||
         any_overlap(a.reads, b.writes);
}

void StrandGate::hand_over(std::uint32_t lane) {
  GatedLane& it = lanes_[lane];
  const Queued next = it.queue.front();
  number_update(plan_.body[next.operation], memory_, *next.submission);
  it.engine->submit(*next.submission);
  it.queue.pop_front();
  it.handed = next.submission->value;
  it.last_locks = locks(next.operation);
  staleness_.begins(next.operation);
  if (it.last_locks)
    locks_.push_back({next.operation, lane, {next.submission->timeline, next.submission->value}});
}

// Completes the queued operations of a lane only after those that its device still has, so that no
// timeline goes back.
void StrandGate::drop_queued() {
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    GatedLane& lane = lanes_[i];
    if (lane.queue.empty() || value_of((*timelines_)[i]) < lane.handed) continue;
    for (; !lane.queue.empty(); lane.queue.pop_front())
      plugin::advance(lane.queue.front().submission->timeline,
                      lane.queue.front().submission->value);
  }
}

}  // namespace convoy::runtime
