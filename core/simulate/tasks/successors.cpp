#include "core/simulate/tasks/successors.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/process/in_parallel.hpp"
#include "core/base/process/large_pages.hpp"

namespace convoy::simulate {
namespace {

// Reduces the waits of an operation: lanes run in order, so it waits only for the last operation in
// each lane, and not for earlier operations in its own lane.
class NecessaryWaits {
 public:
  // `places` must outlive this.
  explicit NecessaryWaits(const LanePlaces& places) : places_(places.of), last_(places.lanes) {}

  template <typename Visit>
  void visit(std::uint32_t operation, std::span<const plan::Dependency> all, Visit visit) {
    for (const plan::Dependency& it : all) {
      Last& last = last_[places_[it.before].lane];
      const When at = when(it);
      if (last.of != operation || last.when < at) last = {operation, at};
    }
    const std::uint32_t own = places_[operation].lane;
    for (const plan::Dependency& it : all) {
      const std::uint32_t lane = places_[it.before].lane;
      if (lane != own && last_[lane].when == when(it)) visit(it);
    }
  }

 private:
  using When = std::pair<std::int64_t, std::uint32_t>;  // iteration, position in the lane
  struct Last {
    std::uint32_t of = kNone;
    When when;
  };
  When when(const plan::Dependency& it) const {
    return {-std::int64_t{it.distance}, places_[it.before].position};
  }

  std::span<const LanePlaces::Place> places_;
  std::vector<Last> last_;  // per lane
};

// The waits of a half of the operations, for a thread of its own.
class HalfOfWaits {
 public:
  HalfOfWaits(const plan::DependencyLists& dependencies, const LanePlaces& places,
              const std::vector<std::uint32_t>& numbers, bool second)
      : dependencies_(dependencies),
        numbers_(numbers),
        necessary_(places),
        first_(second ? dependencies.size() / 2 : 0),
        end_(second ? dependencies.size() : dependencies.size() / 2) {}

  // Counts the waits for each of `tasks` tasks.
  void count(std::size_t tasks) {
    reserve_large(after_, tasks);
    after_.resize(tasks, 0);
    for_each([this](const TaskWait& it) { note(it); });
  }
  void note(const TaskWait& it) {
    ++after_[it.before];
    largest_ = std::max(largest_, it.distance);
  }
  std::uint32_t largest() const { return largest_; }
  // Returns where the next list begins if this half's part of the task's list begins there.
  std::size_t begin_at(std::uint32_t task, std::size_t at) {
    return at + std::exchange(after_[task], static_cast<std::uint32_t>(at));
  }
  void add_all(std::span<TaskSuccessor> successors, TaskGraph& graph) {
    for_each([&](const TaskWait& it) { add(it, successors, graph); });
  }
  void add(const TaskWait& it, std::span<TaskSuccessor> successors, TaskGraph& graph) {
    successors[after_[it.before]++] = {it.task, it.distance};
    ++graph.waits[it.distance][it.task];
  }

 private:
  template <typename Visit>
  void for_each(Visit visit) {
    for (std::size_t i = first_; i < end_; ++i)
      necessary_.visit(
          static_cast<std::uint32_t>(i), dependencies_[i], [&](const plan::Dependency& it) {
            visit(
                TaskWait{numbers_[i], numbers_[it.before], std::min(it.distance, kMostIterations)});
          });
  }

  const plan::DependencyLists& dependencies_;
  const std::vector<std::uint32_t>& numbers_;
  NecessaryWaits necessary_;
  std::size_t first_;
  std::size_t end_;
  std::uint32_t largest_ = 0;         // distance
  std::vector<std::uint32_t> after_;  // per task: how many wait; then where the next one goes
};

}  // namespace

LanePlaces lane_places(const plan::Schedule& schedule) {
  LanePlaces places;
  places.lanes = schedule.lanes.size();
  reserve_large(places.of, schedule.operations.size());
  for (const plan::ScheduledOperation& it : schedule.operations)
    places.of.push_back({it.lane, it.position});
  return places;
}

void add_successors(const plan::DependencyLists& dependencies, const LanePlaces& places,
                    const std::vector<std::uint32_t>& numbers, std::span<const TaskWait> more,
                    TaskGraph& graph) {
  const std::size_t tasks = graph.tasks.size();
  HalfOfWaits one(dependencies, places, numbers, false);
  HalfOfWaits other(dependencies, places, numbers, true);
  side_by_side(
      tasks, [&] { one.count(tasks); }, [&] { other.count(tasks); });
  for (const TaskWait& it : more) other.note(it);
  std::vector<std::size_t> ends;
  reserve_large(ends, tasks + 1);
  ends.push_back(0);
  for (std::uint32_t task = 0; task < tasks; ++task)
    ends.push_back(other.begin_at(task, one.begin_at(task, ends.back())));
  CONVOY_CHECK(ends.back() <= kNone);
  std::vector<TaskSuccessor> successors;
  reserve_large(successors, ends.back());
  successors.resize(ends.back());
  graph.waits.assign(std::max(one.largest(), other.largest()) + 1,
                     std::vector<std::uint32_t>(tasks, 0));
  side_by_side(
      tasks, [&] { one.add_all(successors, graph); }, [&] { other.add_all(successors, graph); });
  for (const TaskWait& it : more) other.add(it, successors, graph);
  graph.successors = {std::move(successors), std::move(ends)};
}

}  // namespace convoy::simulate
