#include "core/plan/schedule/schedule.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <unordered_map>

#include "core/base/error.hpp"
#include "core/base/numbers/sort_by_words.hpp"
#include "core/base/process/in_parallel.hpp"
#include "core/base/process/large_pages.hpp"
#include "core/plan/schedule/local_schedule.hpp"
#include "core/plan/schedule/reduce_waits.hpp"
#include "core/plan/schedule/spanning_collective.hpp"

namespace convoy::plan {
namespace {

constexpr std::uint32_t kNever = 0xffffffffu;

// Returns the position of every compute operation among those of its replica. These positions are
// the clock of a step.
std::vector<std::uint32_t> compute_positions(const Plan& plan) {
  std::vector<std::uint32_t> position(plan.body.size(), kNever);
  std::vector<std::uint32_t> next(plan.cluster->replicas(), 0);
  for (std::size_t i = 0; i < plan.body.size(); ++i)
    if (is_compute(plan.body[i].kind)) position[i] = next[plan.body[i].replica]++;
  return position;
}

// Returns, for each of the author's operations, whether it is a collective that lowering expanded.
std::vector<bool> expanded_collectives(const Plan& plan) {
  std::uint32_t sources = 0;
  for (const Operation& it : plan.body) sources = std::max(sources, it.source + 1);
  std::vector<bool> expanded(sources, false);
  for (const Operation& it : plan.body)
    if (it.lane == CONVOY_LANE_COLLECTIVE) expanded[it.source] = true;
  return expanded;
}

// Returns, per operation, how far compute must be before it can start: the latest compute operation
// of this iteration for which it waits, directly or indirectly. Compute that waits for another
// replica's, as when replicas take turns, is as far as that one. The parts of one collective keep
// their order. If the parts of a ring are not ready at the same time, the ring still advances step
// by step. So all its links are busy, and not only those of the first part.
std::vector<std::uint32_t> ready_times(const Plan& plan, const DependencyLists& dependencies,
                                       const std::vector<std::uint32_t>& compute) {
  const std::vector<bool> expanded = expanded_collectives(plan);
  std::vector<std::uint32_t> latest(expanded.size(), 0);
  std::vector<std::uint32_t> ready(plan.body.size(), 0);
  for (std::size_t i = 0; i < plan.body.size(); ++i) {
    if (compute[i] != kNever) {
      // Of operations that are equally ready, compute comes first.
      ready[i] = compute[i] + 1;
      for (const Dependency& it : dependencies[i])
        if (it.distance == 0)
          ready[i] = std::max(ready[i], ready[it.before] + (compute[it.before] == kNever ? 1 : 0));
      continue;
    }
    const std::uint32_t source = plan.body[i].source;
    ready[i] = latest[source];
    for (const Dependency& dependency : dependencies[i])
      if (dependency.distance == 0) ready[i] = std::max(ready[i], ready[dependency.before]);
    if (expanded[source]) latest[source] = ready[i];
  }
  return ready;
}

// Returns, per operation, when compute first needs the result: the position in this iteration, or
// in the next one, which counts one whole iteration later.
std::vector<std::uint32_t> need_times(const Plan& plan, const DependencyLists& dependencies,
                                      const std::vector<std::uint32_t>& compute) {
  const auto size = static_cast<std::uint32_t>(plan.body.size());
  std::vector<std::uint32_t> need(size, kNever);
  const auto tell = [&](std::uint32_t iteration) {
    for (std::uint32_t i = size; i-- > 0;) {
      const std::uint32_t own = compute[i] == kNever ? need[i] : compute[i];
      if (own == kNever) continue;
      for (const Dependency& dependency : dependencies[i]) {
        if (dependency.distance > 1 || (dependency.distance == 1) != (iteration == 1)) continue;
        const std::uint32_t at = dependency.distance == 0 ? own : own + size;
        need[dependency.before] = std::min(need[dependency.before], at);
      }
    }
  };
  tell(0);  // within the iteration
  tell(1);  // operations of this iteration that the next one needs
  tell(0);  // and the operations before those
  return need;
}

// Returns, per operation, how many updates lead to it within the iteration, itself included.
std::vector<std::uint32_t> count_updates(const Plan& plan, const DependencyLists& dependencies) {
  std::vector<std::uint32_t> updates(plan.body.size(), 0);
  for (std::size_t i = 0; i < plan.body.size(); ++i) {
    for (const Dependency& dependency : dependencies[i])
      if (dependency.distance == 0) updates[i] = std::max(updates[i], updates[dependency.before]);
    if (plan.body[i].kind == OperationKind::kApply) ++updates[i];
  }
  return updates;
}

// Identifies a lane: by place and kind, or by the two hosts, and by strand and priority.
struct LaneKey {
  std::uint64_t at = 0;
  std::uint32_t kind = 0;
  std::uint32_t strand = 0;
  std::uint32_t priority = 0;

