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
// No run is longer, so what waits for an iteration so far back or farther waits for nothing.
constexpr std::uint32_t kMostIterations = 192;

enum class Activity : std::uint8_t { kCompute, kCopy, kCollective, kSum, kUpdate };

// What an operation costs. Compute takes the time of its pass; all others take `seconds`, then send
// `bytes` over their route.
struct TaskCost {
  double seconds = 0;
  double bytes = 0;
  double limit = 0;       // most bytes per second of the route; infinity = only its links'
  double busy_limit = 0;  // while a device of the group computes
  const PassTime* pass = nullptr;
  std::uint32_t group = kNone;  // devices whose computing slows this down
  std::uint32_t way = kNone;    // index into TaskGraph::ways: how a library does a collective
  Activity activity = Activity::kCopy;

  bool operator==(const TaskCost&) const = default;
};

// One operation of a lowered plan's body. Millions are gone through in no order, so they are small:
// devices that are alike do what costs alike.
struct Task {
  std::uint32_t cost = 0;       // index into TaskGraph::costs
  std::uint32_t place = 0;      // whose engine runs it
  std::uint32_t strand = 0;     // with whose iterations it goes
  std::uint32_t route = kNone;  // index into TaskGraph::routes
};

// A task that is not yet in a graph.
struct CostedTask : TaskCost {
  std::uint32_t place = 0;
  std::uint32_t route = kNone;
};

struct QueuedTask {
  std::uint32_t task = 0;
  std::uint32_t urgency = 0;  // smaller first, among lanes of one engine
};

struct TaskLane {
  std::uint32_t engine = 0;
  std::uint32_t kind = 0;         // convoy_lane
  std::vector<QueuedTask> tasks;  // in order
  bool runs_ahead = false;        // input: does not wait for earlier iterations to end
};

// Runs one task at a time, of any of its lanes.
struct TaskEngine {
  std::uint32_t place = 0;
  std::vector<std::uint32_t> lanes;
};

struct TaskSuccessor {
  std::uint32_t task = 0;
  std::uint32_t distance = 0;  // iterations later
};

// Lists of lists in one array.
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
  // Of all lists; those of the list begin at first(index).
  std::span<const T> items() const { return items_; }
  std::size_t first(std::uint32_t index) const { return ends_[index]; }

 private:
  std::vector<T> items_;
  std::vector<std::size_t> ends_ = {0};
};

// A link that carries less while any device of a group computes.
struct SlowedLink {
  std::uint32_t link = 0;
  std::uint32_t group = 0;
  double busy_bytes_per_second = 0;
};

// Tasks that end in any order, whose ends are counted in theirs: all of one iteration, then all of
// the next one.
struct TaskSeries {
  // Waits until, `distance` iterations ago, the first `after` tasks have ended and all of the
  // iterations before that.
  struct Reader {
    std::uint32_t task = 0;
    std::uint32_t after = 0;  // at least 1
    std::uint32_t distance = 0;
  };
  std::vector<std::uint32_t> tasks;
  std::vector<Reader> readers;  // by `after`
};

// A plan's body as numbers: what the engine goes through again and again.
struct TaskGraph {
  // About in the order in which they run, those of several strands lane by lane; input at the end.
  std::vector<Task> tasks;
  std::vector<TaskCost> costs;
  // Per task its index into the body; those of input, which plans do not show, have none.
  std::vector<std::uint32_t> operations;
  std::vector<TaskLane> lanes;
  std::vector<TaskEngine> engines;
  Lists<TaskSuccessor> successors;  // per task
  std::vector<TaskSeries> series;
  // Per distance and task, how many successions and series it waits for.
  std::vector<std::vector<std::uint32_t>> waits;
  Lists<LinkShare> routes;
  Lists<std::uint32_t> groups;      // places
  std::vector<LinkCapacity> links;  // the machine's, then those that only this software has
  std::vector<SlowedLink> slowed_links;
  std::vector<LayerTimes> layers;  // that the passes are in
  std::vector<std::string> ways;   // of collectives, for people
  std::uint32_t strands = 1;

  const TaskCost& cost_of(std::size_t task) const { return costs[tasks[task].cost]; }
  // kNone: a task of input.
  std::uint32_t operation_of(std::size_t task) const {
    return task < operations.size() ? operations[task] : kNone;
  }
};

}  // namespace convoy::simulate
