#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/simulate/flows/fair_shares.hpp"
#include "core/simulate/layers/layer_times.hpp"

namespace convoy::simulate {

constexpr std::uint32_t kNone = 0xffffffffu;
// The most iterations of a run. A wait for an iteration at least so far back waits for nothing.
constexpr std::uint32_t kMostIterations = 192;

enum class Activity : std::uint8_t { kCompute, kCopy, kCollective, kSum, kUpdate };

// What an operation costs. Compute takes the time of its pass. Every other operation takes
// `seconds`, or up to `spread` longer, and then sends `bytes` over its route.
struct TaskCost {
  double seconds = 0;
  double spread = 0;  // seconds
  double bytes = 0;
  double limit = 0;       // highest rate on the route; infinity = the links alone limit it
  double busy_limit = 0;  // the same while a device of the group computes
  const PassTime* pass = nullptr;
  std::uint32_t group = kNone;  // the devices whose compute slows this down
  std::uint32_t way = kNone;    // index into TaskGraph::ways, for a collective
  Activity activity = Activity::kCopy;

  bool operator==(const TaskCost&) const = default;
};

// One operation of a lowered plan's body. Tasks are small, because a run reads millions of them in
// no particular order. Equal devices have tasks with equal costs, which share an entry.
struct Task {
  std::uint32_t cost = 0;       // index into TaskGraph::costs
  std::uint32_t place = 0;      // the place whose engine runs it
  std::uint32_t strand = 0;     // the strand whose iterations it belongs to
  std::uint32_t route = kNone;  // index into TaskGraph::routes
};

// The cost of a task that is not yet in a graph.
struct CostedTask : TaskCost {
  std::uint32_t place = 0;
  std::uint32_t route = kNone;
};

struct QueuedTask {
  std::uint32_t task = 0;
  std::uint32_t urgency = 0;  // among the lanes of an engine, the smallest comes first
};

struct TaskLane {
  std::uint32_t engine = 0;
  std::uint32_t kind = 0;         // convoy_lane
  std::vector<QueuedTask> tasks;  // in order
  bool runs_ahead = false;        // for input: it does not wait for earlier iterations to end
};

// An engine runs one task at a time, from any of its lanes.
struct TaskEngine {
  std::uint32_t place = 0;
  std::vector<std::uint32_t> lanes;
};

struct TaskSuccessor {
  std::uint32_t task = 0;
  std::uint32_t distance = 0;  // iterations later
};

// A list of lists, stored in one array.
template <typename T>
class Lists {
 public:
  Lists() = default;
  // `ends` begins with a 0.
  Lists(std::vector<T> items, std::vector<std::size_t> ends)
      : items_(std::move(items)), ends_(std::move(ends)) {}
  std::uint32_t add(std::span<const T> list) {
    items_.insert(items_.end(), list.begin(), list.end());
    ends_.push_back(items_.size());
    return static_cast<std::uint32_t>(ends_.size() - 2);
  }
  std::span<const T> operator[](std::uint32_t index) const {
    return {items_.data() + ends_[index], ends_[index + 1] - ends_[index]};
  }
  std::size_t size() const { return ends_.size() - 1; }
  // The items of all lists; a list begins at first(index).
  std::span<const T> items() const { return items_; }
  std::size_t first(std::uint32_t index) const { return ends_[index]; }

 private:
  std::vector<T> items_;
  std::vector<std::size_t> ends_ = {0};
};

// A link that has a lower rate while any device of a group computes.
struct SlowedLink {
  std::uint32_t link = 0;
  std::uint32_t group = 0;
  double busy_bytes_per_second = 0;
};

// A series of tasks. They end in any order, but their ends count in the order of the series: all of
// one iteration, then all of the next one.
struct TaskSeries {
  // A task that waits until the first `after` tasks of the iteration `distance` before its own have
  // ended, and all tasks of earlier iterations.
  struct Reader {
    std::uint32_t task = 0;
    std::uint32_t after = 0;  // at least 1
    std::uint32_t distance = 0;
  };
  std::vector<std::uint32_t> tasks;
  std::vector<Reader> readers;  // by `after`
};

// A plan's body as numbers, which the engine runs again and again.
struct TaskGraph {
  // Roughly in the order in which they run; several strands are stored lane by lane. Input comes
  // last.
  std::vector<Task> tasks;
  std::vector<TaskCost> costs;
  // Per task, its index into the body. Input tasks have none, because plans do not contain them.
  std::vector<std::uint32_t> operations;
  std::vector<TaskLane> lanes;
  std::vector<TaskEngine> engines;
  Lists<TaskSuccessor> successors;  // per task
  std::vector<TaskSeries> series;
  // Per distance and task, how many predecessors and series it waits for.
  std::vector<std::vector<std::uint32_t>> waits;
  Lists<LinkShare> routes;
  Lists<std::uint32_t> groups;      // places
  std::vector<LinkCapacity> links;  // the machine's links, then those that only the software has
  std::vector<SlowedLink> slowed_links;
  std::vector<LayerTimes> layers;  // the times of the passes
  std::vector<std::string> ways;   // how collectives are carried out, for people
  std::uint32_t strands = 1;

  const TaskCost& cost_of(std::size_t task) const { return costs[tasks[task].cost]; }
  // Returns kNone for an input task.
  std::uint32_t operation_of(std::size_t task) const {
    return task < operations.size() ? operations[task] : kNone;
  }
};

}  // namespace convoy::simulate