  bool operator==(const LaneKey&) const = default;
};

struct LaneKeyHash {
  std::size_t operator()(const LaneKey& key) const {
    constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15u;
    const std::uint64_t rest =
        std::uint64_t{key.strand} << 16 | std::uint64_t{key.priority} << 8 | key.kind;
    const std::uint64_t hash = ((key.at * kSpread) ^ rest) * kSpread;
    return hash ^ hash >> 32;
  }
};

// Collectives of devices must have the same order on all of them, so they share one lane.
bool may_overtake(const Plan& plan, const Operation& operation) {
  if (is_compute(operation.kind) || is_collective(operation.kind)) return false;
  return operation.lane == kNetworkLane || plan.cluster->device_priorities;
}

Lane empty_lane(const Plan& plan, const Schedule& schedule, std::uint32_t index,
                std::uint32_t host) {
  const Operation& operation = plan.body[index];
  Lane lane{operation.place, operation.lane, {}};
  if (host != CONVOY_NONE) lane.place = place_on_host(plan, operation, host);
  lane.strand = schedule.strands[index];
  if (may_overtake(plan, operation)) lane.priority = schedule.priorities[index];
  if (operation.lane != kNetworkLane) return lane;
  lane.sender = plan.host_of(operation.reads.front());
  lane.receiver = plan.host_of(operation.writes.front());
  return lane;
}

LaneKey key_of(const Lane& lane) {
  if (lane.lane != kNetworkLane) return {lane.place, lane.lane, lane.strand, lane.priority};
  return {std::uint64_t{lane.sender} << 32 | lane.receiver, lane.lane, lane.strand, lane.priority};
}

// The order of operations of one phase that are equally ready. It is packed into one word, because
// millions of operations are sorted. If a value does not fit into its field, the field's largest
// value replaces it, which keeps the order of dependencies.
class Rank {
 public:
  void add(std::uint32_t value, std::uint32_t bits) {
    packed_ = packed_ << bits | std::min(value, (1u << bits) - 1);
  }
  std::uint64_t packed() const { return packed_; }

