#include "core/simulate/tasks/task_builder.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/process/in_parallel.hpp"
#include "core/base/process/large_pages.hpp"
#include "core/plan/schedule/lagged_reads.hpp"
#include "core/plan/schedule/schedule.hpp"
#include "core/simulate/tasks/fetch_order.hpp"
#include "core/simulate/tasks/input_tasks.hpp"
#include "core/simulate/tasks/successors.hpp"
#include "core/simulate/tasks/task_costs.hpp"

namespace convoy::simulate {
namespace {

// The number of every operation's task.
using Numbers = std::vector<std::uint32_t>;

// Returns all operations in the order of their tasks. Tasks that run at the same time should be
// next to each other in memory. A plan has all operations of one device before those of the next,
// so tasks have the order in which they run. If strands drift apart, they are stored lane by lane,
// because each lane advances by itself.
std::vector<std::uint32_t> order_of_tasks(plan::Schedule& schedule) {
  if (schedule.strands.count == 1) return std::move(schedule.submission);
  std::vector<std::uint32_t> order;
  reserve_large(order, schedule.submission.size());
  for (const plan::Lane& lane : schedule.lanes)
    order.insert(order.end(), lane.operations.begin(), lane.operations.end());
  return order;
}

Numbers numbers_of(const std::vector<std::uint32_t>& order) {
  Numbers numbers(order.size());
  for (std::uint32_t at = 0; at < order.size(); ++at) numbers[order[at]] = at;
  return numbers;
}

// Tells which lanes of a place share an engine: all lanes of a device with one engine, copies if
// there is one copy engine, otherwise none.
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

Traffic traffic_of(const plan::PlanBuffer& sent) {
  return sent.kind == CONVOY_BUFFER_MASTER ? kPulled : kPushed;
}

// The connection by which the data of an operation arrive. The data of one host arrive in order,
// separately for pushes and pulls, and do not wait for other hosts. kLocal if they do not cross the
// network.
std::uint32_t connection(const plan::Plan& plan, const plan::Operation& operation) {
  if (operation.lane != plan::kNetworkLane) return kLocal;
  const plan::PlanBuffer& from = plan.buffers[operation.reads.front().buffer];
  const std::uint32_t sender = plan.cluster->places[from.place].host;
  return 2 * sender + traffic_of(from);
}

// Splits every lane of a host, which are the only lanes that receive, into one lane per connection.
void split_connections(const plan::Plan& plan, plan::Schedule& schedule) {
  std::vector<plan::Lane> lanes;
  for (plan::Lane& lane : schedule.lanes) {
    if (plan.cluster->places[lane.place].kind != CONVOY_PLACE_HOST) {
      for (const std::uint32_t i : lane.operations)
        schedule.operations[i].lane = static_cast<std::uint32_t>(lanes.size());
      lanes.push_back(std::move(lane));
      continue;
    }
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> index;
    for (const std::uint32_t i : lane.operations) {
      const plan::Operation& operation = plan.body[i];
      const auto [it, inserted] =
          index.try_emplace({operation.place, connection(plan, operation)}, lanes.size());
      if (inserted) lanes.push_back({operation.place, lane.lane, {}});
      schedule.operations[i].lane = static_cast<std::uint32_t>(it->second);
      lanes[it->second].operations.push_back(i);
    }
  }
  schedule.lanes = std::move(lanes);
}

// Hosts receive from a few others at a time. If they received from all, the number of flows would
// grow with the square of the hosts. If they received from one, a sender with two receivers would
// leave both waiting.
std::uint32_t receiver(std::uint32_t connection) {
  constexpr std::uint32_t kSendersAtATime = 8;
  if (connection == kLocal) return 0;
  const std::uint32_t sender = (connection - 1) / 2;
  return 1 + 2 * (sender % kSendersAtATime) + (connection - 1) % 2;
}

void add_engines(const plan::Plan& plan, const SimulatedMachine& machine,
                 const plan::Schedule& schedule, const Numbers& numbers, TaskGraph& graph) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> index;
  for (const plan::Lane& lane : schedule.lanes) {
    const plan::Operation& first = plan.body[lane.operations.front()];
    const auto [it, inserted] =
        index.try_emplace({lane.place, engine_class(machine, lane.place, lane.lane),
                           receiver(connection(plan, first))},
                          static_cast<std::uint32_t>(graph.engines.size()));
    if (inserted) graph.engines.push_back({lane.place, {}});
    graph.engines[it->second].lanes.push_back(static_cast<std::uint32_t>(graph.lanes.size()));
    graph.lanes.push_back({it->second, lane.lane, {}});
    graph.lanes.back().tasks.reserve(lane.operations.size());
    for (const std::uint32_t i : lane.operations)
      graph.lanes.back().tasks.push_back({numbers[i], schedule.operations[i].urgency});
  }
  // Of equally urgent tasks, compute comes last, as in the executor of CPU devices.
  const auto rank = [&](std::uint32_t lane) {
    return graph.lanes[lane].kind == CONVOY_LANE_COMPUTE ? 0xffu : graph.lanes[lane].kind;
  };
  for (TaskEngine& engine : graph.engines)
    std::stable_sort(engine.lanes.begin(), engine.lanes.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return rank(a) < rank(b); });
}

