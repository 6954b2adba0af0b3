#include "core/simulate/run/virtual_run.hpp"

#include <algorithm>
#include <bit>
#include <functional>

#include "core/base/error.hpp"
#include "core/base/process/large_pages.hpp"
#include "core/simulate/flows/binding_links.hpp"
#include "core/simulate/flows/flow_network.hpp"
#include "core/simulate/run/compute_clock.hpp"
#include "core/simulate/run/event_queue.hpp"
#include "core/simulate/run/flow_ends.hpp"
#include "core/simulate/run/series_progress.hpp"

namespace convoy::simulate {
namespace {

// Runs the tasks. An instance is a task in one iteration. Its number has the task in its lower bits
// and the iteration above them.
class VirtualRun {
 public:
  VirtualRun(const TaskGraph& graph, const SimulatedMachine& machine, const RunLength& length)
      : graph_(graph),
        size_(static_cast<std::uint32_t>(graph.tasks.size())),
        task_bits_(static_cast<std::uint32_t>(std::bit_width(graph.tasks.size()))),
        iterations_(length.iterations + length.ahead),
        measured_(graph.strands == 1 ? length.iterations - 2 : length.iterations / 2),
        around_(told_around(graph, iterations_)),
        before_(std::min(around_, measured_)),
        last_(graph.strands == 1 || length.ahead > 0 ? measured_ : length.iterations - 1),
        least_ended_(length.ahead > 0 ? std::uint64_t{size_} * length.iterations : 0),
        released_(graph.strands, std::min(length.in_flight, iterations_)),
        clock_(graph, machine),
        network_(graph.links),
        flow_routes_(binding_links(graph)),
        series_(graph),
        engines_(graph.engines.size()),
        running_(machine.places.size(), kNone),
        group_flows_(graph.groups.size()),
        group_links_(graph.groups.size()),
        strand_heads_(graph.strands),
        unfinished_(std::size_t{graph.strands} * iterations_, 0) {
    CONVOY_CHECK(length.iterations > 2 &&
                 std::uint64_t{iterations_} << task_bits_ <= Event::kIndices);
    times_.measured = measured_;
    const std::size_t told = (before_ + around_ + std::size_t{1}) * size_;
    CONVOY_CHECK(told < kNone);
    reserve_large(times_.tasks, told);
    times_.tasks.resize(told);
    times_.iteration_end.assign(iterations_, 0);
    times_.strand_end.assign(graph.strands, std::vector<Ticks>(iterations_, 0));
    for (const Task& task : graph.tasks)
      for (std::uint32_t i = 0; i < iterations_; ++i) ++unfinished(task.strand, i);
    times_.computed_before.assign(machine.places.size(), 0);
    times_.link_bytes.assign(graph.links.size(), 0);
    times_.link_loads.assign(graph.links.size(), 0);
    for (const SlowedLink& link : graph.slowed_links) group_links_[link.group].push_back(link);
    count_waits();
    lay_out_steps();
    lay_out_lanes();
  }

  RunTimes run() {
    for (std::uint32_t engine = 0; engine < engines_.size(); ++engine) mark(engine);
    settle();
    while (through_ < graph_.strands || times_.ended < least_ended_) {
      CONVOY_CHECK(!events_.empty());
      now_ = events_.advance([this](Event& event) { return renew(event); });
      while (events_.has_more_now()) handle(events_.pop());
      settle();
    }
    times_.end = now_;
    return std::move(times_);
  }

 private:
  static constexpr std::size_t kNobody = ~std::size_t{0};

  // The next task of a lane.
  struct Head {
    std::uint32_t instance = 0;
    bool is_ready = false;
    bool runs_ahead = false;
    std::uint32_t iteration = 0;
    std::uint32_t next = 0;  // in queue_
    std::uint32_t first = 0;
    std::uint32_t end = 0;
    std::uint32_t engine = 0;
    std::uint32_t strand = 0;
  };
  // The fields of a task that are read while it runs, together in one line of the processor's
  // cache: millions of tasks run in no particular order.
  struct alignas(32) Step {
    Task task;
    std::uint32_t head = 0;
    std::uint32_t first_successor = 0;  // in the list of all successors
    std::uint32_t successors_end = 0;   // likewise
    bool in_series = false;
  };
  // The tasks of an engine that may start now.
  struct Ready {
    std::uint32_t operation = 0;
    std::uint32_t task = 0;
    std::uint32_t iteration = 0;
  };
  struct EngineState {
    // A heap of its lanes' ready heads, by urgency and then by lane.
    std::vector<std::uint64_t> ready;
    std::uint32_t last = kNone;  // the previous task, as an index into the times of tasks
    Ticks last_end = -1;         // when the previous task ended
    bool busy = false;
    bool dirty = false;
  };