 private:
  std::uint64_t packed_ = 0;
};
constexpr std::uint32_t kPriorityBits = 8;
constexpr std::uint32_t kNeedBits = 26;  // enough for two iterations
constexpr std::uint32_t kUpdateBits = 6;
constexpr std::uint32_t kOperationBits = 24;
static_assert(CONVOY_PRIORITIES < 1u << kPriorityBits);
static_assert(kPriorityBits + kNeedBits + kUpdateBits + kOperationBits == 64);

struct OrderKey {
  std::uint64_t time = 0;  // phase, ready
  std::uint64_t rank = 0;
};

// Sorts by phase and readiness, then priority, need, updates and operation. A compute comes before
// the operations that it makes ready. An update comes after the sums of other buckets that are as
// urgent: it waits until the sum of its own bucket has arrived on all devices, and a sum behind it
// in the lane would wait as long.
std::vector<std::uint32_t> in_order(const Plan& lowered, const std::vector<std::uint32_t>& compute,
                                    const DependencyLists& dependencies,
                                    const Priorities& priorities) {
  CONVOY_CHECK(lowered.body.size() <= 1u << kOperationBits);
  std::vector<std::uint32_t> ready;
  std::vector<std::uint32_t> need;
  std::vector<std::uint32_t> updates;
  side_by_side(
      lowered.body.size(), [&] { need = need_times(lowered, dependencies, compute); },
      [&] {
        ready = ready_times(lowered, dependencies, compute);
        updates = count_updates(lowered, dependencies);
      });
  std::vector<OrderKey> keys;
  reserve_large(keys, lowered.body.size());
  for (std::uint32_t i = 0; i < lowered.body.size(); ++i) {
    const bool computes = compute[i] != kNever;
    Rank rank;
    rank.add(computes || priorities.of.empty() ? 0 : CONVOY_PRIORITIES - priorities[i],
             kPriorityBits);
    rank.add(computes ? 0 : need[i], kNeedBits);
    rank.add(updates[i], kUpdateBits);
    rank.add(i, kOperationBits);
    keys.push_back({std::uint64_t{lowered.body[i].phase} << 32 | ready[i], rank.packed()});
  }
  // The keys come in ascending order of operations, and equal keys keep their order.
  sort_by_words(keys, [](const OrderKey& it) {
    return SortWords{it.time, it.rank >> kOperationBits};
  });
  std::vector<std::uint32_t> order;
  order.reserve(keys.size());
  for (const OrderKey& key : keys)
    order.push_back(static_cast<std::uint32_t>(key.rank & ((1u << kOperationBits) - 1)));
  return order;
}

// Sets the urgency among the lanes of one engine: priorities one after the other, compute last.
void set_urgency(const Plan& lowered, Schedule& schedule) {
  std::uint32_t most = 0;
  for (const Lane& lane : schedule.lanes) most = std::max(most, lane.priority);
  for (std::size_t i = 0; i < lowered.body.size(); ++i) {
    ScheduledOperation& it = schedule.operations[i];
    const bool computes = is_compute(lowered.body[i].kind);
    it.urgency = computes ? most + 1 : most - schedule.lanes[it.lane].priority;
  }
}

// Numbers the sets of operations that share a lane. There are `count` operations; `index_at`
// returns the index of each in the body.
template <typename IndexAt>
std::vector<std::uint32_t> number_sets(const Plan& lowered, const Schedule& schedule,
                                       std::uint32_t host, std::size_t count,
                                       const IndexAt& index_at) {
  std::unordered_map<LaneKey, std::uint32_t, LaneKeyHash> numbers;
  std::vector<std::uint32_t> sets;
  reserve_large(sets, lowered.body.size());
  sets.resize(lowered.body.size(), CONVOY_NONE);
  for (std::size_t at = 0; at < count; ++at) {
    const auto i = static_cast<std::uint32_t>(index_at(at));
    const LaneKey key = key_of(empty_lane(lowered, schedule, i, host));
    sets[i] = numbers.try_emplace(key, static_cast<std::uint32_t>(numbers.size())).first->second;
  }
  return sets;
}

// Adds the operations to the lanes in the order of submission. `sets`: as number_sets().
void fill_lanes(const Plan& lowered, Schedule& schedule, std::uint32_t host,
                const std::vector<std::uint32_t>& sets) {
  std::vector<std::uint32_t> lanes;  // per set
  for (const std::uint32_t i : schedule.submission) {
    if (sets[i] >= lanes.size()) lanes.resize(sets[i] + std::size_t{1}, CONVOY_NONE);
    std::uint32_t& number = lanes[sets[i]];
    if (number == CONVOY_NONE) {
      number = static_cast<std::uint32_t>(schedule.lanes.size());
      schedule.lanes.push_back(empty_lane(lowered, schedule, i, host));
    }
    std::vector<std::uint32_t>& operations = schedule.lanes[number].operations;
    schedule.operations[i].lane = number;
    schedule.operations[i].position = static_cast<std::uint32_t>(operations.size());
    operations.push_back(i);
  }
}

// Computes the order of submission and the lanes. The lanes are found in the order of the body,
// because operations of one device are neighbours there, but not in the order of submission.
void order_and_fill(const Plan& lowered, const DependencyLists& dependencies, Schedule& schedule) {
  std::vector<std::uint32_t> sets;
  side_by_side(
      lowered.body.size(),
      [&] {
        schedule.submission =
            in_order(lowered, compute_positions(lowered), dependencies, schedule.priorities);
      },
      [&] {
        sets = number_sets(lowered, schedule, CONVOY_NONE, lowered.body.size(), std::identity());
      });
  fill_lanes(lowered, schedule, CONVOY_NONE, sets);
}

}  // namespace

void fill_lanes(const Plan& lowered, Schedule& schedule, std::uint32_t host) {
  const std::vector<std::uint32_t>& order = schedule.submission;
  fill_lanes(lowered, schedule, host,
             number_sets(lowered, schedule, host, order.size(),
                         [&order](std::size_t at) { return order[at]; }));
}

Schedule order_lanes(const Plan& lowered, const DependencyLists& dependencies) {
  // If A precedes B then phase, ready, need and updates of A are not greater and its priority,
  // where both are equally ready, not lower, and program order decides the rest: so this order
  // respects every dependency.
  Schedule schedule;
  schedule.operations.resize(lowered.body.size());
  schedule.priorities = find_priorities(lowered, dependencies);
  schedule.strands = find_strands(lowered, dependencies);
  order_and_fill(lowered, dependencies, schedule);
  set_urgency(lowered, schedule);
  schedule.phase_end.assign(lowered.computes, 0);
  for (const Operation& operation : lowered.body)
    for (std::uint32_t p = operation.phase; p < lowered.computes; ++p) ++schedule.phase_end[p];
  return schedule;
}

Schedule make_schedule(const Plan& lowered) {
  const DependencyLists dependencies = find_dependencies(lowered);
  Schedule schedule = order_lanes(lowered, dependencies);
  if (lowered.cluster->hosts > 1)
    add_local_waits(lowered, dependencies, schedule);
  else
    reduce_waits(dependencies, schedule);
  return schedule;
}

StrandOrder order_of(const Plan& lowered, const Schedule& schedule, std::uint32_t strand) {
  StrandOrder order{{}, std::vector<std::uint32_t>(schedule.phase_end.size(), 0)};
  for (const std::uint32_t i : schedule.submission) {
    if (schedule.strands[i] != strand) continue;
    order.submission.push_back(i);
    for (std::size_t p = lowered.body[i].phase; p < order.phase_end.size(); ++p)
      ++order.phase_end[p];
  }
  return order;
}

bool strands_wait(const Schedule& schedule) {
  const auto waits_for_another = [&](std::uint32_t i) {
    return std::ranges::any_of(schedule.operations[i].waits, [&](const LaneWait& wait) {
      return schedule.lanes[wait.lane].strand != schedule.strands[i];
    });
  };
  return std::ranges::any_of(schedule.submission, waits_for_another);
}

}  // namespace convoy::plan