// A reader without a writer before it waits for the whole previous iteration.
TaskSeries::Reader series_reader(const plan::LaggedRead& it, std::size_t writers,
                                 const Numbers& numbers) {
  if (it.ahead > 0) return {numbers[it.reader], it.ahead, it.max_lag};
  return {numbers[it.reader], static_cast<std::uint32_t>(writers), it.max_lag + 1};
}

void add_series(const plan::SharedDependencies& shared, const Numbers& numbers, TaskGraph& graph) {
  for (const std::vector<std::uint32_t>& writers : shared.series)
    for (std::vector<std::uint32_t>& tasks = graph.series.emplace_back().tasks;
         const std::uint32_t writer : writers)
      tasks.push_back(numbers[writer]);
  for (plan::LaggedRead it : shared.lagged) {
    it.max_lag = std::min(it.max_lag, kMostIterations);
    TaskSeries& series = graph.series[it.series];
    const auto reader = series_reader(it, series.tasks.size(), numbers);
    series.readers.push_back(reader);
    // Writers after the reader count in the iteration before.
    const std::uint32_t farthest = it.ahead < series.tasks.size() ? it.max_lag + 1 : it.max_lag;
    if (graph.waits.size() <= farthest)
      graph.waits.resize(farthest + 1, std::vector<std::uint32_t>(graph.tasks.size(), 0));
    ++graph.waits[reader.distance][reader.task];
  }
  for (TaskSeries& series : graph.series)
    std::ranges::stable_sort(series.readers, {}, &TaskSeries::Reader::after);
}

// The waits of operations, and the order of lanes.
struct RunOrder {
  plan::SharedDependencies dependencies;
  plan::Schedule schedule;
};

RunOrder find_order(const plan::Plan& lowered, const SimulationOptions& options) {
  // Waits for iterations before the previous one do not change the order.
  RunOrder order{plan::find_shared_dependencies(lowered), {}};
  order.schedule = plan::order_lanes(lowered, order.dependencies.lists);
  order_fetches(lowered, order.dependencies.lists, options, order.schedule);
  if (lowered.cluster->hosts > 1) split_connections(lowered, order.schedule);
  return order;
}

// Makes the tasks of all operations, in the body's order.
std::vector<Task> tasks_of(const plan::Plan& lowered, TaskCosts& costs) {
  std::vector<Task> tasks;
  reserve_large(tasks, lowered.body.size());
  for (const plan::Operation& operation : lowered.body) tasks.push_back(costs.task(operation));
  return tasks;
}

// Puts the tasks into the graph and frees them.
void number_tasks(std::vector<Task> tasks, const plan::Schedule& schedule,
                  std::vector<std::uint32_t> order, TaskGraph& graph) {
  reserve_large(graph.tasks, tasks.size());
  for (const std::uint32_t i : order) {
    graph.tasks.push_back(tasks[i]);
    graph.tasks.back().strand = schedule.strands[i];
  }
  graph.operations = std::move(order);
}

}  // namespace

TaskGraph build_tasks(const plan::Plan& lowered, const SimulatedMachine& machine,
                      const std::vector<LayerTimes>& layers, const SimulationOptions& options) {
  CONVOY_CHECK_EQ(lowered.cluster->places.size(), machine.places.size());
  TaskGraph graph;
  graph.layers = layers;
  std::optional<TaskCosts> costs;
  std::vector<Task> tasks;
  RunOrder order;
  side_by_side(
      lowered.body.size(), [&] { order = find_order(lowered, options); },
      [&] { tasks = tasks_of(lowered, costs.emplace(lowered, machine, options, graph)); });
  const auto& dependencies = order.dependencies;
  plan::Schedule& schedule = order.schedule;
  graph.strands = schedule.strands.count;
  std::vector<std::uint32_t> tasks_in_order = order_of_tasks(schedule);
  const Numbers numbers = numbers_of(tasks_in_order);
  side_by_side(
      lowered.body.size(),
      [&] { number_tasks(std::move(tasks), schedule, std::move(tasks_in_order), graph); },
      [&] { add_engines(lowered, machine, schedule, numbers, graph); });
  const InputTasks input = add_input_tasks(lowered, machine, options, numbers, *costs, graph);
  if (graph.strands > 1)
    for (const TaskWait& it : input.waits)
      if (graph.operation_of(it.before) == kNone)
        graph.tasks[it.before].strand = graph.tasks[it.task].strand;
  graph.ways = costs->take_ways();
  const LanePlaces places = lane_places(schedule);
  // Frees them here, because they would add to the peak of memory use.
  costs.reset();
  schedule = {};
  add_successors(dependencies.lists, places, numbers, input.waits, graph);
  add_series(dependencies, numbers, graph);
  return graph;
}

}  // namespace convoy::simulate