  // The number of iterations before and after the measured one that are recorded. Strands wait for
  // other iterations of each other; these are near unless the strands drift far apart.
  static std::uint32_t told_around(const TaskGraph& graph, std::uint32_t iterations) {
    constexpr std::uint32_t kMost = 8;
    constexpr std::size_t kMostTimes = 4'000'000;  // some 100 MB
    if (graph.strands == 1) return 0;
    std::uint32_t around = std::min(kMost, iterations - 1 - iterations / 2);
    while (around > 0 && (2 * around + 1) * graph.tasks.size() > kMostTimes) --around;
    return around;
  }

  std::uint32_t& unfinished(std::uint32_t strand, std::uint32_t iteration) {
    return unfinished_[std::size_t{strand} * iterations_ + iteration];
  }

  std::uint32_t instance_of(std::uint32_t task, std::uint32_t iteration) const {
    return iteration << task_bits_ | task;
  }
  std::uint32_t task_of(std::uint32_t instance) const {
    return instance & ((std::uint32_t{1} << task_bits_) - 1);
  }
  std::uint32_t iteration_of(std::uint32_t instance) const { return instance >> task_bits_; }

  // How many ends an instance still waits for.
  std::uint32_t& waits(std::uint32_t task, std::uint32_t iteration) {
    return waits_[std::size_t{iteration} * size_ + task];
  }

  // The index at which the times of an instance are recorded, if they are.
  std::uint32_t told_at(std::uint32_t task, std::uint32_t iteration) const {
    if (iteration + around_ < measured_ || iteration > measured_ + around_) return kNone;
    const std::uint32_t place =
        iteration <= measured_ ? measured_ - iteration : iteration - measured_ + before_;
    return place * size_ + task;
  }

  // Waits for iterations before the first one count as over from the beginning.
  void count_waits() {
    reserve_large(waits_, std::size_t{size_} * iterations_);
    std::vector<std::uint32_t> waits(size_, 0);
    for (std::uint32_t iteration = 0; iteration < iterations_; ++iteration) {
      if (iteration < graph_.waits.size())
        std::ranges::transform(waits, graph_.waits[iteration], waits.begin(), std::plus<>());
      waits_.insert(waits_.end(), waits.begin(), waits.end());
    }
  }

  void lay_out_steps() {
    CONVOY_CHECK(graph_.successors.items().size() <= kNone);
    reserve_large(steps_, size_);
    for (std::uint32_t task = 0; task < size_; ++task)
      steps_.push_back(
          {graph_.tasks[task], 0, static_cast<std::uint32_t>(graph_.successors.first(task)),
           static_cast<std::uint32_t>(graph_.successors.first(task + 1)), series_.has(task)});
  }

  // Stores the heads of an engine's lanes next to each other.
  void lay_out_lanes() {
    reserve_large(heads_, graph_.lanes.size());
    reserve_large(queue_, size_);
    for (std::uint32_t engine = 0; engine < engines_.size(); ++engine)
      for (const std::uint32_t lane : graph_.engines[engine].lanes)
        lay_out(graph_.lanes[lane], engine);
    for (std::uint32_t i = 0; i < heads_.size(); ++i) {
      look_at(heads_[i]);
      strand_heads_[heads_[i].strand].push_back(i);
    }
  }

  void lay_out(const TaskLane& lane, std::uint32_t engine) {
    const auto first = static_cast<std::uint32_t>(queue_.size());
    queue_.insert(queue_.end(), lane.tasks.begin(), lane.tasks.end());
    for (const QueuedTask& it : lane.tasks)
      steps_[it.task].head = static_cast<std::uint32_t>(heads_.size());
    heads_.push_back({.runs_ahead = lane.runs_ahead,
                      .next = first,
                      .first = first,
                      .end = static_cast<std::uint32_t>(queue_.size()),
                      .engine = engine,
                      .strand = graph_.tasks[lane.tasks.front().task].strand});
  }

