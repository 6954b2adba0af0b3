#include "core/plan/schedule/reduce_waits.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "core/base/error.hpp"

namespace convoy::plan {
namespace {

// Per lane, how many of its operations are known to be done, counted over iterations: operation p
// of iteration t is number t * size + p + 1.
using Clock = std::vector<std::int64_t>;

void join(Clock& clock, const Clock& other) {
  CONVOY_CHECK_EQ(clock.size(), other.size());  // else it is submitted before what it waits for
  for (std::size_t i = 0; i < clock.size(); ++i) clock[i] = std::max(clock[i], other[i]);
}

class Reducer {
 public:
  Reducer(const DependencyLists& dependencies, Schedule& schedule, std::uint32_t host)
      : dependencies_(dependencies),
        schedule_(schedule),
        host_(host),
        received_(schedule.lanes.size()),
        done_(kIterations * dependencies.size()) {}

  // Walks a few iterations, so that the last one sees the steady state.
  void run() {
    for (std::int64_t iteration = 0; iteration < kIterations; ++iteration)
      for (const std::uint32_t operation : schedule_.submission)
        visit(operation, iteration, iteration == kIterations - 1);
  }

 private:
  static constexpr std::int64_t kIterations = 3;

  std::int64_t number(std::uint32_t operation, std::int64_t iteration) const {
    const ScheduledOperation& it = schedule_.operations[operation];
    return iteration * std::int64_t(schedule_.lanes[it.lane].operations.size()) + it.position + 1;
  }
  Clock& done(std::uint32_t operation, std::int64_t iteration) {
    return done_[iteration * dependencies_.size() + operation];
  }

  void visit(std::uint32_t operation, std::int64_t iteration, bool record) {
    ScheduledOperation& scheduled = schedule_.operations[operation];
    const Lane& lane = schedule_.lanes[scheduled.lane];
    Clock clock(schedule_.lanes.size(), 0);
    if (scheduled.position > 0)
      clock = done(lane.operations[scheduled.position - 1], iteration);
    else if (iteration > 0)
      clock = done(lane.operations.back(), iteration - 1);

    if (receives(lane)) clock[scheduled.lane] = received_[scheduled.lane];

    // The latest dependencies come first, because they imply the most.
    const std::span<const Dependency> all = dependencies_[operation];
    std::vector<Dependency> waits(all.begin(), all.end());
    std::sort(waits.begin(), waits.end(), [&](const Dependency& a, const Dependency& b) {
      return a.distance != b.distance ? a.distance < b.distance : rank(a.before) > rank(b.before);
    });
    for (const Dependency& wait : waits) {
      const std::int64_t from = iteration - wait.distance;
      if (from < 0 && !record) continue;
      const ScheduledOperation& before = schedule_.operations[wait.before];
      if (before.lane == CONVOY_NONE) continue;
      if (schedule_.lanes[before.lane].strand != lane.strand) {
        if (record) wait_for_strand(scheduled, before, wait.distance);
        continue;
      }
      if (clock[before.lane] >= number(wait.before, from)) continue;
      if (record) scheduled.waits.push_back({before.lane, before.position, wait.distance});
      if (from >= 0) join(clock, done(wait.before, from));
    }
    received_[scheduled.lane] = clock[scheduled.lane];
    clock[scheduled.lane] = std::max(clock[scheduled.lane], number(operation, iteration));
    done(operation, iteration) = std::move(clock);
  }

  bool receives(const Lane& lane) const {
    return lane.lane == kNetworkLane && lane.receiver == host_;
  }

  // Other strands may be any number of iterations behind. So only earlier waits of the same lane
  // imply a wait.
  void wait_for_strand(ScheduledOperation& scheduled, const ScheduledOperation& before,
                       std::uint32_t distance) {
    const auto size = static_cast<std::int64_t>(schedule_.lanes[before.lane].operations.size());
    const std::int64_t number = before.position - distance * size;
    const auto [told, first] = told_.try_emplace({scheduled.lane, before.lane}, number);
    if (!first && told->second >= number) return;
    told->second = number;
    scheduled.waits.push_back({before.lane, before.position, distance});
  }

  std::uint32_t rank(std::uint32_t operation) {
    if (rank_.empty()) {
      rank_.resize(schedule_.operations.size());
      for (std::uint32_t i = 0; i < schedule_.submission.size(); ++i)
        rank_[schedule_.submission[i]] = i;
    }
    return rank_[operation];
  }

  const DependencyLists& dependencies_;
  Schedule& schedule_;
  const std::uint32_t host_;  // the host of the schedule; CONVOY_NONE: there is one host
  // Per lane, how many of its messages had ended when the last one started.
  std::vector<std::int64_t> received_;
  std::vector<Clock> done_;  // empty until the operation is visited
  std::vector<std::uint32_t> rank_;
  // By lane and lane of another strand: the latest operation waited for, counted from this
  // iteration.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> told_;
};

}  // namespace

void reduce_waits(const DependencyLists& dependencies, Schedule& schedule, std::uint32_t host) {
  Reducer(dependencies, schedule, host).run();
}

}  // namespace convoy::plan
