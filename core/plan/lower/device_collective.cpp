#include "core/plan/lower/device_collective.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include "core/base/error.hpp"
#include "core/plan/stages.hpp"

namespace convoy::plan {
namespace {

using Places = std::vector<std::uint32_t>;

Places places_of(std::span<const PlanSpan> spans, const Plan& plan) {
  Places places;
  for (const PlanSpan& span : spans) places.push_back(plan.place_of(span));
  return places;
}

Places sorted(Places places) {
  std::ranges::sort(places);
  return places;
}

bool all_different(const Places& places) {
  const Places in_order = sorted(places);
  return std::ranges::adjacent_find(in_order) == in_order.end();
}

// Returns the number of common elements of two sorted lists.
std::size_t in_common(const Places& a, const Places& b) {
  Places both;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  return both.size();
}

// Whether the host does not address the devices' memory.
bool have_own_memory(const Cluster& cluster) {
  const std::uint32_t device = cluster.replica_place.front();
  return !cluster.access[cluster.places[device].near_place][device];
}

// An operation of the body, and how many iterations before the present one it runs.
using Occurrence = std::pair<std::uint32_t, std::uint32_t>;

// Whether `before`, `distance` iterations earlier, is always done when `after` starts.
bool comes_before(const Schedule& schedule, std::uint32_t before, std::uint32_t after,
                  std::uint32_t distance) {
  std::set<Occurrence> seen{{after, 0}};
  std::vector<Occurrence> open{{after, 0}};
  const auto visit = [&](std::uint32_t operation, std::uint32_t ago) {
    if (ago <= distance && seen.insert({operation, ago}).second) open.push_back({operation, ago});
  };
  while (!open.empty()) {
    const auto [operation, ago] = open.back();
    open.pop_back();
    if (operation == before && ago == distance) return true;
    const ScheduledOperation& it = schedule.operations[operation];
    const std::vector<std::uint32_t>& lane = schedule.lanes[it.lane].operations;
    if (it.position > 0)
      visit(lane[it.position - 1], ago);
    else
      visit(lane.back(), ago + 1);
    for (const LaneWait& wait : it.waits)
      visit(schedule.lanes[wait.lane].operations[wait.position], ago + wait.distance);
  }
  return false;
}

// Whether the order is fixed within an iteration and from one iteration to the next.
bool is_ordered(const Schedule& schedule, std::uint32_t first, std::uint32_t second) {
  return comes_before(schedule, first, second, 0) && comes_before(schedule, second, first, 1);
}

}  // namespace

std::vector<std::uint32_t> participants(const Operation& collective, const Plan& plan) {
  Places places = places_of(collective.writes, plan);
  const Places written = sorted(places);
  for (const std::uint32_t place : places_of(collective.reads, plan))
    if (!std::ranges::binary_search(written, place)) places.push_back(place);
  return places;
}

bool devices_can_run(const Operation& collective, const Plan& plan) {
  const Places reads = places_of(collective.reads, plan);
  const Places writes = places_of(collective.writes, plan);
  const auto is_device = [&](std::uint32_t place) {
    return plan.cluster->places[place].kind == CONVOY_PLACE_DEVICE;
  };
  if (!std::ranges::all_of(reads, is_device) || !std::ranges::all_of(writes, is_device))
    return false;
  if (!all_different(reads) || !all_different(writes)) return false;
  const std::uint32_t dtype = collective.writes.front().dtype;
  const bool moves =
      collective.kind == OperationKind::kAllGather || collective.kind == OperationKind::kBroadcast;
  if (!moves && dtype != CONVOY_F32 && dtype != CONVOY_F16 && dtype != CONVOY_BF16) return false;
  switch (collective.kind) {
    case OperationKind::kBroadcast:
      return true;
    case OperationKind::kReduce:
      return std::ranges::find(reads, writes.front()) != reads.end();
    default:  // each device reads one of the spans and writes the span with the same number
      return reads == writes;
  }
}

std::string lowered_collectives_notice(const Plan& logical) {
  const std::string& reason = logical.cluster->no_device_collectives;
  const bool on_two_levels = have_own_memory(*logical.cluster);
  const auto is_theirs = [on_two_levels](const Operation& it) {
    return is_collective(it.kind) &&
           (it.algorithm == CONVOY_ALGORITHM_DEVICE ||
            (on_two_levels && it.algorithm == CONVOY_ALGORITHM_TWO_LEVEL));
  };
  const auto has_theirs = [&](const std::vector<Operation>* body) {
    return std::ranges::any_of(*body, is_theirs);
  };
  if (reason.empty() || std::ranges::none_of(bodies_of(logical), has_theirs)) return {};
  return fmt::format("collectives run as copies and sums, because {}", reason);
}

void require_collective_order(const Plan& lowered, const Schedule& schedule) {
  std::vector<std::uint32_t> seen;
  std::vector<Places> groups;
  for (const std::uint32_t index : schedule.submission) {
    const Operation& operation = lowered.body[index];
    if (!is_collective(operation.kind)) continue;
    const Places group = sorted(participants(operation, lowered));
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (schedule.operations[seen[i]].lane == schedule.operations[index].lane) continue;
      if (in_common(groups[i], group) < 2 || is_ordered(schedule, seen[i], index)) continue;
      const Operation& other = lowered.body[seen[i]];
      fail(ExitCode::kFailed,
           "operations {} ({}) and {} ({}) of the plan share devices and may run in either order: "
           "two devices could each wait in another one of them for ever; let one read what the "
           "other writes, or reduce over the same devices in both",
           other.id, operation_name(other.kind), operation.id, operation_name(operation.kind));
    }
    seen.push_back(index);
    groups.push_back(group);
  }
}

}  // namespace convoy::plan