  // Looks whether a head that was not ready has become ready.
  void look_at(Head& head) {
    const QueuedTask& queued = queue_[head.next];
    head.instance = instance_of(queued.task, head.iteration);
    head.is_ready = head.iteration < (head.runs_ahead ? iterations_ : released_[head.strand]) &&
                    waits(queued.task, head.iteration) == 0;
    if (!head.is_ready) return;
    std::vector<std::uint64_t>& ready = engines_[head.engine].ready;
    ready.push_back(std::uint64_t{queued.urgency} << 32 |
                    static_cast<std::uint64_t>(&head - heads_.data()));
    std::push_heap(ready.begin(), ready.end(), std::greater<>());
  }

  void push(Ticks at, EventKind kind, std::uint32_t index, std::uint32_t version) {
    events_.push({at, ++told_, index, version, kind});
  }

  void mark(std::uint32_t engine) {
    if (engines_[engine].dirty) return;
    engines_[engine].dirty = true;
    dirty_engines_.push_back(engine);
  }

  // Brings an event up to date. Returns false if a newer end has replaced it.
  bool renew(Event& event) {
    if (event.kind == EventKind::kFlowEnd) return flow_ends_.renew(event);
    return event.kind != EventKind::kComputeEnd || clock_.is_current(event.index, event.version);
  }

  void handle(Event event) {
    if (!renew(event)) return;
    CONVOY_CHECK_EQ(event.at, now_);
    switch (event.kind) {
      case EventKind::kComputeEnd: {
        clock_.finish(event.index);
        const std::uint32_t instance = running_[event.index];
        running_[event.index] = kNone;
        return complete(instance);
      }
      case EventKind::kBegin:
        return begin(event.index);
      case EventKind::kFlowEnd:
        return end_flow(event.index);
    }
  }

  void settle() {
    if (first_released_ < dirty_engines_.size())
      std::sort(dirty_engines_.begin() + static_cast<std::ptrdiff_t>(first_released_),
                dirty_engines_.end());
    first_released_ = kNobody;
    for (const std::uint32_t engine : dirty_engines_) {
      engines_[engine].dirty = false;
      serve(engine);
    }
    dirty_engines_.clear();
    for (const ComputeClock::End& end : clock_.settle(now_))
      push(end.at, EventKind::kComputeEnd, end.place, end.version);
    for (const std::uint32_t group : clock_.flipped_groups()) flip(group);
    for (const FlowNetwork::End& end : network_.update(now_)) {
      const Event event{end.at, ++told_, end.flow, 0, EventKind::kFlowEnd};
      if (flow_ends_.tell(event)) events_.push(event);
    }
  }

  // Applies the change when a device of the group has begun to compute, or when all have stopped.
  void flip(std::uint32_t group) {
    for (const std::uint32_t flow : group_flows_[group])
      network_.set_limit(flow, limit_of(cost_of(flow_instance_[flow])));
    for (const SlowedLink& it : group_links_[group])
      network_.set_capacity(it.link, clock_.is_busy(group)
                                         ? it.busy_bytes_per_second
                                         : graph_.links[it.link].bytes_per_second);
  }

  // Starts the most urgent of the tasks at the heads of an engine's lanes; of equal ones, the first
  // lane's.
  void serve(std::uint32_t engine) {
    EngineState& state = engines_[engine];
    if (state.busy || state.ready.empty()) return;
    const auto best = static_cast<std::uint32_t>(state.ready.front());
    std::pop_heap(state.ready.begin(), state.ready.end(), std::greater<>());
    state.ready.pop_back();
    start(heads_[best].instance, state);
  }

  void start(std::uint32_t instance, EngineState& engine) {
    const TaskCost& cost = cost_of(instance);
    engine.busy = true;
    const std::uint32_t told = told_at(task_of(instance), iteration_of(instance));
    if (told != kNone) note_start(times_.tasks[told], engine);
    if (cost.activity == Activity::kCompute) {
      const std::uint32_t place = steps_[task_of(instance)].task.place;
      running_[place] = instance;
      return clock_.start(now_, place, *cost.pass);
    }
    Ticks at = now_;
    if (cost.activity == Activity::kCollective && cost.group != kNone) {
      at = clock_.kernel_boundary(now_, cost.group);
      clock_.collective(cost.group, 1);  // the device that comes first is occupied and waits
    }
    const double seconds = cost.seconds + cost.spread * part_of_spread(instance);
    push(at + to_ticks(seconds), EventKind::kBegin, instance, 0);
  }

