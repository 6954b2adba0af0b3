#include "core/simulate/virtual_run.hpp"

#include <algorithm>
#include <queue>

#include "core/base/error.hpp"
#include "core/simulate/compute_clock.hpp"
#include "core/simulate/flow_network.hpp"

namespace convoy::simulate {
namespace {

enum class EventKind : std::uint8_t { kComputeEnd, kBegin, kFlowEnd };

struct Event {
  Ticks at = 0;
  std::uint64_t sequence = 0;
  EventKind kind = EventKind::kBegin;
  std::uint32_t index = 0;  // place, instance or flow
  std::uint32_t version = 0;
};

struct Later {
  bool operator()(const Event& a, const Event& b) const {
    return a.at != b.at ? a.at > b.at : a.sequence > b.sequence;
  }
};

// An instance is a task in one iteration: iteration * tasks + task.
class VirtualRun {
 public:
  VirtualRun(const TaskGraph& graph, const SimulatedMachine& machine, std::uint32_t iterations,
             std::uint32_t in_flight)
      : graph_(graph),
        size_(static_cast<std::uint32_t>(graph.tasks.size())),
        iterations_(iterations),
        released_(std::min(in_flight, iterations)),
        clock_(graph, machine),
        network_(graph.links),
        lanes_(graph.lanes.size()),
        engines_(graph.engines.size()),
        running_(machine.places.size(), kNone),
        group_flows_(graph.groups.size()),
        group_links_(graph.groups.size()),
        unfinished_(iterations, size_) {
    const std::size_t instances = std::size_t{size_} * iterations;
    times_.start.assign(instances, -1);
    times_.end.assign(instances, -1);
    times_.cause.assign(instances, kNone);
    times_.iteration_end.assign(iterations, 0);
    times_.link_bytes.assign(graph.links.size(), 0);
    for (const SlowedLink& link : graph.slowed_links) group_links_[link.group].push_back(link);
    for (std::uint32_t i = 0; i < iterations; ++i)
      for (std::uint32_t task = 0; task < size_; ++task) waits_.push_back(initial_waits(i, task));
  }

  RunTimes run() {
    for (std::uint32_t engine = 0; engine < engines_.size(); ++engine) mark(engine);
    settle();
    while (!events_.empty()) {
      now_ = events_.top().at;
      while (!events_.empty() && events_.top().at == now_) {
        const Event event = events_.top();
        events_.pop();
        handle(event);
      }
      settle();
    }
    for (const std::uint32_t left : unfinished_) CONVOY_CHECK_EQ(left, 0u);
    return std::move(times_);
  }

 private:
  struct LaneState {
    std::uint32_t next = 0;  // position in the lane
    std::uint32_t iteration = 0;
  };
  struct EngineState {
    std::uint32_t last = kNone;  // what it ran before
    bool busy = false;
    bool dirty = false;
  };

  // What an iteration waits for of those before the first is there from the beginning.
  std::uint32_t initial_waits(std::uint32_t iteration, std::uint32_t task) const {
    std::uint32_t count = 0;
    for (std::uint32_t distance = 0; distance < graph_.waits.size(); ++distance)
      if (distance <= iteration) count += graph_.waits[distance][task];
    return count;
  }

  void push(Ticks at, EventKind kind, std::uint32_t index, std::uint32_t version) {
    events_.push({at, sequence_++, kind, index, version});
  }

  void mark(std::uint32_t engine) {
    if (engines_[engine].dirty) return;
    engines_[engine].dirty = true;
    dirty_engines_.push_back(engine);
  }

  void handle(const Event& event) {
    switch (event.kind) {
      case EventKind::kComputeEnd: {
        if (!clock_.is_current(event.index, event.version)) return;
        clock_.finish(event.index);
        const std::uint32_t instance = running_[event.index];
        running_[event.index] = kNone;
        return complete(instance);
      }
      case EventKind::kBegin:
        return begin(event.index);
      case EventKind::kFlowEnd:
        if (network_.is_current(event.index, event.version)) end_flow(event.index);
    }
  }

  void settle() {
    for (std::size_t i = 0; i < dirty_engines_.size(); ++i) {
      engines_[dirty_engines_[i]].dirty = false;
      serve(dirty_engines_[i]);
    }
    dirty_engines_.clear();
    for (const ComputeClock::End& end : clock_.settle(now_))
      push(end.at, EventKind::kComputeEnd, end.place, end.version);
    for (const std::uint32_t group : clock_.flipped_groups()) flip(group);
    for (const FlowNetwork::End& end : network_.update(now_))
      push(end.at, EventKind::kFlowEnd, end.flow, end.version);
  }

  // The group's devices have begun to compute, or all of them have stopped.
  void flip(std::uint32_t group) {
    for (const std::uint32_t flow : group_flows_[group])
      network_.set_limit(flow, limit_of(graph_.tasks[flow_instance_[flow] % size_]));
    for (const SlowedLink& it : group_links_[group])
      network_.set_capacity(it.link, clock_.is_busy(group)
                                         ? it.busy_bytes_per_second
                                         : graph_.links[it.link].bytes_per_second);
  }

