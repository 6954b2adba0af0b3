#include "core/simulate/task_builder.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "core/base/error.hpp"
#include "core/plan/dependencies.hpp"
#include "core/plan/schedule.hpp"
#include "core/simulate/fetch_order.hpp"
#include "core/simulate/input_tasks.hpp"
#include "core/simulate/task_costs.hpp"

namespace convoy::simulate {
namespace {

// Which lanes of a place share an engine: all on devices that have one, copies where there is one
// copy engine, else none.
std::uint32_t engine_class(const SimulatedMachine& machine, std::uint32_t place,
                           std::uint32_t lane) {
  const std::uint32_t kind = machine.places[place].device;
  if (kind == kNone) return lane;
  const SimulatedDevice& device = machine.devices[kind];
  if (device.one_engine) return CONVOY_LANE_COMPUTE;
  if (lane == CONVOY_LANE_COPY_OUT && device.copy_engines == 1) return CONVOY_LANE_COPY_IN;
  return lane;
}

enum Traffic : std::uint32_t { kLocal, kPushed, kPulled };

Traffic traffic_of(const PlanBuffer& sent) {
  return sent.kind == CONVOY_BUFFER_MASTER ? kPulled : kPushed;
}

// Which connection an operation comes in on: what one host sends comes in order, pushed and pulled
// apart, but nobody waits for what another one has yet to send. kLocal for what does not cross the
// network.
std::uint32_t connection(const Plan& plan, const Operation& operation) {
  if (operation.kind != OperationKind::kCopy) return kLocal;
  const PlanBuffer& from = plan.buffers[operation.reads.front().buffer];
  const PlanBuffer& to = plan.buffers[operation.writes.front().buffer];
  const std::uint32_t sender = plan.cluster->places[from.place].host;
  if (sender == plan.cluster->places[to.place].host) return kLocal;
  return 2 * sender + traffic_of(from);
}

// Every lane as one per connection.
void split_connections(const Plan& plan, Schedule& schedule) {
  std::vector<Lane> lanes;
  for (const Lane& lane : schedule.lanes) {
    std::map<std::uint32_t, std::size_t> index;
    for (const std::uint32_t i : lane.operations) {
      const auto [it, inserted] = index.try_emplace(connection(plan, plan.body[i]), lanes.size());
      if (inserted) lanes.push_back({lane.place, lane.lane, {}});
      schedule.operations[i].lane = static_cast<std::uint32_t>(it->second);
      lanes[it->second].operations.push_back(i);
    }
  }
  schedule.lanes = std::move(lanes);
}

// Hosts receive from a few others at a time: from all of them, flows would grow with the square of
// the hosts, from one, a sender with two receivers would leave both waiting.
std::uint32_t receiver(std::uint32_t connection) {
  constexpr std::uint32_t kSendersAtATime = 8;
  if (connection == kLocal) return 0;
  const std::uint32_t sender = (connection - 1) / 2;
  return 1 + 2 * (sender % kSendersAtATime) + (connection - 1) % 2;
}

void add_engines(const Plan& plan, const SimulatedMachine& machine, const Schedule& schedule,
                 TaskGraph& graph) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> index;
  for (const Lane& lane : schedule.lanes) {
    const Operation& first = plan.body[lane.operations.front()];
    const auto [it, inserted] =
        index.try_emplace({lane.place, engine_class(machine, lane.place, lane.lane),
                           receiver(connection(plan, first))},
                          static_cast<std::uint32_t>(graph.engines.size()));
    if (inserted) graph.engines.push_back({lane.place, {}});
    graph.engines[it->second].lanes.push_back(static_cast<std::uint32_t>(graph.lanes.size()));
    graph.lanes.push_back({it->second, lane.lane, lane.operations});
  }
  // Of equally urgent ones, compute comes last, as in the executor of CPU devices.
  const auto rank = [&](std::uint32_t lane) {
    return graph.lanes[lane].kind == CONVOY_LANE_COMPUTE ? 0xffu : graph.lanes[lane].kind;
  };
  for (TaskEngine& engine : graph.engines)
    std::stable_sort(engine.lanes.begin(), engine.lanes.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return rank(a) < rank(b); });
}

void add_waits(const DependencyLists& dependencies, const InputTasks& input, TaskGraph& graph) {
  const std::size_t tasks = graph.tasks.size();
  std::vector<std::uint32_t> ends(tasks + 1, 0);
  std::uint32_t largest = 0;
  const auto for_each_wait = [&](auto visit) {
    for (std::uint32_t task = 0; task < dependencies.size(); ++task)
      for (const Dependency& it : dependencies[task]) visit(it.before, task, it.distance);
    for (const InputWait& it : input.waits) visit(it.before, it.task, it.distance);
  };
  for_each_wait([&](std::uint32_t before, std::uint32_t, std::uint32_t distance) {
    ++ends[before + 1];
    largest = std::max(largest, distance);
  });
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<TaskSuccessor> successors(ends.back());
  std::vector<std::uint32_t> next(ends.begin(), ends.end() - 1);
  graph.waits.assign(largest + 1, std::vector<std::uint32_t>(tasks, 0));
  for_each_wait([&](std::uint32_t before, std::uint32_t task, std::uint32_t distance) {
    successors[next[before]++] = {task, distance};
    ++graph.waits[distance][task];
  });
  for (std::size_t task = 0; task < tasks; ++task)
    graph.successors.add({successors.data() + ends[task], ends[task + 1] - ends[task]});
}

}  // namespace

TaskGraph build_tasks(const Plan& lowered, const SimulatedMachine& machine,
                      const std::vector<LayerTimes>& layers, const SimulationOptions& options) {
  CONVOY_CHECK_EQ(lowered.cluster->places.size(), machine.places.size());
  const DependencyLists dependencies = find_dependencies(lowered);
  Schedule schedule = order_lanes(lowered, dependencies);
  order_fetches(lowered, dependencies, options, schedule);
  if (lowered.cluster->hosts > 1) split_connections(lowered, schedule);
  TaskGraph graph;
  graph.layers = layers;
  TaskCosts costs(lowered, machine, options, graph);
  graph.tasks.reserve(lowered.body.size());
  for (std::uint32_t i = 0; i < lowered.body.size(); ++i) {
    Task task = costs.task(lowered.body[i]);
    task.lane = schedule.operations[i].lane;
    task.urgency = schedule.operations[i].urgency;
    task.operation = i;
    graph.tasks.push_back(task);
  }
  add_engines(lowered, machine, schedule, graph);
  const InputTasks input = add_input_tasks(lowered, machine, options, costs, graph);
  add_waits(dependencies, input, graph);
  return graph;
}

}  // namespace convoy::simulate
