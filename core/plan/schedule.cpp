#include "core/plan/schedule.hpp"

#include <algorithm>
#include <compare>

#include "core/base/large_pages.hpp"
#include "core/plan/reduce_waits.hpp"

namespace convoy {
namespace {

constexpr std::uint32_t kNever = 0xffffffffu;

// Position of every compute operation among those of its replica: the clock of a step.
std::vector<std::uint32_t> compute_positions(const Plan& plan) {
  std::vector<std::uint32_t> position(plan.body.size(), kNever);
  std::vector<std::uint32_t> next(plan.cluster->replicas(), 0);
  for (std::size_t i = 0; i < plan.body.size(); ++i)
    if (is_compute(plan.body[i].kind)) position[i] = next[plan.body[i].replica]++;
  return position;
}

// How far compute must be before the operation can start: the latest compute operation of this
// iteration that it waits for, directly or not.
std::vector<std::uint32_t> ready_times(const Plan& plan, const DependencyLists& dependencies,
                                       const std::vector<std::uint32_t>& compute) {
  std::vector<std::uint32_t> ready(plan.body.size(), 0);
  for (std::size_t i = 0; i < plan.body.size(); ++i) {
    if (compute[i] != kNever) {
      ready[i] = compute[i] + 1;
      continue;
    }
    for (const Dependency& dependency : dependencies[i])
      if (dependency.distance == 0) ready[i] = std::max(ready[i], ready[dependency.before]);
  }
  return ready;
}

// When compute first needs the result: its position in this iteration, or in the next one, which
// counts one whole iteration later.
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
  tell(1);  // what the next iteration needs of this one
  tell(0);  // and who leads to those
  return need;
}

void fill_lanes(const Plan& plan, const std::vector<std::uint32_t>& order, Schedule& schedule) {
  constexpr std::uint32_t kKinds = CONVOY_LANE_UPDATE + 1;
  std::vector<std::uint32_t> index(kKinds * plan.cluster->places.size(), kNever);
  for (const std::uint32_t i : order) {
    const Operation& operation = plan.body[i];
    std::uint32_t& number = index[kKinds * operation.place + operation.lane];
    if (number == kNever) {
      number = static_cast<std::uint32_t>(schedule.lanes.size());
      schedule.lanes.push_back({operation.place, operation.lane, {}});
    }
    Lane& lane = schedule.lanes[number];
    schedule.operations[i].lane = number;
    schedule.operations[i].position = static_cast<std::uint32_t>(lane.operations.size());
    lane.operations.push_back(i);
  }
}

}  // namespace

Schedule order_lanes(const Plan& lowered, const DependencyLists& dependencies) {
  const std::vector<std::uint32_t> compute = compute_positions(lowered);
  const std::vector<std::uint32_t> ready = ready_times(lowered, dependencies, compute);
  const std::vector<std::uint32_t> need = need_times(lowered, dependencies, compute);

  // If A precedes B then phase, ready and need of A are not greater, and program order decides the
  // rest: so this order respects every dependency.
  Schedule schedule;
  schedule.operations.resize(lowered.body.size());
  schedule.submission.reserve(lowered.body.size());
  struct Key {
    std::uint64_t phase_and_ready, need_and_operation;
    auto operator<=>(const Key&) const = default;
  };
  const auto pair = [](std::uint64_t high, std::uint32_t low) { return high << 32 | low; };
  std::vector<Key> keys;
  reserve_large(keys, lowered.body.size());
  for (std::uint32_t i = 0; i < lowered.body.size(); ++i)
    keys.push_back(
        {pair(lowered.body[i].phase, ready[i]), pair(compute[i] == kNever ? need[i] : 0u, i)});
  std::sort(keys.begin(), keys.end());
  for (const Key& key : keys)
    schedule.submission.push_back(static_cast<std::uint32_t>(key.need_and_operation));
  fill_lanes(lowered, schedule.submission, schedule);
  for (std::size_t i = 0; i < lowered.body.size(); ++i)
    schedule.operations[i].urgency = compute[i] == kNever ? 0 : 1;
  schedule.phase_end.assign(lowered.computes, 0);
  for (const std::uint32_t i : schedule.submission)
    for (std::uint32_t p = lowered.body[i].phase; p < lowered.computes; ++p)
      ++schedule.phase_end[p];
  return schedule;
}

Schedule make_schedule(const Plan& lowered) {
  const DependencyLists dependencies = find_dependencies(lowered);
  Schedule schedule = order_lanes(lowered, dependencies);
  reduce_waits(dependencies, schedule);
  return schedule;
}

}  // namespace convoy
