#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/simulate/tasks/task_graph.hpp"

namespace convoy::simulate {

// Follows how many tasks of each series have ended. Every end and every reader counts once per
// iteration. Lists of successors would contain all pairs of them.
class SeriesProgress {
 public:
  explicit SeriesProgress(const TaskGraph& graph);

  bool has(std::uint32_t task) const { return !places_.empty() && places_[task] != kNone; }
  // Records that a task of a series has ended in one more iteration. Calls visit(task, iteration)
  // for every reader that no longer waits for the series.
  template <typename Visit>
  void end(std::uint32_t task, Visit visit) {
    for (std::uint32_t place = places_[task]; place != kNone; place = slots_[place].other)
      advance(slots_[place], visit);
  }

 private:
  // The turn of a task in a series.
  struct Slot {
    std::uint32_t series = 0;
    std::uint32_t ended = 0;      // how often it has ended
    std::uint32_t other = kNone;  // another slot of the same task
  };
  // All turns before this one have ended.
  struct Series {
    std::size_t first = 0;  // slot
    std::size_t size = 0;
    std::size_t at = 0;
    std::size_t reader = 0;
    std::uint32_t iteration = 0;
  };

  template <typename Visit>
  void advance(Slot& slot, Visit visit) {
    ++slot.ended;
    Series& it = series_[slot.series];
    const std::vector<TaskSeries::Reader>& readers = graph_.series[slot.series].readers;
    while (slots_[it.first + it.at].ended > it.iteration) {
      ++it.at;
      for (; it.reader < readers.size() && readers[it.reader].after == it.at; ++it.reader)
        visit(readers[it.reader].task, it.iteration + readers[it.reader].distance);
      if (it.at < it.size) continue;
      it.at = 0;
      it.reader = 0;
      ++it.iteration;
    }
  }

  const TaskGraph& graph_;
  std::vector<std::uint32_t> places_;  // per task: its first slot; empty if there are no series
  std::vector<Slot> slots_;            // series by series
  std::vector<Series> series_;
};

}  // namespace convoy::simulate