  // A part below 1 that looks random and is the same in every run. It has only four values. With
  // more values, fewer flows begin at one time: the result stays the same within 1 %, but 4,096
  // devices take 40 % longer to simulate.
  static double part_of_spread(std::uint32_t instance) {
    std::uint64_t bits = instance * 0x9e3779b97f4a7c15u;
    bits = (bits ^ bits >> 29) * 0xbf58476d1ce4e5b9u;
    return static_cast<double>(bits >> 62) / 4;
  }

  // Records what the task waited for last: the task that ended last, or its engine.
  void note_start(TaskTimes& it, const EngineState& engine) const {
    const Ticks ready = it.start;
    if (ready < now_ && engine.last_end == now_) it.cause = engine.last;
    it.start = now_;
  }

  // The fixed cost of the task is over, and its bytes begin to flow.
  void begin(std::uint32_t instance) {
    const std::uint32_t route = steps_[task_of(instance)].task.route;
    const TaskCost& cost = cost_of(instance);
    if (route == kNone || cost.bytes == 0) return complete(instance);
    const std::uint32_t flow = network_.add(now_, cost.bytes, flow_routes_[route], limit_of(cost));
    if (flow_instance_.size() <= flow) flow_instance_.resize(flow + 1);
    flow_instance_[flow] = instance;
    if (cost.group != kNone) group_flows_[cost.group].push_back(flow);
    if (iteration_of(instance) != measured_) return;
    for (const LinkShare& share : graph_.routes[route]) {
      times_.link_bytes[share.link] += cost.bytes * share.bytes;
      times_.link_loads[share.link] += cost.bytes * share.weight;
    }
  }

  const TaskCost& cost_of(std::uint32_t instance) const {
    return graph_.costs[steps_[task_of(instance)].task.cost];
  }

  double limit_of(const TaskCost& cost) const {
    return cost.group != kNone && clock_.is_busy(cost.group) ? cost.busy_limit : cost.limit;
  }

  void end_flow(std::uint32_t flow) {
    network_.finish(flow);
    flow_ends_.finish(flow);
    const std::uint32_t group = cost_of(flow_instance_[flow]).group;
    if (group != kNone) std::erase(group_flows_[group], flow);
    complete(flow_instance_[flow]);
  }

  void complete(std::uint32_t instance) {
    const std::uint32_t task = task_of(instance);
    const std::uint32_t iteration = iteration_of(instance);
    ++times_.ended;
    const std::uint32_t told = told_at(task, iteration);
    if (told != kNone) times_.tasks[told].end = now_;
    const Step& it = steps_[task];
    const TaskCost& cost = graph_.costs[it.task.cost];
    if (cost.activity == Activity::kCompute && iteration + 1 == measured_)
      times_.computed_before[it.task.place] = now_;
    if (cost.activity == Activity::kCollective && cost.group != kNone)
      clock_.collective(cost.group, -1);
    if (it.in_series)
      end_in_series(task, iteration, told);
    else
      for (const TaskSuccessor& successor : successors_of(task))
        if (needs_no_more(successor.task, iteration + successor.distance))
          make_ready(successor.task, iteration + successor.distance, told);
    advance(heads_[it.head], told);
    if (--unfinished(it.task.strand, iteration) == 0) release(it.task.strand, iteration);
  }

  std::span<const TaskSuccessor> successors_of(std::uint32_t task) const {
    const Step& it = steps_[task];
    return graph_.successors.items().subspan(it.first_successor,
                                             it.successors_end - it.first_successor);
  }

  // Engines start the tasks that become ready at one end in the order of the plan.
  void end_in_series(std::uint32_t task, std::uint32_t iteration, std::uint32_t told) {
    ready_.clear();
    const auto end_wait = [&](std::uint32_t waiting, std::uint32_t when) {
      if (needs_no_more(waiting, when))
        ready_.push_back({graph_.operation_of(waiting), waiting, when});
    };
    for (const TaskSuccessor& successor : successors_of(task))
      end_wait(successor.task, iteration + successor.distance);
    series_.end(task, end_wait);
    std::ranges::stable_sort(ready_, {}, &Ready::operation);
    for (const Ready& it : ready_) make_ready(it.task, it.iteration, told);
  }