  // The most urgent of the tasks at the heads of its lanes; of equal ones the first lane's.
  void serve(std::uint32_t engine) {
    EngineState& state = engines_[engine];
    if (state.busy) return;
    std::uint32_t best = kNone;
    for (const std::uint32_t lane : graph_.engines[engine].lanes) {
      const LaneState& it = lanes_[lane];
      if (it.iteration >= (graph_.lanes[lane].runs_ahead ? iterations_ : released_)) continue;
      const std::uint32_t task = graph_.lanes[lane].tasks[it.next];
      if (waits_[std::size_t{it.iteration} * size_ + task] > 0) continue;
      if (best == kNone || graph_.tasks[task].urgency < graph_.tasks[best % size_].urgency)
        best = it.iteration * size_ + task;
    }
    if (best != kNone) start(best, state);
  }

  void start(std::uint32_t instance, EngineState& engine) {
    const Task& task = graph_.tasks[instance % size_];
    engine.busy = true;
    times_.start[instance] = now_;
    std::uint32_t& cause = times_.cause[instance];
    const bool waited_for_engine = cause == kNone || times_.end[cause] < now_;
    if (waited_for_engine && engine.last != kNone && times_.end[engine.last] == now_)
      cause = engine.last;
    if (task.activity == Activity::kCompute) {
      running_[task.place] = instance;
      return clock_.start(now_, task.place, *task.pass);
    }
    Ticks at = now_;
    if (task.activity == Activity::kCollective && task.group != kNone) {
      at = clock_.kernel_boundary(now_, task.group);
      clock_.collective(task.group, 1);  // who is there first occupies its device and waits
    }
    push(at + to_ticks(task.seconds), EventKind::kBegin, instance, 0);
  }

  // Its fixed cost is over: now its bytes flow.
  void begin(std::uint32_t instance) {
    const Task& task = graph_.tasks[instance % size_];
    if (task.route == kNone || task.bytes == 0) return complete(instance);
    const auto shares = graph_.routes[task.route];
    const std::uint32_t flow = network_.add(now_, task.bytes, shares, limit_of(task));
    if (flow_instance_.size() <= flow) flow_instance_.resize(flow + 1);
    flow_instance_[flow] = instance;
    if (task.group != kNone) group_flows_[task.group].push_back(flow);
    if (instance / size_ + 1 < iterations_) return;
    for (const LinkShare& share : shares)
      times_.link_bytes[share.link] += task.bytes * share.weight;
  }

  double limit_of(const Task& task) const {
    return task.group != kNone && clock_.is_busy(task.group) ? task.busy_limit : task.limit;
  }

  void end_flow(std::uint32_t flow) {
    network_.finish(flow);
    const std::uint32_t instance = flow_instance_[flow];
    const Task& task = graph_.tasks[instance % size_];
    if (task.group != kNone) std::erase(group_flows_[task.group], flow);
    complete(instance);
  }

  void complete(std::uint32_t instance) {
    const std::uint32_t task = instance % size_;
    const std::uint32_t iteration = instance / size_;
    times_.end[instance] = now_;
    const Task& it = graph_.tasks[task];
    if (it.activity == Activity::kCollective && it.group != kNone) clock_.collective(it.group, -1);
    for (const TaskSuccessor& successor : graph_.successors[task]) {
      const std::uint32_t when = iteration + successor.distance;
      if (when >= iterations_) continue;
      const std::uint32_t waiting = when * size_ + successor.task;
      times_.cause[waiting] = instance;
      if (--waits_[waiting] == 0) mark(graph_.lanes[graph_.tasks[successor.task].lane].engine);
    }
    advance(graph_.tasks[task].lane, instance);
    if (--unfinished_[iteration] == 0) release(iteration);
  }

  void advance(std::uint32_t lane, std::uint32_t instance) {
    LaneState& it = lanes_[lane];
    if (++it.next == graph_.lanes[lane].tasks.size()) {
      it.next = 0;
      ++it.iteration;
    }
    const std::uint32_t engine = graph_.lanes[lane].engine;
    engines_[engine].busy = false;
    engines_[engine].last = instance;
    mark(engine);
  }

  void release(std::uint32_t iteration) {
    times_.iteration_end[iteration] = now_;
    if (released_ == iterations_) return;
    ++released_;
    for (std::uint32_t engine = 0; engine < engines_.size(); ++engine) mark(engine);
  }

  const TaskGraph& graph_;
  std::uint32_t size_;
  std::uint32_t iterations_;
  std::uint32_t released_;  // iterations that may run
  ComputeClock clock_;
  FlowNetwork network_;
  std::vector<LaneState> lanes_;
  std::vector<EngineState> engines_;
  std::vector<std::uint32_t> running_;                   // per place: the compute instance
  std::vector<std::vector<std::uint32_t>> group_flows_;  // per group: its flows in progress
  std::vector<std::vector<SlowedLink>> group_links_;     // per group
  std::vector<std::uint32_t> flow_instance_;             // per flow
  std::vector<std::uint32_t> waits_;                     // per instance
  std::vector<std::uint32_t> unfinished_;                // per iteration
  std::vector<std::uint32_t> dirty_engines_;
  std::priority_queue<Event, std::vector<Event>, Later> events_;
  std::uint64_t sequence_ = 0;
  Ticks now_ = 0;
  RunTimes times_;
};

}  // namespace

RunTimes run_tasks(const TaskGraph& graph, const SimulatedMachine& machine,
                   std::uint32_t iterations, std::uint32_t in_flight) {
  return VirtualRun(graph, machine, iterations, in_flight).run();
}

}  // namespace convoy::simulate
