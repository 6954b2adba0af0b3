#include "core/simulate/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.hpp"
#include "core/simulate/run/critical_path.hpp"
#include "core/simulate/run/processor_load.hpp"
#include "core/simulate/run/steady_run.hpp"
#include "core/simulate/tasks/task_builder.hpp"

namespace convoy::simulate {
namespace {

// The time in which all workers together take as many steps as there are workers.
double common_step(const std::vector<double>& workers) {
  double rate = 0;
  for (const double seconds : workers) rate += 1 / seconds;
  return static_cast<double>(workers.size()) / rate;
}

Ticks longest_compute(const TaskGraph& graph, const RunTimes& times, std::size_t places) {
  std::vector<Ticks> busy(places, 0);
  for (std::size_t task = 0; task < graph.tasks.size(); ++task)
    if (graph.cost_of(task).activity == Activity::kCompute)
      busy[graph.tasks[task].place] += times.tasks[task].end - times.tasks[task].start;
  Ticks longest = 0;
  for (const Ticks ticks : busy) longest = std::max(longest, ticks);
  return longest;
}

// The step from the end of an iteration's compute to the end of the next one's, on the place where
// that takes longest.
StepWindow between_computes(const TaskGraph& graph, const RunTimes& times) {
  std::vector<StepWindow> windows;
  for (const Ticks before : times.computed_before) windows.push_back({before, before});
  for (std::size_t task = 0; task < graph.tasks.size(); ++task) {
    if (graph.cost_of(task).activity != Activity::kCompute) continue;
    Ticks& end = windows[graph.tasks[task].place].end;
    end = std::max(end, times.tasks[task].end);
  }
  return std::ranges::max(windows, {}, &StepWindow::length);
}

// The step from the end of the previous iteration to the end of the measured one. After the last
// iteration, no compute slows down the remaining work. So if a step seems shorter than its compute,
// it is measured between computes instead.
StepWindow measured_step(const TaskGraph& graph, const RunTimes& times, Ticks compute) {
  const std::size_t measured = times.measured;
  const StepWindow whole{times.iteration_end[measured - 1], times.iteration_end[measured]};
  return whole.length() >= compute ? whole : between_computes(graph, times);
}

// The place of every worker's first device.
std::vector<std::uint32_t> worker_places(const TaskGraph& graph) {
  std::vector<std::uint32_t> places(graph.strands, kNone);
  for (std::size_t task = 0; task < graph.tasks.size(); ++task) {
    if (graph.cost_of(task).activity != Activity::kCompute) continue;
    std::uint32_t& first = places[graph.tasks[task].strand];
    first = std::min(first, graph.tasks[task].place);
  }
  return places;
}

// The measured step of the slowest worker. Of equally slow ones, it is the one whose measured step
// took that long.
StepWindow slowest_step(const RunTimes& times, const std::vector<double>& seconds) {
  const double slowest = std::ranges::max(seconds);
  StepWindow found;
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t worker = 0; worker < seconds.size(); ++worker) {
    if (seconds[worker] < slowest) continue;
    const std::vector<Ticks>& ends = times.strand_end[worker];
    const StepWindow step{ends[times.measured - 1], ends[times.measured], worker};
    const double off = std::abs(to_seconds(step.length()) - slowest);
    if (off >= least) continue;
    found = step;
    least = off;
  }
  return found;
}

std::vector<LinkLoad> link_loads(const SimulatedMachine& machine, const RunTimes& times,
                                 double seconds) {
  std::vector<LinkLoad> loads;
  for (std::uint32_t link = 0; link < machine.links.size(); ++link) {
    const double load = times.link_loads[link];
    if (load == 0) continue;
    loads.push_back(
        {link, times.link_bytes[link], load / (seconds * machine.links[link].bytes_per_second)});
  }
  std::stable_sort(loads.begin(), loads.end(), [](const LinkLoad& a, const LinkLoad& b) {
    return a.utilization > b.utilization;
  });
  return loads;
}

std::vector<SimulatedOperation> measured_operations(const TaskGraph& graph, const RunTimes& times,
                                                    Ticks origin, std::size_t links) {
  std::vector<SimulatedOperation> result;
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    const std::uint32_t route = graph.tasks[i].route;
    const std::uint32_t way = graph.cost_of(i).way;
    const std::uint32_t operation = graph.operation_of(i);
    if (operation == kNone) continue;
    result.push_back({operation,
                      to_seconds(times.tasks[i].start - origin),
                      to_seconds(times.tasks[i].end - origin),
                      {},
                      way == kNone ? std::string() : graph.ways[way]});
    if (route == kNone) continue;
    for (const LinkShare& share : graph.routes[route])
      if (share.link < links) result.back().links.push_back(share.link);
  }
  std::ranges::sort(result, {}, &SimulatedOperation::operation);
  return result;
}