  // Counts one wait of the task as over. Returns whether it was the last one.
  bool needs_no_more(std::uint32_t task, std::uint32_t iteration) {
    return iteration < iterations_ && --waits(task, iteration) == 0;
  }

  void make_ready(std::uint32_t task, std::uint32_t iteration, std::uint32_t told) {
    const std::uint32_t instance = instance_of(task, iteration);
    if (const std::uint32_t own = told_at(task, iteration); own != kNone) {
      times_.tasks[own].cause = told;
      times_.tasks[own].start = now_;  // until it really starts
    }
    Head& head = heads_[steps_[task].head];
    if (head.instance == instance && !head.is_ready) look_at(head);
    mark(head.engine);
  }

  void advance(Head& head, std::uint32_t told) {
    head.is_ready = false;
    if (++head.next == head.end) {
      head.next = head.first;
      ++head.iteration;
    }
    if (head.iteration < iterations_) look_at(head);
    EngineState& engine = engines_[head.engine];
    engine.busy = false;
    engine.last = told;
    engine.last_end = now_;
    mark(head.engine);
  }

  void release(std::uint32_t strand, std::uint32_t iteration) {
    times_.strand_end[strand][iteration] = now_;
    times_.iteration_end[iteration] = now_;
    if (iteration == last_) ++through_;
    if (iteration == 0 && ++begun_ == graph_.strands) {
      times_.all_begun = now_;
      times_.ended_before = times_.ended;
    }
    if (released_[strand] == iterations_) return;
    ++released_[strand];
    first_released_ = std::min(first_released_, dirty_engines_.size());
    for (const std::uint32_t i : strand_heads_[strand]) {
      Head& head = heads_[i];
      if (head.iteration < iterations_ && !head.is_ready) look_at(head);
      mark(head.engine);
    }
  }

  const TaskGraph& graph_;
  std::uint32_t size_;
  std::uint32_t task_bits_;
  std::uint32_t iterations_;
  std::uint32_t measured_;               // the measured iteration
  std::uint32_t around_;                 // iterations after it that are recorded, too
  std::uint32_t before_;                 // iterations before it that are recorded, too
  std::uint32_t last_;                   // the iteration with which the run ends
  std::uint64_t least_ended_;            // tasks that must end before the run ends
  std::uint32_t through_ = 0;            // strands that have ended the last iteration
  std::uint32_t begun_ = 0;              // strands that have ended their first iteration
  std::vector<std::uint32_t> released_;  // per strand: iterations that may run
  ComputeClock clock_;
  FlowNetwork network_;
  Lists<LinkShare> flow_routes_;
  SeriesProgress series_;
  std::vector<std::uint32_t> waits_;  // per iteration and task
  std::vector<Step> steps_;           // per task
  std::vector<Head> heads_;           // of all lanes, engine by engine
  std::vector<QueuedTask> queue_;     // the tasks of all lanes, one lane after the other
  std::vector<EngineState> engines_;
  std::vector<std::uint32_t> running_;                    // per place: the compute instance
  std::vector<std::vector<std::uint32_t>> group_flows_;   // per group: its flows in progress
  std::vector<std::vector<SlowedLink>> group_links_;      // per group
  std::vector<std::uint32_t> flow_instance_;              // per flow
  std::vector<std::vector<std::uint32_t>> strand_heads_;  // per strand: its lanes' heads
  std::vector<std::uint32_t> unfinished_;                 // tasks, per strand and iteration
  std::vector<Ready> ready_;  // readers that become ready when a task of a series ends
  std::vector<std::uint32_t> dirty_engines_;
  // From this one on, changed engines are served in their order: when a strand advances, everything
  // that can start at this time starts engine by engine.
  std::size_t first_released_ = kNobody;
  EventQueue events_;
  FlowEnds flow_ends_;
  std::uint64_t told_ = 0;  // events, whether they were queued or not
  Ticks now_ = 0;
  RunTimes times_;
};

}  // namespace

RunTimes run_tasks(const TaskGraph& graph, const SimulatedMachine& machine,
                   const RunLength& length) {
  return VirtualRun(graph, machine, length).run();
}

}  // namespace convoy::simulate
