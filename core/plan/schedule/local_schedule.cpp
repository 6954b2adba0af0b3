#include "core/plan/schedule/local_schedule.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/plan/schedule/reduce_waits.hpp"

namespace convoy::plan {
namespace {

bool same_wait(const LaneWait& a, const LaneWait& b) {
  return a.lane == b.lane && a.position == b.position && a.distance == b.distance;
}

}  // namespace

bool has_end_at(const Plan& lowered, const Operation& operation, std::uint32_t host) {
  const auto is_there = [&](const PlanSpan& span) { return lowered.host_of(span) == host; };
  return lowered.cluster->places[operation.place].host == host ||
         std::ranges::any_of(operation.reads, is_there) ||
         std::ranges::any_of(operation.writes, is_there);
}

NetworkEnd network_end(const Plan& lowered, const Operation& operation, std::uint32_t host) {
  const std::uint32_t origin = lowered.host_of(operation.reads.front());
  const std::uint32_t target = lowered.host_of(operation.writes.front());
  CONVOY_CHECK(operation.lane == kNetworkLane && (origin == host || target == host));
  return origin == host ? NetworkEnd{target, true} : NetworkEnd{origin, false};
}

Schedule local_schedule(const Plan& lowered, const DependencyLists& dependencies,
                        const Schedule& whole, std::uint32_t host) {
  Schedule schedule;
  schedule.strands = whole.strands;
  schedule.priorities = whole.priorities;
  schedule.operations.resize(lowered.body.size());
  schedule.phase_end.assign(whole.phase_end.size(), 0);
  for (ScheduledOperation& operation : schedule.operations) operation.lane = CONVOY_NONE;
  for (const std::uint32_t i : whole.submission) {
    if (!has_end_at(lowered, lowered.body[i], host)) continue;
    schedule.submission.push_back(i);
    schedule.operations[i].urgency = whole.operations[i].urgency;
    for (std::size_t p = lowered.body[i].phase; p < schedule.phase_end.size(); ++p)
      ++schedule.phase_end[p];
  }
  fill_lanes(lowered, schedule, host);
  reduce_waits(dependencies, schedule, host);
  return schedule;
}

void add_local_waits(const Plan& lowered, const DependencyLists& dependencies, Schedule& whole) {
  for (std::uint32_t host = 0; host < lowered.cluster->hosts; ++host) {
    const Schedule local = local_schedule(lowered, dependencies, whole, host);
    for (const std::uint32_t i : local.submission)
      for (const LaneWait& wait : local.operations[i].waits) {
        const std::uint32_t before = local.lanes[wait.lane].operations[wait.position];
        const LaneWait same{whole.operations[before].lane, whole.operations[before].position,
                            wait.distance};
        std::vector<LaneWait>& waits = whole.operations[i].waits;
        if (std::none_of(waits.begin(), waits.end(),
                         [&](const LaneWait& other) { return same_wait(same, other); }))
          waits.push_back(same);
      }
  }
}

}  // namespace convoy::plan