double seconds_alone(const TaskGraph& graph, const TaskCost& cost, std::uint32_t route) {
  double rate = cost.limit;
  for (const LinkShare& share : graph.routes[route])
    rate = std::min(rate, graph.links[share.link].bytes_per_second / share.weight);
  return cost.seconds + cost.bytes / rate;
}

std::vector<CollectiveUse> collective_uses(const TaskGraph& graph, const RunTimes& times,
                                           double computes) {
  std::vector<CollectiveUse> uses(graph.ways.size());
  for (std::size_t i = 0; i < uses.size(); ++i) uses[i].way = graph.ways[i];
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    const TaskCost& cost = graph.cost_of(i);
    const std::uint32_t route = graph.tasks[i].route;
    if (cost.way == kNone || route == kNone) continue;
    CollectiveUse& use = uses[cost.way];
    ++use.count;
    use.bytes += cost.bytes;
    use.seconds += to_seconds(times.tasks[i].end - times.tasks[i].start);
    use.seconds_alone += seconds_alone(graph, cost, route);
  }
  std::erase_if(uses, [](const CollectiveUse& use) { return use.count == 0; });
  for (CollectiveUse& use : uses)
    for (double* of_period : {&use.count, &use.bytes, &use.seconds, &use.seconds_alone})
      *of_period /= computes;
  std::stable_sort(uses.begin(), uses.end(), [](const CollectiveUse& a, const CollectiveUse& b) {
    return a.bytes > b.bytes;
  });
  return uses;
}

// A step takes at least as long as the cores of a machine work for it. Lengthens a shorter step and
// returns the processor that made it longest; null if the step stays as it is.
const SimulatedProcessor* lengthen_to_busiest(SimulationResult& result, const TaskGraph& graph,
                                              const RunTimes& times,
                                              const SimulatedMachine& machine, double computes) {
  const SimulatedProcessor* busiest = nullptr;
  if (graph.strands > 1) return busiest;
  for (const SimulatedProcessor& processor : machine.processors) {
    const double seconds = busy_seconds(processor, graph, times, machine) / computes;
    if (seconds <= result.step_seconds) continue;
    result.step_seconds = seconds;
    busiest = &processor;
  }
  return busiest;
}

void name_processor(const SimulatedProcessor& processor, double step_otherwise,
                    SimulationResult& result) {
  result.critical.wait += result.step_seconds - step_otherwise;
  result.bottleneck = fmt::format(
      "processor cores: computing and messages between hosts keep all {:g} busy", processor.cores);
}

}  // namespace

SimulationResult simulate(const plan::Plan& lowered, const SimulatedMachine& machine,
                          const std::vector<LayerTimes>& layers, const SimulationOptions& options) {
  CONVOY_CHECK(options.iterations >= 3);
  const TaskGraph graph = build_tasks(lowered, machine, layers, options);
  const auto [times, worker_seconds, is_steady, few_iterations] =
      run_until_steady(graph, machine, options);
  const Ticks compute = longest_compute(graph, times, machine.places.size());
  const double computes = lowered.computes;
  SimulationResult result;
  StepWindow step;
  if (graph.strands == 1) {
    step = measured_step(graph, times, compute);
    result.step_seconds = to_seconds(step.length()) / computes;
  } else {
    for (const double seconds : worker_seconds)
      result.worker_step_seconds.push_back(seconds / computes);
    result.worker_places = worker_places(graph);
    step = slowest_step(times, worker_seconds);
    result.step_seconds = common_step(result.worker_step_seconds);
    result.is_steady = is_steady;
    result.few_steps = few_iterations * lowered.computes;
  }
  const SimulatedProcessor* const busiest =
      lengthen_to_busiest(result, graph, times, machine, computes);
  result.compute_seconds = to_seconds(compute) / computes;
  result.exposed_seconds = std::max(0.0, result.step_seconds - result.compute_seconds);
  result.links = link_loads(machine, times, result.step_seconds * computes);
  for (LinkLoad& load : result.links) load.bytes /= computes;
  result.collectives = collective_uses(graph, times, computes);
  const CriticalChain chain = follow_chain(graph, times, step);
  result.critical = chain.per_step(computes);
  result.bottleneck = name_bottleneck(chain, graph, lowered, machine, result);
  if (busiest != nullptr) name_processor(*busiest, to_seconds(step.length()) / computes, result);
  result.operations_run = times.ended;
  if (options.keep_operations)
    result.operations = measured_operations(graph, times, step.origin, machine.links.size());
  return result;
}

}  // namespace convoy::simulate
